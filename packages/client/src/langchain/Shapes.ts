/* The parts of LangChain's types that this adapter reads, in versions 1.0 to 1.5. */
import type { Usage } from "../index.ts"
import { usageOfCounts } from "../TokenCounts.ts"

/** A chat model that `createAgent` takes as an object. */
export interface ChatModelLike {
  readonly invoke: (...given: never) => unknown
}

/** A call of the agent's model, in the form in which middleware receives it. */
export interface ModelRequestLike {
  readonly model: unknown
  readonly messages: ReadonlyArray<unknown>
  readonly tools?: unknown
  readonly modelSettings?: unknown
  readonly state?: unknown
  readonly runtime?: unknown
  readonly systemPrompt?: unknown
}

export interface Message {
  readonly id?: string
  readonly type?: string
  readonly text?: unknown
  readonly content?: unknown
  readonly usage_metadata?: {
    readonly input_tokens?: number
    readonly output_tokens?: number
    readonly total_tokens?: number
    readonly input_token_details?: {
      readonly cache_read?: number
      readonly cache_creation?: number
      readonly ephemeral_1h_input_tokens?: number
    }
    readonly output_token_details?: { readonly reasoning?: number }
  }
  response_metadata?: Record<string, unknown>
}

export const usageOf = ({ response_metadata: answer, usage_metadata: usage }: Message): Usage => {
  const details = usage?.input_token_details
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage ?? {}
  const reasoning = usage?.output_token_details?.reasoning
  const cache = { cacheRead: details?.cache_read, cacheWrite: details?.cache_creation }
  return {
    ...usageOfCounts({ input, output, total, ...cache, reasoning }),
    cacheWriteHourInputTokens: details?.ephemeral_1h_input_tokens,
    serviceTier: (answer?.["service_tier"] ?? Object(answer?.["usage"]).service_tier) as string | undefined
  }
}

/** Returns the message in a handler's result, which is the message itself or has a list of messages. */
export const messageOf = (answer: unknown): Message => {
  const { messages } = Object(answer)
  return Object(Array.isArray(messages) ? messages[0] : answer)
}
