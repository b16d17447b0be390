// What the tests use of the AI SDK, in a shape that versions 6 and 7 share, and an app on it with three models.
import { routed, type RoutedMetadata, type RoutedOptions } from "../../../../packages/client/src/ai-sdk/index.ts"
import type {
  CallOptions, Generated, LanguageModelLike, StreamPart, Streamed
} from "../../../../packages/client/src/ai-sdk/Shapes.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import type { Peers } from "../support/Peers.ts"
import type { RealService } from "../support/RealService.ts"

type Tagged = { readonly sextant: RoutedMetadata } | undefined

export interface Step {
  readonly text: string
  readonly providerMetadata: Tagged
  readonly response: { readonly modelId: string }
}

export interface Answer extends Step {
  readonly steps: ReadonlyArray<Step>
  readonly object: unknown
}

export interface StreamAnswer {
  readonly textStream: AsyncIterable<string> & ReadableStream<string>
  readonly fullStream: AsyncIterable<StreamPart & { readonly error?: unknown; readonly text?: string }>
  readonly text: PromiseLike<string>
  readonly object: PromiseLike<unknown>
  readonly partialObjectStream: AsyncIterable<unknown>
  readonly providerMetadata: PromiseLike<Tagged>
  readonly response: PromiseLike<{ readonly modelId: string }>
  readonly consumeStream: () => Promise<void>
  readonly toUIMessageStreamResponse: (options: {
    readonly messageMetadata: (options: { readonly part: StreamPart & { readonly providerMetadata?: Tagged } }) => unknown
  }) => Response
}

type Options = { readonly model: LanguageModelLike } & Readonly<Record<string, unknown>>

export interface Ai {
  readonly generateText: (options: Options) => Promise<Answer>
  readonly generateObject: (options: Options) => Promise<Answer>
  readonly streamText: (options: Options) => StreamAnswer
  readonly streamObject: (options: Options) => StreamAnswer
  readonly stepCountIs: (count: number) => unknown
  readonly jsonSchema: (schema: object) => unknown
  readonly wrapLanguageModel: (options: { readonly model: LanguageModelLike; readonly middleware: object }) => LanguageModelLike
}

interface Compatible {
  readonly createOpenAICompatible: (options: object) => (modelId: string) => LanguageModelLike
}

/** Loads a version of the SDK; its mocks are called V3 or V4. */
export const loadSdk = async ({ load, version }: Peers) => {
  const specification = version.startsWith("6") ? "v3" as const : "v4" as const
  const [ai, { createOpenAICompatible }] = await Promise.all([
    load<Ai>("ai"), load<Compatible>("@ai-sdk/openai-compatible")
  ])
  const test = await load<Record<string, new (options: object) => LanguageModelLike>>("ai/test")
  const Mock = test[`MockLanguageModel${specification.toUpperCase()}`]
  if (Mock === undefined) throw new Error("no mock")
  return {
    ai,
    specification,
    /** A model of the provider package; `includeUsage` asks for the usage of streams. */
    compatible: (provider: FakeProvider, includeUsage = true) =>
      createOpenAICompatible({ name: "fake", baseURL: `${provider.url}/v1`, apiKey: "any", includeUsage }),
    mock: (options: {
      readonly modelId?: string
      readonly supportedUrls?: object
      readonly doGenerate?: (options: CallOptions) => Promise<Partial<Generated>>
      readonly doStream?: (options: CallOptions) => Promise<Streamed>
    }) => new Mock(options)
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>

export type Models = Readonly<Record<"cheap" | "middle" | "dear", LanguageModelLike>>

/** The three models of the service's catalog, made one after another. */
export const threeModels = (make: (modelId: "cheap" | "middle" | "dear") => LanguageModelLike): Models =>
  ({ cheap: make("cheap"), middle: make("middle"), dear: make("dear") })

/** The one line that an app changes. A busy machine must not turn into timeouts. */
export const appOf = (
  service: Pick<RealService, "baseUrl" | "apiKey">,
  models: Models,
  over: Partial<RoutedOptions<keyof Models, LanguageModelLike>> = {}
) => routed({
  baseUrl: service.baseUrl, apiKey: service.apiKey, defaultModelId: "dear", models, deadlineMs: 10_000, ...over
})

export const counts = { inputTokens: { total: 10, noCache: 6, cacheRead: 4 }, outputTokens: { total: 3, text: 2, reasoning: 1 } }

/** A whole answer of a mock. */
export const whole = (text: string, more: object = {}): Partial<Generated> => ({
  content: [{ type: "text", ...{ text } }],
  finishReason: { unified: "stop" },
  usage: counts,
  ...{ warnings: [] },
  ...more
})

/** The stream of a mock, of these parts; it notes when it is cancelled, and breaks at a part that is an error. */
export const streamOf = (parts: ReadonlyArray<object>, onCancel = () => {}): Streamed => {
  const left = [...parts] as Array<StreamPart | Error>
  return {
    stream: new ReadableStream<StreamPart>({
      pull: (controller) => {
        const part = left.shift()
        if (part === undefined) controller.close()
        else if (part instanceof Error) controller.error(part)
        else controller.enqueue(part)
      },
      cancel: onCancel
    }, { highWaterMark: 0 })
  }
}

/** The parts of a text. */
export const text = (...deltas: ReadonlyArray<string>): ReadonlyArray<object> => [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "1" },
  ...deltas.map((delta) => ({ type: "text-delta", id: "1", delta }))
]

export const end: ReadonlyArray<object> = [
  { type: "text-end", id: "1" },
  { type: "finish", finishReason: { unified: "stop" }, usage: counts }
]
