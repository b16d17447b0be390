/* What the adapter uses of specification v3 (AI SDK 6) and v4 (AI SDK 7). Other fields pass unread. */

export interface DirectionTokens {
  readonly total?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

export interface ModelUsage {
  readonly inputTokens?: DirectionTokens | undefined
  readonly outputTokens?: DirectionTokens | undefined
  readonly raw?: unknown
}

export type Metadata = Readonly<Record<string, unknown>>

export interface FinishReason {
  readonly unified?: string | undefined
}

/** The message's content is a text or a list of parts. */
export interface Message {
  readonly role: string
  readonly content: unknown
}

export interface ResponseFormat {
  readonly type: string
  readonly schema?: unknown
}

export interface CallOptions {
  readonly prompt: ReadonlyArray<Message>
  readonly tools?: unknown
  readonly responseFormat?: ResponseFormat | undefined
  readonly maxOutputTokens?: number | undefined
  readonly abortSignal?: AbortSignal | undefined
  readonly providerOptions?: Metadata | undefined
}

export interface Generated {
  readonly content?: ReadonlyArray<{ readonly type: string }> | undefined
  readonly finishReason?: FinishReason | undefined
  readonly usage?: ModelUsage | undefined
  readonly providerMetadata?: Metadata | undefined
  readonly response?: { readonly modelId?: string | undefined } | undefined
}

/** One part of a model's stream, such as a piece of text. */
export interface StreamPart {
  readonly type: string
}

export interface Streamed {
  readonly stream: ReadableStream<StreamPart>
}

/** Patterns of URLs that a model fetches by itself, by media type. */
export type Urls = Readonly<Record<string, ReadonlyArray<RegExp>>>

export interface LanguageModelLike {
  readonly specificationVersion: "v3" | "v4"
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Urls | PromiseLike<Urls>
  doGenerate(options: CallOptions): PromiseLike<Generated>
  doStream(options: CallOptions): PromiseLike<Streamed>
}
