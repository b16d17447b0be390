/* Reads a model's stream up to its first content, so that the next model can run if an outage comes first. */
import { attempt, textOf } from "../ForeignValues.ts"
import { faultOf } from "../Outage.ts"
import type { StreamPart } from "./Shapes.ts"

/** Types of the parts that may come before a stream's first content. */
const preliminary = /^(stream-start|response-metadata|raw|text-start|reasoning-start)$/

/** Words by which providers describe an outage in a stream's error that has no status. */
const outageWords =
  /overloaded|rate.?limit|too many requests|server.?error|internal error|api_error|unavailable|timed? ?out/i

/** If only the words of an error show an outage, the returned error has the status 503. */
export const partError = (error: unknown): unknown => {
  const { code, status, statusCode, type } = Object(error)
  const isWords = typeof (status ?? statusCode) !== "number" && faultOf(error) === null
  return isWords && outageWords.test(`${type} ${code} ${textOf(error)}`)
    ? Object.assign(new Error(textOf(error), { cause: error }), { status: 503 })
    : error
}

export interface Opening {
  /** The caller's abort signal, which some models ignore. */
  readonly signal: AbortSignal | undefined
  readonly onContent: () => void
  /** Returns the parts that the caller gets in place of a part of the provider's stream. */
  readonly map: (part: StreamPart) => ReadonlyArray<StreamPart>
  readonly onEnd: () => void
}

type Result = ReadableStreamReadResult<StreamPart>

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
 * Waits for the first content, and returns the whole stream. Fails if reading fails before the first content,
 * or if the first content is an error part with a provider's fault. An error part stays in the stream if it
 * follows the first content or shows no provider's fault.
 */
export const opened = async (
  stream: ReadableStream<StreamPart>,
  { map, onContent, onEnd, signal }: Opening
): Promise<ReadableStream<StreamPart>> => {
  const reader = stream.getReader()
  const leave = (reason: unknown): void =>
    void reader.cancel(reason).catch(() => {
      // Nobody reads this stream any more, so a failed cancellation does not matter.
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
