/* Recognises errors of a provider that is out, and those of a caller who gave up. */
import { attempt, waitMsOf } from "./ForeignValues.ts"
import type { FeedbackRequest } from "./Wire.ts"

interface Read {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly headers?: unknown
  readonly responseHeaders?: unknown
  readonly response?: { readonly status?: unknown; readonly headers?: unknown } | null
  readonly cause?: unknown
  readonly lastError?: unknown
}

/** The error and what it wraps, outermost first, at most five. */
const chainOf = (error: unknown): ReadonlyArray<Read> => {
  const chain: Array<Read> = []
  for (let next = error; typeof next === "object" && next !== null && chain.length < 5;) {
    const read: Read = next
    chain.push(read)
    next = read.cause ?? read.lastError
  }
  return chain
}

const namesOf = (error: Read): string => `${error.name} ${error.constructor?.name}`

/** Codes of a broken connection: of Node, of its `fetch`, of Bun. */
const networkCodes = [
  /^(ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH)$/,
  /^UND_ERR_(SOCKET|CLOSED|DESTROYED|PRX_TLS|\w+_TIMEOUT|\w+_MISMATCH)$/,
  /^(Connection(Refused|Reset|Closed)|FailedToOpenSocket)$/
]
/** How the `fetch` of Node, Chrome, Firefox, Safari and Deno begins to say so. */
const networkWords =
  /^(fetch failed|terminated|failed to fetch|network ?error|load failed|error (sending request|reading a))/i

const isNetwork = (error: Read): boolean =>
  /Timeout|APIConnection/.test(namesOf(error)) || networkCodes.some((codes) => codes.test(String(error.code)))
  || (error instanceof TypeError && networkWords.test(error.message))

/** What a provider said that refused a call: a status in [400, 600), and how long to wait. */
type Refusal = Pick<FeedbackRequest, "provider_status" | "retry_after_ms">

/** The refusal that an error tells of; without fields for an error without a status. */
export const refusalOf = (error: unknown): Refusal =>
  attempt((): Refusal => {
    for (const { headers, response, responseHeaders, status, statusCode } of chainOf(error)) {
      const code = Number(status ?? statusCode ?? response?.status)
      // An answer of 200 whose body breaks carries its status all the same.
      if (code >= 400 && code < 600) {
        const said = Object(headers ?? responseHeaders ?? response?.headers)
        const waitMs = waitMsOf(said.get?.("retry-after") ?? said["retry-after"])
        return { provider_status: code, retry_after_ms: Math.min(waitMs, 6e5) || undefined }
      }
    }
    return {}
  }, {})

/**
 * Whether an error is an outage of the provider: a status of 408, 409, 429 or 500 and more, a timeout, or a
 * connection that broke. Errors that carry another status from 400 on, or nothing of these, are the caller's.
 */
export const isOutage = (error: unknown): boolean => {
  const { provider_status: status } = refusalOf(error)
  return status === undefined
    ? attempt(() => chainOf(error).some(isNetwork), false)
    : /^(408|409|429|5..)$/.test(`${status}`)
}

/** Whether the caller gave the call up: its signal says so, or the error does, unless a timeout wraps it. */
export const isAbort = (error: unknown, signal?: AbortSignal | null): boolean =>
  attempt(() => {
    const [before = "", ...abort] = `${chainOf(error).map(namesOf)}`.split("Abort", 2)
    return signal?.aborted || (abort.length > 0 && !before.includes("Timeout"))
  }, false)
