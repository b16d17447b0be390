// What the tests use of OpenTelemetry's SDK, in a shape that versions 1.30 to 3.1 share, and a chat as instrumentations
// trace it: a span by the GenAI conventions around a request to the fake provider.
import { createSextant, type Choice, type Sextant } from "../../../../packages/client/src/index.ts"
import { type ProcessorOptions, sextantProcessor, type SextantProcessor, withChoice } from "../../../../packages/client/src/otel/index.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import type { Peers } from "../support/Peers.ts"
import { models, type RealService } from "../support/RealService.ts"

export interface Context {
  readonly getValue: (key: symbol) => unknown
  readonly setValue: (key: symbol, value: unknown) => Context
}

export interface Span {
  readonly setAttribute: (key: string, value: unknown) => Span
  readonly setAttributes: (attributes: object) => Span
  readonly setStatus: (status: { readonly code: number; readonly message?: string }) => Span
  readonly addEvent: (name: string, attributes?: object) => Span
  readonly recordException: (error: unknown) => void
  readonly end: (time?: number) => void
}

interface Api {
  readonly ROOT_CONTEXT: Context
  readonly trace: { readonly setSpan: (context: Context, span: Span) => Context }
}

interface TracerProvider {
  readonly getTracer: (name: string) => { readonly startSpan: (name: string, options: object, context: Context) => Span }
  readonly forceFlush: () => Promise<void>
  readonly shutdown: () => Promise<void>
}

interface LoggerProvider {
  readonly getLogger: (name: string) => { readonly emit: (record: object) => void }
  readonly addLogRecordProcessor?: (processor: object) => void
}

/** Loads a version of the SDK; 1.x and 2.x have it in `sdk-trace-base`, 3.x in `sdk-trace`. */
export const loadTelemetry = async ({ load, version }: Peers) => {
  const [api, sdk, logs] = await Promise.all([
    load<Api>("@opentelemetry/api"),
    load<Record<string, unknown>>(version.startsWith("3") ? "@opentelemetry/sdk-trace" : "@opentelemetry/sdk-trace-base"),
    load<Record<string, unknown>>("@opentelemetry/sdk-logs")
  ])
  const make = <A>(module: Record<string, unknown>, names: ReadonlyArray<string>, options: object): A => {
    for (const name of names) {
      const found = module[name]
      if (typeof found !== "function") continue
      return Reflect.construct(found, [options]) as A
    }
    throw new Error(`none of ${names} in ${Object.keys(module)}`)
  }
  return {
    api,
    tracing: (processor: SextantProcessor) =>
      make<TracerProvider>(sdk, ["TracerProvider", "BasicTracerProvider"], { spanProcessors: [processor] }),
    logging: (processor: SextantProcessor) => {
      const provider = make<LoggerProvider>(logs, ["LoggerProvider"], { processors: [processor] })
      // Before 0.203 processors were added afterwards.
      if (version.startsWith("1")) provider.addLogRecordProcessor?.(processor)
      return provider
    }
  }
}

export type Telemetry = Awaited<ReturnType<typeof loadTelemetry>>

export interface ChatOptions {
  readonly model?: string
  readonly isStream?: boolean
  readonly signal?: AbortSignal
  /** Called before the span ends. */
  readonly before?: (span: Span) => void
  readonly attributes?: object
}

/** An app: a client, a processor on its queue, providers of the SDK, and a chat that is instrumented. */
export const appOf = (telemetry: Telemetry, service: RealService, provider: FakeProvider, over: Partial<ProcessorOptions> = {}) => {
  const sextant: Sextant<typeof models[number]> = createSextant({
    baseUrl: service.baseUrl, apiKey: service.apiKey, models, defaultModelId: "dear", deadlineMs: 10_000
  })
  const skipped: Array<string> = []
  const processor = sextantProcessor({ sextant, onSkipped: (reason, detail) => void skipped.push(`${reason} ${detail}`), ...over })
  const tracerProvider = telemetry.tracing(processor)
  const tracer = tracerProvider.getTracer("test")
  const logger = telemetry.logging(processor).getLogger("test")
  const { ROOT_CONTEXT, trace } = telemetry.api

  /** Runs a chat below a context, as an instrumented SDK does; yields its error, or null. */
  const chat = async (context: Context, choice: Choice, options: ChatOptions = {}): Promise<unknown> => {
    const { attributes = {}, before, isStream = false, model = choice.modelId, signal } = options
    const span = tracer.startSpan(`chat ${model}`, {}, context).setAttributes({
      "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": model, ...attributes
    })
    const beganMs = performance.now()
    try {
      const response = await fetch(`${provider.url}/v1/chat/completions`, {
        method: "POST", signal: signal ?? null,
        body: JSON.stringify({ model, messages: [], stream: isStream, stream_options: { include_usage: true } })
      })
      if (!response.ok) throw Object.assign(new Error(`${response.status} from the provider`), { name: String(response.status) })
      let text = ""
      for await (const part of response.body ?? []) {
        if (text === "" && isStream) span.setAttribute("gen_ai.response.time_to_first_chunk", (performance.now() - beganMs) / 1e3)
        text += Buffer.from(part).toString()
      }
      const { id, usage } = JSON.parse(isStream ? text.split("\n\n").at(-3)?.slice("data: ".length) ?? "" : text)
      span.setAttributes({
        "gen_ai.response.id": id, "gen_ai.response.model": `${model}-2025-08-07`, "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": usage.prompt_tokens, "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.prompt_tokens_details.cached_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.completion_tokens_details.reasoning_tokens,
        "openai.request.service_tier": "auto", "openai.response.service_tier": "default"
      })
      before?.(span)
      return null
    } catch (error) {
      const { cause, message, name } = error as Error
      span.recordException(error)
      span.setAttribute("error.type", Object(cause).code ?? name).setStatus({ code: 2, message })
      return error
    } finally {
      span.end()
    }
  }

  return {
    sextant, skipped, processor, tracer, tracerProvider, logger, trace, chat,
    /** A choice, and the context in which spans are marked with it. */
    choose: async (task: string) => {
      const choice = await sextant.choose(task)
      return { choice, context: withChoice(ROOT_CONTEXT, choice) }
    }
  }
}
