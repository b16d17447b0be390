/* Measures a provider's answer while its body passes to the SDK or to the caller. */
import type { Call } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { measuredStream } from "../Streams.ts"
import type { Usage } from "../Usage.ts"
import { answerText } from "../adapters/AnswerText.ts"

/** The provider's usage by its field names, plus `service_tier` and `web_searches` for OpenAI. */
export type ProviderUsage = Readonly<Record<string, unknown>>

export interface Measuring {
  /** Whether the body is a stream of server-sent events; otherwise it is one JSON text. */
  readonly isStream: boolean
  /** Whether the chunk with the usage is hidden, because only the adapter asked for it. */
  readonly hidesUsage: boolean
  readonly usageOf: (usage: ProviderUsage) => Usage
  /** Called with ids in the answer, among them the id of each tool call. */
  readonly onTool: (id: string) => void
  /** Called with the text of an answer that is no stream, was not filtered and has no tool call. */
  readonly onText?: ((text: string) => void) | undefined
  readonly signal: AbortSignal | null | undefined
}

/** Event types that end a stream. */
const lastType = "message_stop|response\\.(completed|incomplete|failed)"
const isLast = new RegExp(`^(${lastType})$`)
/** Matches the lines of a stream that are parsed: those with usage, an error, a tool call, or the end. */
const telling = new RegExp(`"(usage|error)":\\s*\\{|"tool_(calls|use)"|"type":\\s*"(error|${lastType})"`)
const outages = /overload|rate_limit|server_error|api_error|timeout|unavailable/

type Event = Readonly<Record<string, unknown>>

/** Makes an error from a provider's error object, with the status 503 if the object describes an outage. */
const failureOf = ({ code, message, type }: Readonly<Record<string, unknown>>): Error =>
  Object.assign(
    new Error(String(message ?? code)),
    outages.test(`${type} ${code}`) ? { status: 503 } : {}
  )

const callsOf = (event: Event, { content, output }: Event): ReadonlyArray<unknown> =>
  [event["choices"], content, output, event["content_block"]].flat().flatMap((one) => {
    const { delta, message } = Object(one)
    return Object(message ?? delta).tool_calls ?? [one]
  })

/** The price of an OpenAI answer depends on tier and web searches. */
const pricedBy = ({ output, service_tier }: Event): Event => {
  const searches = [output].flat().filter((item) => Object(item).type === "web_search_call")
  return {
    ...(service_tier ? { service_tier } : {}), ...(searches[0] ? { web_searches: searches.length } : {})
  }
}

interface Observer {
  readonly usage: () => Usage
  /** Reads an event, and returns whether the caller may see it. */
  readonly read: (json: string) => boolean
}

const observerOf = (call: Call, { hidesUsage, onTool, usageOf }: Measuring): Observer => {
  let seen: ProviderUsage = {}
  return {
    usage: () => usageOf(seen),
    read: (json) => {
      const event = attempt(() => Object(JSON.parse(json)), {})
      const inner = Object(event.response ?? event.message ?? event)
      // A later count replaces an earlier count unless the later count is null.
      const counts = Object.entries(Object(event.usage ?? inner.usage)).filter(([, count]) => count !== null)
      seen = { ...seen, ...pricedBy(inner), ...Object.fromEntries(counts) }
      for (const { call_id, id } of callsOf(event, inner).map(Object)) {
        if (typeof (call_id ?? id) === "string") onTool(call_id ?? id)
      }
      const error = event.type === "error" ? event.error ?? event : inner.error ?? event.error
      if (error) call.failed(failureOf(Object(error)), usageOf(seen))
      if (isLast.test(event.type)) call.succeeded(usageOf(seen))
      return !(hidesUsage && event.choices?.length === 0 && counts.length > 0)
    }
  }
}

