/* Wraps the stream of an answer, whose call is reported once, when it ends, fails or is cancelled. */
import type { Call } from "./Choice.ts"
import { attempt, idOf } from "./ForeignValues.ts"
import { isAbort } from "./Outage.ts"
import { known, type Usage } from "./Usage.ts"

/** Functions that read the parts of a stream; errors of these functions are ignored. */
export interface StreamReading<Part> {
  /** Reads the usage in a part of the stream. Each known field of a later usage replaces the earlier one. */
  readonly usage?: (part: Part) => Usage | null | undefined
  /** Whether a part of the stream has a token; by default every part has. */
  readonly isToken?: (part: Part) => boolean
  /** Returns the error in a part of the stream, for streams that end normally after a failure. */
  readonly failure?: (part: Part) => unknown
  /** The caller's signal. A stream that ends after an abort is reported as abandoned. */
  readonly signal?: AbortSignal | null | undefined
}

const merged = (usage: Usage, later: Usage | null | undefined): Usage => ({
  ...usage,
  ...Object.fromEntries(Object.entries(later ?? {}).filter(([, value]) => known(value) || idOf(value)))
})

const observerOf = <Part>(call: Call, { failure, isToken, signal, usage }: StreamReading<Part>) => {
  let seen: Usage = {}
  let error: unknown
  const took = (): Usage => merged({ latencyMs: performance.now() - call.beganMs }, seen)
  const broken = (cause: unknown): void =>
    void (isAbort(cause, signal) ? call.abandoned(took()) : call.failed(cause, took()))
  return {
    part: (part: Part): void => {
      // If reading a part throws, the caller still gets the part.
      if (isToken === undefined || attempt(() => isToken(part), false)) call.firstToken()
      seen = attempt(() => merged(seen, usage?.(part)), seen)
      error ??= attempt(() => failure?.(part), undefined)
    },
    // Some libraries end an aborted stream normally, so the signal is checked too.
    ended: (): void => error === undefined && !signal?.aborted ? call.succeeded(took()) : broken(error),
    broken,
    left: (): void => call.abandoned(took())
  }
}

export type MeasuredParts<Part> =
  & AsyncIterableIterator<Part, void, undefined>
  & Required<AsyncIterator<Part, void, undefined>>

/** Reports the call when the stream ends or fails, or when its reader closes the stream early. */
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
    // An error of the stream's reader shows nothing about the model, so the call is reported as abandoned.
    throw: async (error) => {
      await leave()
      throw error
    },
    [Symbol.asyncIterator]: () => measured
  }
  return measured
}

/** Like {@link measuredIterable}, for a web stream. A cancelled stream is an abandoned call. */
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
