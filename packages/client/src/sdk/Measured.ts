/* Measures the answer of a provider while its body passes to the SDK, or to a caller who reads it raw. */
import type { Call } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { measuredStream } from "../Streams.ts"
import type { Usage } from "../Usage.ts"
import { answerText } from "../adapters/AnswerText.ts"

/** Counts of tokens as a provider names them, with the answer's service tier and its `web_searches`. */
export type ProviderUsage = Readonly<Record<string, unknown>>

export interface Measuring {
  /** Whether the body is a stream of server-sent events; else it is one JSON text. */
  readonly isStream: boolean
  /** Whether the chunk that holds nothing but the usage is kept from the caller, who did not ask for it. */
  readonly hidesUsage: boolean
  readonly usageOf: (usage: ProviderUsage) => Usage
  /** Takes the id of each call of a tool that the answer makes. */
  readonly onTool: (id: string) => void
  /** Takes the text of a whole answer; not one of a stream, or that was cut off by a filter. */
  readonly onText?: ((text: string) => void) | undefined
  readonly signal: AbortSignal | null | undefined
}

/** Types of the event that ends a stream. */
const lastType = "message_stop|response\\.(completed|incomplete|failed)"
const isLast = new RegExp(`^(${lastType})$`)
/** Lines that are worth to be parsed: they hold usage, an error or a call of a tool, or end the answer. */
const telling = new RegExp(`"(usage|error)":\\s*\\{|"tool_(calls|use)"|"type":\\s*"(error|${lastType})"`)
const outages = /overload|rate_limit|server_error|api_error|timeout|unavailable/

type Event = Readonly<Record<string, unknown>>

/** The error that a well-formed answer carries; with a status if the provider is out. */
const failureOf = ({ code, message, type }: Readonly<Record<string, unknown>>): Error =>
  Object.assign(
    new Error(String(message ?? code)),
    outages.test(`${type} ${code}`) ? { status: 503 } : {}
  )

/** The possible tool calls in an event or a whole answer. */
const callsOf = (event: Event, { content, output }: Event): ReadonlyArray<unknown> =>
  [event["choices"], content, output, event["content_block"]].flat().flatMap((one) => {
    const { delta, message } = Object(one)
    return Object(message ?? delta).tool_calls ?? [one]
  })

/** The facts in an OpenAI answer, besides usage, on which its price depends. */
const pricedBy = ({ output, service_tier }: Event): Event => {
  const searches = [output].flat().filter((item) => Object(item).type === "web_search_call")
  return {
    ...(service_tier ? { service_tier } : {}), ...(searches[0] ? { web_searches: searches.length } : {})
  }
}

/** Reads an answer and its usage. */
interface Observer {
  readonly usage: () => Usage
  /** Reads an event, or a whole answer; the last event ends the call. Yields whether the caller gets it. */
  readonly read: (json: string) => boolean
}

const observerOf = (call: Call, { hidesUsage, onTool, usageOf }: Measuring): Observer => {
  let seen: ProviderUsage = {}
  return {
    usage: () => usageOf(seen),
    read: (json) => {
      const event = attempt(() => Object(JSON.parse(json)), {})
      const inner = Object(event.response ?? event.message ?? event)
      // Later counts replace earlier ones, except null.
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

/** The lines of a stream of events on their way to the caller; each is read once it is whole. */
const linesOf = (call: Call, hidesUsage: boolean, observer: Observer) => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let begun = ""

  const isKept = (line: string): boolean => {
    if (!line.startsWith("data:")) return true
    if (line.includes("delta")) call.firstToken()
    if (/^data:\s*\[DONE\]/.test(line)) call.succeeded(observer.usage())
    // A line that cannot be understood passes as it is.
    return !telling.test(line) || attempt(() => observer.read(line.slice(5)), true)
  }
  /**
   * The text of those lines that the caller gets. Where usage is asked for, each chunk says that it has none
   * yet; within a text of JSON its quotes would be escaped.
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

/** A stream that is measured while it passes. */
const measuredLines = (
  call: Call,
  body: ReadableStream<Uint8Array>,
  observer: Observer,
  { hidesUsage, signal }: Measuring
): ReadableStream<Uint8Array> =>
  measuredStream(call, body.pipeThrough(linesOf(call, hidesUsage, observer)), {
    usage: observer.usage,
    // The lines say when the first token arrives.
    isToken: () => false,
    signal
  })

/** The text of a whole answer as it is sent; null without one, or where a filter or a tool ended it. */
const textOf = (answer: Event): string | null => {
  const { choices, incomplete_details, output, stop_reason } = Object(answer)
  const end = choices?.[0]?.finish_reason ?? stop_reason ?? incomplete_details?.reason
  if (/filter|refusal|tool|function|pause/.test(end)) return null
  if (output?.some(({ type }: Event) => /_call$/.test(`${type}`))) return null
  return answerText(output ? { content: output.flatMap(({ content }: Event) => content ?? []) } : answer)
}

/** A whole answer, read to its end. */
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

/** A response with another body, which is otherwise the same to its reader. */
const withBody = (response: Response, body: BodyInit | null): Response => {
  const { headers, redirected, status, statusText, type, url } = response
  const made = new Response(body, { headers, status, statusText })
  const clone = (): Response => withBody(response, Response.prototype.clone.call(made).body)
  // A new response has no address of its own.
  return Object.defineProperties(
    made, Object.getOwnPropertyDescriptors({ clone, redirected, type, url })
  )
}

/**
 * The response with the same content. The call of a stream is reported when that ends, breaks, or is left; a
 * whole answer is read first, so that the next model can run if it breaks, and fails as its body does. The
 * call of a body that is no web stream counts as well done, without usage.
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
