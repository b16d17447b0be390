/* One request to the service, its refusals, and the deadline of any work. */
import { attempt, waitMsOf } from "./ForeignValues.ts"

/** Longest wait after a `retry-after`, in ms. */
export const waitMaxMs = 60_000

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** An answer with a status other than 2xx. Redirects are not followed, so they are refusals too. */
export class Refused extends Error {
  declare readonly status: number
  /** The body's fields, if the body is JSON. */
  declare readonly problem: { readonly type?: unknown; readonly detail?: unknown }
  /** The wait of the `retry-after` header, in ms >= 0; 0 without the header. */
  declare readonly retryAfterMs: number

  constructor(status: number, retryAfter: string | null, body: string) {
    super(`HTTP ${status}: ${body.slice(0, 200)}`)
    this.status = status
    this.problem = attempt(() => Object(JSON.parse(body)), {})
    this.retryAfterMs = waitMsOf(retryAfter)
  }
}

/** Lets the process end before the timer does, if the runtime supports it. */
const unref = (timer: unknown): void => {
  const { Deno } = globalThis as { readonly Deno?: { unrefTimer?(timer: unknown): void } }
  if (typeof timer === "number") Deno?.unrefTimer?.(timer)
  else (timer as { unref?(): void }).unref?.()
}

/** Waits without keeping the process alive. */
export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => unref(setTimeout(resolve, durationMs)))

/** Longest wait of a timer, 24 days, in ms. A longer one would end at once. */
export const timerMaxMs: number = 2 ** 31 - 1

/**
 * Ends `work` after `limitMs` with a `TimeoutError`, or on an outer abort with the signal's reason. `work`
 * need not obey the signal that it is given. The timer keeps the process alive only if `isAwaited`.
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

/** Longest answer that is read, in bytes. A full recommendation of 64 models takes a tenth of this. */
const answerBytesMax = 4_000_000

/**
 * The text of an answer. Fails with a `SyntaxError` and stops reading if the text is too long. The key is cut
 * out of a refusal, because refusals are logged and may repeat the key.
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

/**
 * Posts a JSON text and returns the answer. Fails with {@link Refused}, a `SyntaxError` or the error of
 * `fetch`.
 */
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
