/* Recognises errors of a provider that is out, and those of a caller who gave up. */
import { attempt } from "./Foreign.ts"

interface Read {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly response?: { readonly status?: unknown } | null
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

/**
 * Whether an error is an outage of the provider: a status of 408, 409, 429 or 500 and more, a timeout, or a
 * connection that broke. Errors that carry another status from 400 on, or nothing of these, are the caller's.
 */
export const isOutage = (error: unknown): boolean =>
  attempt(() => {
    const chain = chainOf(error)
    for (const { response, status, statusCode } of chain) {
      const code = Number(status ?? statusCode ?? response?.status)
      // An answer of 200 whose body breaks carries its status all the same.
      if (code >= 400) return code === 408 || code === 409 || code === 429 || code >= 500
    }
    return chain.some(isNetwork)
  }, false)

/** Whether the caller gave the call up: its signal says so, or the error does, unless a timeout wraps it. */
export const isAbort = (error: unknown, signal?: AbortSignal | null): boolean =>
  attempt(() => {
    const [before = "", ...abort] = `${chainOf(error).map(namesOf)}`.split("Abort", 2)
    return signal?.aborted || (abort.length > 0 && !before.includes("Timeout"))
  }, false)
