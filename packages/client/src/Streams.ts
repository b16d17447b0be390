/* Wraps the stream of an answer: its call is reported once, at its end, its failure, or when it is left. */
import type { Call } from "./Choice.ts"
import { isAbort } from "./Outage.ts"
import { known, type Usage } from "./Usage.ts"

/** How the parts of a stream are read; a function that throws is ignored. */
export interface StreamReading<Part> {
  /** What a part says of the usage; later parts win, field by field. */
  readonly usage?: (part: Part) => Usage | null | undefined
  /** Whether a part holds the first token; by default the first part does. */
  readonly isToken?: (part: Part) => boolean
  /** The error that a part carries, for streams that end well after a failure. */
  readonly failure?: (part: Part) => unknown
  /** The caller's signal: a stream that breaks after it was aborted is abandoned, not failed. */
  readonly signal?: AbortSignal | null | undefined
}

/** A usage, and what a later one says beyond it: a field that says nothing takes nothing away. */
const merged = (usage: Usage, later: Usage | null | undefined): Usage => ({
  ...usage,
  ...Object.fromEntries(Object.entries(later ?? {}).filter(([, value]) => known(value)))
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
      try {
        if (isToken === undefined || isToken(part)) call.firstToken()
        seen = merged(seen, usage?.(part))
        error ??= failure?.(part)
      } catch {
        // The reading of a part failed: the caller gets the part all the same.
      }
    },
    // Some libraries end a stream that was aborted as if it were whole.
    ended: (): void => error === undefined && !signal?.aborted ? call.succeeded(took()) : broken(error),
    broken,
    left: (): void => call.abandoned(took())
  }
}

async function* observed<Part>(
  observer: ReturnType<typeof observerOf<Part>>,
  parts: AsyncIterable<Part>,
  onBegin: () => void
): AsyncGenerator<Part, void, undefined> {
  onBegin()
  try {
    for await (const part of parts) {
      observer.part(part)
      yield part
    }
    observer.ended()
  } catch (cause) {
    observer.broken(cause)
    throw cause
  } finally {
    // Reports only what was not reported above: the reader left.
    observer.left()
  }
}

/** The same parts; the call is reported when they end, fail, or are left before their end. */
export const measuredIterable = <Part>(
  call: Call,
  parts: AsyncIterable<Part>,
  reading: StreamReading<Part> = {}
): AsyncGenerator<Part, void, undefined> => {
  const observer = observerOf(call, reading)
  let isBegun = false
  const generator = observed(observer, parts, () => {
    isBegun = true
  })
  const end = generator.return.bind(generator)
  return Object.assign(generator, {
    // Before its first part a generator ends without its `finally`.
    return: async (value: void) => {
      observer.left()
      if (!isBegun) await parts[Symbol.asyncIterator]().return?.()
      isBegun = true
      return end(value)
    }
  })
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
