/* The adapter of `openai`: routes chat completions and responses for the model `sextant/auto`. */
import type { ProviderUsage } from "../sdk/Measured.ts"
import type { Body } from "../sdk/Question.ts"
import type { AnswerSextant } from "../sdk/RoutedAnswer.ts"
import { type Api, routedClient, type RoutingOptions, type SdkClient } from "../sdk/WithSextant.ts"
import { usageOfCounts } from "../TokenCounts.ts"
import type { Usage } from "../Usage.ts"

export { auto, type AutoOptions } from "../sdk/Question.ts"
export { type AnswerSextant, type Routed, sextantOf } from "../sdk/RoutedAnswer.ts"

export interface OpenAiOptions<Id extends string> extends RoutingOptions<Id> {
  /**
   * Whether streams of chat completions are asked for their usage, which is hidden from the caller; true by
   * default. Set false for servers that refuse `stream_options`.
   */
  readonly streamUsage?: boolean
}

/**
 * OpenAI's input count includes all input, so tokens that appear only in the total are output. Through
 * OpenAI's API, Gemini and Grok leave reasoning out of the output count.
 */
const usageOf = (usage: ProviderUsage): Usage => {
  const { completion_tokens: output, completion_tokens_details: outputDetails } = usage
  const { prompt_tokens: input, prompt_tokens_details: inputDetails } = usage
  const counted = usageOfCounts({
    input: input ?? usage["input_tokens"],
    output: output ?? usage["output_tokens"],
    total: usage["total_tokens"],
    cacheRead: Object(inputDetails ?? usage["input_tokens_details"]).cached_tokens,
    reasoning: Object(outputDetails ?? usage["output_tokens_details"]).reasoning_tokens
  }, { isRestOutput: true })
  return {
    ...counted,
    serviceTier: usage["service_tier"] as string | undefined,
    webSearches: usage["web_searches"] as number | undefined
  }
}

const apiOf = (asksForUsage: boolean): Api => ({
  name: "openai",
  paths: /\/(chat\/completions|responses)\/?(\?.*)?$/,
  routes: "chat completions and responses",
  usageOf,
  prepared: (body: Body & { readonly stream?: unknown; readonly stream_options?: unknown }) => {
    const given = Object(body.stream_options)
    const isAsking = asksForUsage && body.stream === true && body.messages !== undefined
    return isAsking && given.include_usage === undefined
      ? { body: { ...body, stream_options: { ...given, include_usage: true } }, hidesUsage: true }
      : { body, hidesUsage: false }
  }
})

/**
 * Routes requests for the model `sextant/auto` of this client, and of those that its `withOptions` makes.
 * Returns the same client. Throws a `TypeError` if an option is wrong.
 */
export const withSextant = <Client extends SdkClient, const Id extends string>(
  client: Client,
  { streamUsage = true, ...options }: OpenAiOptions<Id>
): Client & { readonly sextant: AnswerSextant<Id> } => routedClient(apiOf(streamUsage), client, options)
