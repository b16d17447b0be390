/* The adapter of `@anthropic-ai/sdk`: the model `sextant/auto` in messages. */
import type { ProviderUsage } from "../sdk/Measured.ts"
import type { AnswerSextant } from "../sdk/RoutedAnswer.ts"
import { type Api, routedClient, type RoutingOptions, type SdkClient } from "../sdk/WithSextant.ts"
import { besideOf, usageOfCounts } from "../TokenCounts.ts"
import type { Usage } from "../Usage.ts"

export { auto, type AutoOptions } from "../sdk/Question.ts"
export { type AnswerSextant, type Routed, sextantOf } from "../sdk/RoutedAnswer.ts"

export type AnthropicOptions<Id extends string> = RoutingOptions<Id>

/** Anthropic counts cached and cache-writing tokens apart from `input_tokens`; here they are parts of it. */
const usageOf = (usage: ProviderUsage): Usage => ({
  ...usageOfCounts({
    input: usage["input_tokens"],
    output: usage["output_tokens"],
    cacheRead: usage["cache_read_input_tokens"] ?? 0,
    cacheWrite: usage["cache_creation_input_tokens"],
    reasoning: Object(usage["output_tokens_details"]).thinking_tokens
  }, besideOf("anthropic")),
  cacheWriteHourInputTokens: Object(usage["cache_creation"]).ephemeral_1h_input_tokens,
  // Its fast mode is no service tier, and has a price of its own likewise.
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
 * Lets this client, and clients that its `withOptions` makes, route requests for the model `sextant/auto`;
 * requests for any other model pass untouched. Yields the same client. A wrong option is a `TypeError`.
 */
export const withSextant = <Client extends SdkClient, const Id extends string>(
  client: Client,
  options: AnthropicOptions<Id>
): Client & { readonly sextant: AnswerSextant<Id> } => routedClient(api, client, options)
