/* The stream of a model, opened up to its first content: an outage before it can go to the next model. */
import { attempt, textOf } from "../ForeignValues.ts"
import { faultOf } from "../Outage.ts"
import type { StreamPart } from "./Shapes.ts"

/** Parts that come before any content. A ping is content: it shows that the provider is at work. */
const preliminary = /^(stream-start|response-metadata|raw|text-start|reasoning-start)$/

/** Providers' words for an outage, for stream errors that carry no status. */
const outageWords =
  /overloaded|rate.?limit|too many requests|server.?error|internal error|api_error|unavailable|timed? ?out/i

/** An error of a stream's part. If only its words say that the provider is out, it gets the status 503. */
export const partError = (error: unknown): unknown => {
  const { code, status, statusCode, type } = Object(error)
  const isWords = typeof (status ?? statusCode) !== "number" && faultOf(error) === null
  return isWords && outageWords.test(`${type} ${code} ${textOf(error)}`)
    ? Object.assign(new Error(textOf(error), { cause: error }), { status: 503 })
    : error
}

/** How an opened stream is read. */
export interface Opening {
  /** The caller's signal: not every model heeds it. */
  readonly signal: AbortSignal | undefined
  /** The first content arrived. */
  readonly onContent: () => void
  /** The parts that stand for a part. */
  readonly map: (part: StreamPart) => ReadonlyArray<StreamPart>
  /** The stream ended, all parts read. */
  readonly onEnd: () => void
}

type Result = ReadableStreamReadResult<StreamPart>

/**
 * The parts up to the first content, or to the end of a stream that has none or is aborted. Fails with the
 * error of a stream that breaks, and with the outage that an error part names.
 */
const headOf = async (
  reader: ReadableStreamDefaultReader<StreamPart>,
  onContent: () => void
): Promise<Array<Result>> => {
  const head: Array<Result> = []
  for (let isOpen = false; !isOpen;) {
    const next = await reader.read()
    head.push(next)
    isOpen = next.done || !preliminary.test(next.value.type)
    if (next.done || !isOpen) continue
    if (next.value.type !== "error") onContent()
    else {
      const error = partError(attempt(() => Object(next.value).error, null))
      if (faultOf(error)) throw error
    }
  }
  return head
}

/**
 * Waits for the first content of a stream, and yields the whole stream. Fails with the error of a stream that
 * breaks before, and with the outage that an error part in this place names; other errors stay in the stream.
 */
export const opened = async (
  stream: ReadableStream<StreamPart>,
  { map, onContent, onEnd, signal }: Opening
): Promise<ReadableStream<StreamPart>> => {
  const reader = stream.getReader()
  const leave = (reason: unknown): void =>
    void reader.cancel(reason).catch(() => {
      // Nothing more is read of this stream.
    })
  const onAbort = (): void => leave(signal?.reason)
  let head: Array<Result>
  try {
    if (signal?.aborted) onAbort()
    signal?.addEventListener("abort", onAbort)
    head = await headOf(reader, onContent)
  } catch (error) {
    leave(error)
    throw error
  } finally {
    signal?.removeEventListener("abort", onAbort)
  }
  return new ReadableStream<StreamPart>({
    pull: async (controller) => {
      const { done, value } = head.shift() ?? await reader.read()
      if (done) {
        onEnd()
        return controller.close()
      }
      for (const part of map(value)) controller.enqueue(part)
    },
    cancel: (reason) => reader.cancel(reason)
  }, { highWaterMark: 0 })
}
