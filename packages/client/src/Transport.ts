/* One request to the service, its refusals, and the deadline of any work. */
import { attempt, waitMsOf } from "./ForeignValues.ts"

/** The longest that a `retry-after` keeps the client waiting, in ms. */
export const waitMaxMs = 60_000

/** `fetch`, or its replacement. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The service answered with a status other than 2xx, a redirect included: those are not followed. */
export class Refused extends Error {
  declare readonly status: number
  /** The body, if it is a problem of the API. */
  declare readonly problem: { readonly type?: unknown; readonly detail?: unknown }
  /** The wait of `retry-after` (seconds or a date), in ms >= 0; 0 without the header. */
  declare readonly retryAfterMs: number

  constructor(status: number, retryAfter: string | null, body: string) {
    super(`HTTP ${status}: ${body.slice(0, 200)}`)
    this.status = status
    this.problem = attempt(() => Object(JSON.parse(body)), {})
    this.retryAfterMs = waitMsOf(retryAfter)
  }
}

/** Lets the process end although the timer is set, where a runtime can do so. */
const unref = (timer: unknown): void => {
  const { Deno } = globalThis as { readonly Deno?: { unrefTimer?(timer: unknown): void } }
  if (typeof timer === "number") Deno?.unrefTimer?.(timer)
  else (timer as { unref?(): void }).unref?.()
}

/** Waits without keeping the process alive. */
export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => unref(setTimeout(resolve, durationMs)))

/** Longest wait of a timer, 24 days, in ms; a longer one would end at once. */
export const timerMaxMs: number = 2 ** 31 - 1

/**
 * Ends `work` after `limitMs` with a `TimeoutError`, or with the outer signal's reason, whether or not it
 * obeys the signal that it is given. The timer keeps the process alive only if `isAwaited`.
 */
export const within = async <A>(
  limitMs: number,
  outer: AbortSignal | null | undefined,
  isAwaited: boolean,
  work: (signal: AbortSignal) => Promise<A>
): Promise<A> => {
  outer?.throwIfAborted()
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      reject(reason)
      controller.abort(reason)
    }
    const onTimeout = (): void => end(new DOMException(`No answer in ${limitMs} ms`, "TimeoutError"))
    timer = setTimeout(onTimeout, Math.min(limitMs, timerMaxMs))
    if (!isAwaited) unref(timer)
    onAbort = () => end(outer?.reason)
    outer?.addEventListener("abort", onAbort)
  })
  try {
    return await Promise.race([ended, work(controller.signal)])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", onAbort)
  }
}

/** Longest answer that is read, in bytes: a recommendation of 64 models in full has a tenth of it. */
const answerBytesMax = 4_000_000

/**
 * The text of an answer; fails with a `SyntaxError`, and reads no further, where it is too long. A refusal is
 * without the key, which it may repeat: its words go into logs.
 */
export const textOfAnswer = async ({ body, ok }: Response, apiKey: string): Promise<string> => {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new SyntaxError("No answer: too long")
    text += decoder.decode(chunk, { stream: true })
  }
  text += decoder.decode()
  return ok ? text : text.replaceAll(apiKey, "[key]")
}

/** Posts a JSON text, and yields the answer; fails with {@link Refused}, `SyntaxError` or as `fetch` does. */
export type Post = (path: string, json: string, signal: AbortSignal) => Promise<unknown>

export const postTo = (baseUrl: string, apiKey: string, fetch: Fetch): Post => async (path, body, signal) => {
  const response = await fetch(baseUrl + path, {
    method: "POST",
    body,
    signal,
    redirect: "manual",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  })
  const text = await textOfAnswer(response, apiKey)
  if (!response.ok) throw new Refused(response.status, response.headers.get("retry-after"), text)
  return JSON.parse(text)
}
