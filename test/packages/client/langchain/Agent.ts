// What the tests use of LangChain, in a shape that versions 1.0 and 1.5 share, and an agent whose models are routed.
import { type RouterMetadata, type RouterOptions, sextantRouter } from "../../../../packages/client/src/langchain/index.ts"
import type { ChatModelLike } from "../../../../packages/client/src/langchain/index.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import type { Peers } from "../support/Peers.ts"
import type { models, RealService } from "../support/RealService.ts"

export type ModelId = typeof models[number]

export interface Message {
  readonly text: string
  readonly content: unknown
  readonly type: string
  readonly response_metadata: { readonly sextant?: RouterMetadata }
}

interface Input {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

export interface Config {
  readonly configurable?: { readonly thread_id: string }
  readonly context?: object
  readonly signal?: AbortSignal
  readonly streamMode?: string
}

interface State {
  readonly messages: ReadonlyArray<Message>
  readonly structuredResponse?: unknown
}

export interface Agent {
  readonly invoke: (input: Input, config?: Config) => Promise<State>
  stream(input: Input, config: { readonly streamMode: readonly ["messages", "values"] }): Promise<AsyncIterable<
    readonly ["messages", readonly [Message, unknown]] | readonly ["values", State]
  >>
  stream(input: Input, config?: Config): Promise<AsyncIterable<readonly [Message, unknown]>>
  readonly streamEvents: (input: Input, config: { readonly version: "v2" }) => AsyncIterable<{ readonly event: string }>
}

interface Langchain {
  readonly createAgent: (options: object) => Agent
  readonly createMiddleware: (options: object) => object
  readonly initChatModel: (model: string, options: object) => Promise<ChatModelLike>
  readonly modelFallbackMiddleware: (...models: ReadonlyArray<ChatModelLike>) => object
  readonly tool: (run: (input: object) => string, options: object) => object
}

interface OpenAi {
  readonly ChatOpenAI: new (options: object) => ChatModelLike
}

interface Checkpoint {
  readonly MemorySaver: new () => object
}

interface Zod {
  readonly z: { readonly object: (shape: object) => object; readonly string: () => object }
}

/** Loads a version of the framework. */
export const loadFramework = async ({ load }: Peers) => {
  const [langchain, { ChatOpenAI }, { MemorySaver }, { z }] = await Promise.all([
    load<Langchain>("langchain"), load<OpenAi>("@langchain/openai"), load<Checkpoint>("@langchain/langgraph"), load<Zod>("zod")
  ])
  return {
    ...langchain,
    MemorySaver,
    z,
    /** A model of the fake provider, which does not retry by itself. */
    chatModel: (provider: FakeProvider, model: string, over: object = {}) =>
      new ChatOpenAI({ model, apiKey: "any", maxRetries: 0, configuration: { baseURL: `${provider.url}/v1` }, ...over })
  }
}

export type Framework = Awaited<ReturnType<typeof loadFramework>>

export type Models = Readonly<Record<ModelId, ChatModelLike>>

/** A router of the three models. A busy machine must not turn into timeouts. */
export const routerOf = (
  service: Pick<RealService, "baseUrl" | "apiKey">,
  models: Models,
  over: Partial<RouterOptions<ModelId>> = {}
) => sextantRouter({ baseUrl: service.baseUrl, apiKey: service.apiKey, defaultModelId: "dear", models, deadlineMs: 10_000, ...over })