const linesOf = (call: Call, hidesUsage: boolean, observer: Observer) => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let begun = ""

  const isKept = (line: string): boolean => {
    if (!line.startsWith("data:")) return true
    if (line.includes("delta")) call.firstToken()
    if (/^data:\s*\[DONE\]/.test(line)) call.succeeded(observer.usage())
    // A line that cannot be parsed is passed to the caller.
    return !telling.test(line) || attempt(() => observer.read(line.slice(5)), true)
  }
  /**
   * If only the adapter asked for usage, the field `usage: null` is removed from each chunk.
   * Removing `"usage": null` cannot change an answer's text, because JSON escapes the quotes in a text.
   */
  const kept = (lines: string): string => {
    const text = lines.split("\n").filter(isKept).join("\n")
    return hidesUsage ? text.replaceAll(/,\s*"usage":\s*null/g, "") : text
  }

  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const text = decoder.decode(chunk, { stream: true })
      const end = text.lastIndexOf("\n") + 1
      const lines = end > 0 ? kept(begun + text.slice(0, end)) : ""
      begun = end > 0 ? text.slice(end) : begun + text
      controller.enqueue(hidesUsage ? encoder.encode(lines) : chunk)
    },
    flush: (controller) => {
      const last = kept(begun)
      if (hidesUsage) controller.enqueue(encoder.encode(last))
    }
  })
}

const measuredLines = (
  call: Call,
  body: ReadableStream<Uint8Array>,
  observer: Observer,
  { hidesUsage, signal }: Measuring
): ReadableStream<Uint8Array> =>
  measuredStream(call, body.pipeThrough(linesOf(call, hidesUsage, observer)), {
    usage: observer.usage,
    // `linesOf` records the first token, because parts of the byte stream do not show where tokens begin.
    isToken: () => false,
    signal
  })

/** Returns the answer's text; null if there is none, or if the answer was filtered or has a tool call. */
const textOf = (answer: Event): string | null => {
  const { choices, incomplete_details, output, stop_reason } = Object(answer)
  const end = choices?.[0]?.finish_reason ?? stop_reason ?? incomplete_details?.reason
  if (/filter|refusal|tool|function|pause/.test(end)) return null
  if (output?.some(({ type }: Event) => /_call$/.test(`${type}`))) return null
  return answerText(output ? { content: output.flatMap(({ content }: Event) => content ?? []) } : answer)
}

const measuredBytes = async (
  call: Call,
  response: Response,
  observer: Observer,
  { onText }: Measuring
): Promise<ArrayBuffer> => {
  const bytes = await response.arrayBuffer()
  const json = new TextDecoder().decode(bytes)
  attempt(() => observer.read(json), true)
  call.succeeded(observer.usage())
  if (onText) {
    const text = attempt(() => textOf(JSON.parse(json)), null)
    if (text !== null) onText(text)
  }
  return bytes
}

const withBody = (response: Response, body: BodyInit | null): Response => {
  const { headers, redirected, status, statusText, type, url } = response
  const made = new Response(body, { headers, status, statusText })
  const clone = (): Response => withBody(response, Response.prototype.clone.call(made).body)
  // A newly made `Response` has no URL, so `url` and other fields are copied.
  return Object.defineProperties(
    made, Object.getOwnPropertyDescriptors({ clone, redirected, type, url })
  )
}

/**
 * Measures a call, and returns a response with the same content, except hidden usage. A stream is reported
 * when it ends, breaks, or is no longer read. An answer that is no stream is read to its end first, so that
 * the next model can run if reading fails. If the response has no web stream, the call is reported as a
 * success without usage.
 */
export const measuredResponse = async (
  call: Call,
  response: Response,
  measuring: Measuring
): Promise<Response> => {
  const { body } = response
  if (typeof body?.pipeThrough !== "function") {
    call.succeeded()
    return response
  }
  const observer = observerOf(call, measuring)
  return withBody(
    response,
    measuring.isStream
      ? measuredLines(call, body, observer, measuring)
      : await measuredBytes(call, response, observer, measuring)
  )
}
