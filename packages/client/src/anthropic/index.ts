/* The adapter of `@anthropic-ai/sdk`: routes requests to the messages API for the model `sextant/auto`. */
import type { ProviderUsage } from "../sdk/Measured.ts"
import type { AnswerSextant } from "../sdk/RoutedAnswer.ts"
import { type Api, routedClient, type RoutingOptions, type SdkClient } from "../sdk/WithSextant.ts"
import { besideOf, usageOfCounts } from "../TokenCounts.ts"
import type { Usage } from "../Usage.ts"

export { auto, type AutoOptions } from "../sdk/Question.ts"
export { type AnswerSextant, type Routed, sextantOf } from "../sdk/RoutedAnswer.ts"

export type AnthropicOptions<Id extends string> = RoutingOptions<Id>

/** Cached tokens are added, because Anthropic's `input_tokens` excludes them. */
const usageOf = (usage: ProviderUsage): Usage => ({
  ...usageOfCounts({
    input: usage["input_tokens"],
    output: usage["output_tokens"],
    cacheRead: usage["cache_read_input_tokens"] ?? 0,
    cacheWrite: usage["cache_creation_input_tokens"],
    reasoning: Object(usage["output_tokens_details"]).thinking_tokens
  }, besideOf("anthropic")),
  cacheWriteHourInputTokens: Object(usage["cache_creation"]).ephemeral_1h_input_tokens,
  // The fast mode has its own price, so it is reported as a service tier.
  serviceTier: usage["speed"] === "fast" ? "fast" : usage["service_tier"] as string | undefined,
  webSearches: Object(usage["server_tool_use"]).web_search_requests
})

const api: Api = {
  name: "@anthropic-ai/sdk",
  paths: /\/messages\/?(\?.*)?$/,
  routes: "messages",
  usageOf,
  prepared: (body) => ({ body, hidesUsage: false })
}

/**
 * Routes requests for the model `sextant/auto` of this client, and of those that its `withOptions` makes.
 * Returns the same client. Throws a `TypeError` if an option is wrong.
 */
export const withSextant = <Client extends SdkClient, const Id extends string>(
  client: Client,
  options: AnthropicOptions<Id>
): Client & { readonly sextant: AnswerSextant<Id> } => routedClient(api, client, options)
