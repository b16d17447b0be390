/* Tells provider faults, after which another model may run, from the caller's aborts and mistakes. */
import { attempt, waitMsOf } from "./ForeignValues.ts"
import type { FeedbackRequest } from "./Wire.ts"

interface Read {
  readonly name?: unknown
  readonly code?: unknown
  readonly param?: unknown
  readonly type?: unknown
  readonly message?: unknown
  readonly responseBody?: unknown
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly headers?: unknown
  readonly responseHeaders?: unknown
  readonly response?: { readonly status?: unknown; readonly headers?: unknown } | null
  readonly cause?: unknown
  readonly lastError?: unknown
}

/** Returns the error and up to four errors that it wraps, outermost first. */
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

/** Error codes of a broken connection in Node, in Node's `fetch` and in Bun. */
const networkCodes = [
  /^(ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH)$/,
  /^UND_ERR_(SOCKET|CLOSED|DESTROYED|PRX_TLS|\w+_TIMEOUT|\w+_MISMATCH)$/,
  /^(Connection(Refused|Reset|Closed)|FailedToOpenSocket)$/
]
/** First words of a connection error of `fetch` in Node, Chrome, Firefox, Safari and Deno. */
const networkWords =
  /^(fetch failed|terminated|failed to fetch|network ?error|load failed|error (sending request|reading a))/i

const isNetwork = (error: Read): boolean =>
  /Timeout|APIConnection/.test(namesOf(error)) || networkCodes.some((codes) => codes.test(String(error.code)))
  || (error instanceof TypeError && networkWords.test(error.message))

type Refusal = Pick<FeedbackRequest, "provider_status" | "retry_after_ms">

/** A provider's HTTP status and requested wait; without fields if the error has no status from 400 to 599. */
export const refusalOf = (error: unknown): Refusal =>
  attempt((): Refusal => {
    for (const { headers, response, responseHeaders, status, statusCode } of chainOf(error)) {
      const code = Number(status ?? statusCode ?? response?.status)
      // An error about an answer's broken body may have the status 200, which is no refusal.
      if (code >= 400 && code < 600) {
        const said = Object(headers ?? responseHeaders ?? response?.headers)
        const waitMs = waitMsOf(said.get?.("retry-after") ?? said["retry-after"])
        return { provider_status: code, retry_after_ms: Math.min(waitMs, 6e5) || undefined }
      }
    }
    return {}
  }, {})

/** Whether an error is an outage: status 408, 409, 429 or 5xx, a timeout, or a broken connection. */
export const isOutage = (error: unknown): boolean => {
  const { provider_status: status } = refusalOf(error)
  return status === undefined
    ? attempt(() => chainOf(error).some(isNetwork), false)
    : /^(408|409|429|5..)$/.test(`${status}`)
}

/** Why another model may run: an outage, a refused model, or a parameter that the model refuses. */
export type Fault = "outage" | "model" | "parameters"

/** Messages of providers that answer 400 or 422 for an unknown model. */
const noModel = new RegExp(
  "model_not_found|(invalid|unknown)_model|model_(decommissioned|deprecated)|model (name|identifier)"
    + "|model\\b.{0,80}(not (exist|found)|decommissioned|retired|no longer)",
  "i"
)
/** Messages of a 403, 404 or 410 that is not about the model but about the input or another object. */
const otherRefusal =
  /moderat|flagged|^(?!.*(model|deployment)).*\b(response with id|conversation|thread|file|container)/is
const parameter = new RegExp(
  "un(supported|known)_(parameter|value)|max_?(\\w+_?)?tokens|temperature|(top|min)_?[pk]\\b|penalty|logprobs"
    + "|logit_bias|\\bseed\\b|stop_?sequences|reasoning|thinking|budget_?tokens|verbosity|stream_options"
    + "|response_?(format|schema)|output_(format|config)|parallel_tool_calls|tool_choice|service_tier",
  "i"
)
/** Messages of a 400 about the prompt or its length, which may name parameters as well. */
const aboutMessages = /context|messages[.[]|input\[/i

/** Returns why another model may run after an error; null if the error is no fault of the provider. */
export const faultOf = (error: unknown): Fault | null => {
  if (isOutage(error)) return "outage"
  const status = `${refusalOf(error).provider_status}`
  const said = attempt(() => chainOf(error).map(({ code, message, param, responseBody, type }) =>
    `${code} ${param} ${type} ${message} ${responseBody}`.slice(0, 2_000)).join(" "), "")
  if (/403|404|410/.test(status)) return otherRefusal.test(said) ? null : "model"
  return !/400|422/.test(status) ? null
    : noModel.test(said) ? "model"
    : parameter.test(said) && !aboutMessages.test(said) ? "parameters"
    : null
}

/** True if `signal` is aborted, or if `error` holds an abort error that no timeout error wraps. */
export const isAbort = (error: unknown, signal?: AbortSignal | null): boolean =>
  attempt(() => {
    const [before = "", ...abort] = `${chainOf(error).map(namesOf)}`.split("Abort", 2)
    return signal?.aborted || (abort.length > 0 && !before.includes("Timeout"))
  }, false)
