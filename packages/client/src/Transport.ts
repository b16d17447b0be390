/* Sends one request to the service, and ends work at a deadline. */
import { attempt, waitMsOf } from "./ForeignValues.ts"

/** Maximum pause by a `retry-after` header, in ms, except for a used-up budget. */
export const waitMaxMs = 60_000

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The error for a status other than 2xx. Redirects are not followed, so a redirect is a refusal too. */
export class Refused extends Error {
  declare readonly status: number
  /** Fields of the answer's body; empty if the body is not JSON. */
  declare readonly problem: { readonly type?: unknown; readonly detail?: unknown }
  /** The wait that the `retry-after` header asks for, in ms >= 0; 0 without a readable header. */
  declare readonly retryAfterMs: number

  constructor(status: number, retryAfter: string | null, body: string) {
    super(`HTTP ${status}: ${body.slice(0, 200)}`)
    this.status = status
    this.problem = attempt(() => Object(JSON.parse(body)), {})
    this.retryAfterMs = waitMsOf(retryAfter)
  }
}

const unref = (timer: unknown): void => {
  const { Deno } = globalThis as { readonly Deno?: { unrefTimer?(timer: unknown): void } }
  if (typeof timer === "number") Deno?.unrefTimer?.(timer)
  else (timer as { unref?(): void }).unref?.()
}

/** Waits without keeping the process alive. */
export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => unref(setTimeout(resolve, durationMs)))

/** Maximum wait of a timer, 24 days, in ms; a timer with a longer wait would fire at once. */
export const timerMaxMs: number = 2 ** 31 - 1

/**
 * Rejects after `limitMs` with a `TimeoutError`, or with the reason of an aborted `outer`, even if `work`
 * ignores its signal. The timer keeps the process alive only if `isAwaited` is true.
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

const answerBytesMax = 4_000_000

/**
 * Fails with a `SyntaxError` if the text is too long. The API key is replaced in a refusal's text, because
 * refusals may be logged and may repeat the key.
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

/** Posts a JSON text. `Post` fails with {@link Refused}, a `SyntaxError` or the error of `fetch`. */
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
