/* The commands' access to the service: address and key, and requests with a deadline. */
import { isFields, parsed } from "../agents/Json.ts"
import { addressOf } from "../agents/Settings.ts"
import { textOf } from "../ForeignValues.ts"
import { textOfAnswer, within } from "../Transport.ts"

/** An error that ends the command with one line and an exit code. */
export class Stop extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Connection {
  readonly baseUrl: string
  readonly apiKey: string
}

export type Answer = Readonly<Record<string, unknown>>

/** The service gave no usable answer. The error's one-line message does not hold the API key. */
export class ServiceFailure extends Error {
  /** The answer's status; null if there was no answer, or if a 2xx answer is not Sextant's. */
  readonly status: number | null
  /** The type of the service's problem, such as `budget_exhausted`; null if the answer has no type. */
  readonly type: string | null

  constructor(status: number | null, message: string, type: string | null = null) {
    super(message)
    this.status = status
    this.type = type
  }
}

export const defaultUrl = "http://127.0.0.1:8080"

/** Returns the connection, or one line about a problem that shows neither address nor key. */
export const connectionOf = (
  environment: Environment,
  url: string | undefined = environment["SEXTANT_URL"]
): Connection | string => {
  const apiKey = (environment["SEXTANT_KEY"] || environment["SEXTANT_API_KEY"] || "").trim()
  // `addressOf` refuses a URL with a password, because an error of `fetch` would show the password.
  const baseUrl = addressOf(url?.trim() || defaultUrl)
  if (baseUrl === null) return "SEXTANT_URL is not an http URL without a user and a password"
  if (apiKey === "") return "SEXTANT_KEY is not set: a key of the service, which begins with sxt_"
  if (!/^[\x21-\x7e]+$/.test(apiKey)) return "SEXTANT_KEY holds characters that no key has"
  return { baseUrl, apiKey }
}

/** Cuts a text to one line of at most 500 characters without terminal control codes. */
export const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim().slice(0, 500)

const causeOf = (error: unknown): string => {
  const { cause, name } = Object(error)
  return name === "TimeoutError" ? "timeout" : String(cause?.code ?? textOf(error))
}

const refusalOf = (status: number | null, text: string): ServiceFailure => {
  const problem = parsed(text)
  // A text that is no JSON may come from a proxy, and its beginning may name the proxy.
  const { detail, title, type } = isFields(problem) ? problem : { title: text.slice(0, 120) }
  const said = String(detail ?? title ?? text)
  return new ServiceFailure(status, `${status}: ${oneLine(said)}`, typeof type === "string" ? type : null)
}

export const notSextant = ({ baseUrl }: Connection): ServiceFailure =>
  new ServiceFailure(null, `${baseUrl} answers, but not as Sextant does`)

export interface RequestOptions {
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** The request's time limit in ms > 0; 5,000 by default. */
  readonly deadlineMs?: number
}

/** Sends a request once. Fails with {@link ServiceFailure} or, after an abort, with the signal's reason. */
export const request = async (
  connection: Connection,
  method: "GET" | "POST" | "PUT",
  path: string,
  { body, deadlineMs = 5_000, signal }: RequestOptions = {}
): Promise<Answer> => {
  const { apiKey, baseUrl } = connection
  let status: number | null = null
  let text = ""
  try {
    await within(deadlineMs, signal, true, async (inner) => {
      const response = await fetch(baseUrl + path, {
        method,
        signal: inner,
        // Redirects are not followed, so that no other address gets the key or the task.
        redirect: "manual",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      text = await textOfAnswer(response, apiKey)
      status = response.status
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw new ServiceFailure(null, `no answer from ${baseUrl} (${oneLine(causeOf(error))})`)
  }
  if (status === null || status < 200 || status > 299) throw refusalOf(status, text)
  const answer = parsed(text)
  if (!isFields(answer)) throw notSextant(connection)
  return answer
}
