/* Opens a model's stream up to its first content, so that after an outage the next model can run. */
import { attempt, textOf } from "../ForeignValues.ts"
import { faultOf } from "../Outage.ts"
import type { StreamPart } from "./Shapes.ts"

/** Parts that come before any content. A ping counts as content, because the provider is at work. */
const preliminary = /^(stream-start|response-metadata|raw|text-start|reasoning-start)$/

/** Providers' words for an outage in stream errors without a status. */
const outageWords =
  /overloaded|rate.?limit|too many requests|server.?error|internal error|api_error|unavailable|timed? ?out/i

/** An error in a stream's part. An error that only its words show to be an outage gets the status 503. */
export const partError = (error: unknown): unknown => {
  const { code, status, statusCode, type } = Object(error)
  const isWords = typeof (status ?? statusCode) !== "number" && faultOf(error) === null
  return isWords && outageWords.test(`${type} ${code} ${textOf(error)}`)
    ? Object.assign(new Error(textOf(error), { cause: error }), { status: 503 })
    : error
}

export interface Opening {
  /** The caller's signal, which some models ignore. */
  readonly signal: AbortSignal | undefined
  /** Called when the first content arrives. */
  readonly onContent: () => void
  /** Returns the parts that replace a part. */
  readonly map: (part: StreamPart) => ReadonlyArray<StreamPart>
  /** Called after the last part. */
  readonly onEnd: () => void
}

type Result = ReadableStreamReadResult<StreamPart>

/**
 * The parts up to the first content, or all parts of an empty or aborted stream. Fails with a stream's error,
 * and with an outage in an error part.
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
 * Waits for the first content of a stream, and returns the whole stream. Fails with an earlier error of the
 * stream, and with an outage in an error part at this place. Other errors stay in the stream.
 */
export const opened = async (
  stream: ReadableStream<StreamPart>,
  { map, onContent, onEnd, signal }: Opening
): Promise<ReadableStream<StreamPart>> => {
  const reader = stream.getReader()
  const leave = (reason: unknown): void =>
    void reader.cancel(reason).catch(() => {
      // Nobody reads this stream any more.
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
