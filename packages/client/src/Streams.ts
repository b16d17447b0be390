/* Wraps the stream of an answer: its call is reported once, at its end, its failure, or its cancellation. */
import type { Call } from "./Choice.ts"
import { attempt, idOf } from "./ForeignValues.ts"
import { isAbort } from "./Outage.ts"
import { known, type Usage } from "./Usage.ts"

/** How the parts of a stream are read; a function that throws is ignored. */
export interface StreamReading<Part> {
  /** The usage in a part. Later parts replace earlier ones field by field. */
  readonly usage?: (part: Part) => Usage | null | undefined
  /** Whether a part holds the first token; by default the first part does. */
  readonly isToken?: (part: Part) => boolean
  /** The error that a part carries, for streams that end well after a failure. */
  readonly failure?: (part: Part) => unknown
  /** The caller's signal: a stream that breaks after it was aborted is abandoned, not failed. */
  readonly signal?: AbortSignal | null | undefined
}

/** A usage with the known fields of a later one; a missing field removes nothing. */
const merged = (usage: Usage, later: Usage | null | undefined): Usage => ({
  ...usage,
  ...Object.fromEntries(Object.entries(later ?? {}).filter(([, value]) => known(value) || idOf(value)))
})

const observerOf = <Part>(call: Call, { failure, isToken, signal, usage }: StreamReading<Part>) => {
  let seen: Usage = {}
  let error: unknown
  // Also where the work that began the call returned long ago.
  const took = (): Usage => merged({ latencyMs: performance.now() - call.beganMs }, seen)
  const broken = (cause: unknown): void =>
    void (isAbort(cause, signal) ? call.abandoned(took()) : call.failed(cause, took()))
  return {
    part: (part: Part): void => {
      // A reading that fails says nothing, and the caller gets the part all the same.
      if (isToken === undefined || attempt(() => isToken(part), false)) call.firstToken()
      seen = attempt(() => merged(seen, usage?.(part)), seen)
      error ??= attempt(() => failure?.(part), undefined)
    },
    // Some libraries end a stream that was aborted as if it were whole.
    ended: (): void => error === undefined && !signal?.aborted ? call.succeeded(took()) : broken(error),
    broken,
    left: (): void => call.abandoned(took())
  }
}

/** An iterator over parts that can stop early. */
export type MeasuredParts<Part> =
  & AsyncIterableIterator<Part, void, undefined>
  & Required<AsyncIterator<Part, void, undefined>>

/** The same parts; the call is reported when they end, fail, or are left before their end. */
export const measuredIterable = <Part>(
  call: Call,
  parts: AsyncIterable<Part>,
  reading: StreamReading<Part> = {}
): MeasuredParts<Part> => {
  const observer = observerOf(call, reading)
  const source = parts[Symbol.asyncIterator]()
  let isOver = false

  const leave = async (): Promise<void> => {
    observer.left()
    if (isOver) return
    isOver = true
    await source.return?.()
  }

  const measured: MeasuredParts<Part> = {
    next: async () => {
      if (isOver) return { done: true, value: undefined }
      try {
        const { done, value } = await source.next()
        if (!done) {
          observer.part(value)
          return { done: false, value }
        }
        observer.ended()
      } catch (cause) {
        isOver = true
        observer.broken(cause)
        throw cause
      }
      isOver = true
      return { done: true, value: undefined }
    },
    return: async () => {
      await leave()
      return { done: true, value: undefined }
    },
    // A reader's own error says nothing about the model.
    throw: async (error) => {
      await leave()
      throw error
    },
    [Symbol.asyncIterator]: () => measured
  }
  return measured
}

/** As {@link measuredIterable}, for a web stream; to cancel it leaves it. */
export const measuredStream = <Part>(
  call: Call,
  parts: ReadableStream<Part>,
  reading: StreamReading<Part> = {}
): ReadableStream<Part> => {
  const observer = observerOf(call, reading)
  const reader = parts.getReader()
  return new ReadableStream<Part>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          observer.ended()
          controller.close()
        } else {
          observer.part(value)
          controller.enqueue(value)
        }
      } catch (cause) {
        observer.broken(cause)
        throw cause
      }
    },
    cancel: (reason) => {
      observer.left()
      return reader.cancel(reason)
    }
  }, { highWaterMark: 0 })
}
