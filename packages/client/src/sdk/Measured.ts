/* Measures the answer of a provider while its body passes to the SDK, or to a caller who reads it raw. */
import type { Call } from "../Choice.ts"
import { attempt } from "../Foreign.ts"
import { measuredStream } from "../Streams.ts"
import type { Usage } from "../Usage.ts"

/** Counts of tokens as a provider names them. */
export type ProviderUsage = Readonly<Record<string, unknown>>

export interface Measuring {
  /** Whether the body is a stream of server-sent events; else it is one JSON text. */
  readonly isStream: boolean
  /** Whether the chunk that holds nothing but the usage is kept from the caller, who did not ask for it. */
  readonly hidesUsage: boolean
  readonly usageOf: (usage: ProviderUsage) => Usage
  /** Takes the id of each call of a tool that the answer makes. */
  readonly onTool: (id: string) => void
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

/** What can be the call of a tool, in an event or a whole answer. */
const callsOf = (event: Event, { content, output }: Event): ReadonlyArray<unknown> =>
  [event["choices"], content, output, event["content_block"]].flat().flatMap((one) => {
    const { delta, message } = Object(one)
    return Object(message ?? delta).tool_calls ?? [one]
  })

/** Reads events, or the whole answer, and ends the call at the last; yields whether the caller gets it. */
const observerOf = (call: Call, { hidesUsage, onTool, usageOf }: Measuring) => {
  let seen: ProviderUsage = {}
  return {
    usage: (): Usage => usageOf(seen),
    read: (json: string, isWhole: boolean): boolean => {
      const event = attempt(() => Object(JSON.parse(json)), {})
      const inner = Object(event.response ?? event.message ?? event)
      // Later counts win, but for those that are null.
      const counts = Object.entries(Object(event.usage ?? inner.usage)).filter(([, count]) => count !== null)
      seen = { ...seen, ...Object.fromEntries(counts) }
      for (const { call_id, id } of callsOf(event, inner).map(Object)) {
        if (typeof (call_id ?? id) === "string") onTool(call_id ?? id)
      }
      const error = event.type === "error" ? event.error ?? event : inner.error ?? event.error
      if (error) call.failed(failureOf(Object(error)), usageOf(seen))
      if (isWhole || isLast.test(event.type)) call.succeeded(usageOf(seen))
      return !(hidesUsage && event.choices?.length === 0 && counts.length > 0)
    }
  }
}

const transformOf = (call: Call, measuring: Measuring, observer: ReturnType<typeof observerOf>) => {
  const { hidesUsage, isStream } = measuring
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let text = ""

  const isKept = (line: string): boolean => {
    if (!line.startsWith("data:")) return true
    if (line.includes("delta")) call.firstToken()
    if (/^data:\s*\[DONE\]/.test(line)) call.succeeded(observer.usage())
    // A line that cannot be understood passes as it is.
    return !telling.test(line) || attempt(() => observer.read(line.slice(5), false), true)
  }
  /** The text of those lines that the caller gets. */
  const kept = (lines: string): string => lines.split("\n").filter(isKept).join("\n")

  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      text += decoder.decode(chunk, { stream: true })
      if (!isStream) return controller.enqueue(chunk)
      const end = text.lastIndexOf("\n") + 1
      const lines = kept(text.slice(0, end))
      text = text.slice(end)
      controller.enqueue(hidesUsage ? encoder.encode(lines) : chunk)
    },
    flush: (controller) => {
      if (!isStream) attempt(() => observer.read(text, true), true)
      else if (hidesUsage) controller.enqueue(encoder.encode(kept(text)))
      else kept(text)
    }
  })
}

/**
 * The response with the same content; its call is reported when the answer is complete, breaks, or is left.
 * The call of a body that is no web stream counts as well done, without usage.
 */
export const measuredResponse = (call: Call, response: Response, measuring: Measuring): Response => {
  const { body, headers, status, statusText, url } = response
  if (typeof body?.pipeThrough !== "function") {
    call.succeeded()
    return response
  }
  const observer = observerOf(call, measuring)
  const stream = measuredStream(call, body.pipeThrough(transformOf(call, measuring, observer)), {
    usage: observer.usage,
    // The lines say when the first token arrives.
    isToken: () => false,
    signal: measuring.signal
  })
  // A new response has no address of its own.
  return Object.defineProperty(new Response(stream, { headers, status, statusText }), "url", { value: url })
}
