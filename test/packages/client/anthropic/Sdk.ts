// What the tests use of Anthropic's SDK, in a shape that all versions share.
import type { Body, Pending, RequestOptions as Options, Streaming } from "../support/Sdk.ts"

export interface Message {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string; readonly id?: string }>
}

export interface MessageEvent {
  readonly type: string
  readonly delta?: { readonly text?: string }
}

export interface Messages {
  create(body: Streaming, options?: Options): Pending<AsyncIterable<MessageEvent>>
  create(body: Body, options?: Options): Pending<Message>
  readonly stream: (body: Body) => { readonly finalMessage: () => Promise<Message> }
  /** In newer versions. */
  readonly parse?: (body: Body) => Pending<Message>
  readonly toolRunner?: (body: Body) => PromiseLike<Message>
  readonly countTokens: (body: Body) => Promise<unknown>
  readonly batches: { readonly create: (body: object) => Promise<unknown> }
}

export interface AnthropicClient {
  readonly messages: Messages
  readonly beta: { readonly messages: Messages }
  readonly post: (path: string, options: object) => Pending<unknown>
  withOptions(options: object): AnthropicClient
}

export interface AnthropicModule {
  readonly Anthropic: new (options: object) => AnthropicClient
}
