// What the tests use of OpenAI's SDK, in a shape that all versions share.
import type { Body, Pending, RequestOptions as Options, Streaming } from "../support/Sdk.ts"

export interface Chunk {
  readonly choices: ReadonlyArray<{ readonly delta: { readonly content?: string | null } }>
  readonly usage?: { readonly prompt_tokens: number } | null
}

export interface ResponseEvent {
  readonly type: string
  readonly delta?: string
}

export interface Completion {
  readonly choices: ReadonlyArray<{ readonly message: { readonly content: string | null } }>
}

export interface ResponseAnswer {
  readonly output_text: string
  readonly output: ReadonlyArray<{ readonly content?: ReadonlyArray<{ readonly text?: string }> }>
}

export interface OpenAiClient {
  readonly chat: {
    readonly completions: {
      create(body: Streaming, options?: Options): Pending<AsyncIterable<Chunk>>
      create(body: Body, options?: Options): Pending<Completion>
      readonly parse: (body: Body) => Pending<Completion>
      readonly stream: (body: Body) => { readonly finalChatCompletion: () => Promise<Completion> }
      readonly runTools: (body: Body) => { readonly finalContent: () => Promise<string | null> }
    }
  }
  readonly responses: {
    create(body: Streaming, options?: Options): Pending<AsyncIterable<ResponseEvent>>
    create(body: Body, options?: Options): Pending<ResponseAnswer>
    readonly parse: (body: Body) => Pending<ResponseAnswer>
    readonly stream: (body: Body) => { readonly finalResponse: () => Promise<ResponseAnswer> }
  }
  readonly embeddings: { readonly create: (body: Body) => Promise<unknown> }
  readonly audio: { readonly transcriptions: { readonly create: (body: Body) => Promise<unknown> } }
  readonly post: (path: string, options: object) => Pending<unknown>
  withOptions(options: object): OpenAiClient
}

export interface OpenAiModule {
  readonly OpenAI: new (options: object) => OpenAiClient
  readonly AzureOpenAI: new (options: object) => OpenAiClient
}
