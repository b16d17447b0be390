// What the tests use of Anthropic's SDK, in a shape that all versions share.
export interface Message {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string; readonly id?: string }>
}

export interface MessageEvent {
  readonly type: string
  readonly delta?: { readonly text?: string }
}

interface Pending<A> extends Promise<A> {
  readonly withResponse: () => Promise<{ readonly data: A; readonly response: Response }>
  readonly asResponse: () => Promise<Response>
}

type Body = { readonly model: string } & Readonly<Record<string, unknown>>
type Streaming = Body & { readonly stream: true }
interface Options {
  readonly signal?: AbortSignal
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
