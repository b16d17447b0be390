/* The usage of a model's call, in the caller's form and in a report's. */
import { idOf } from "./ForeignValues.ts"
import type { FeedbackRequest } from "./Wire.ts"

/** A number that is negative or not finite is treated as missing. */
export interface Usage {
  /** Number of billed input tokens, including cached tokens. */
  readonly inputTokens?: number | null | undefined
  /** Number of input tokens that were read from a prompt cache; part of `inputTokens`. */
  readonly cachedInputTokens?: number | null | undefined
  /** Number of input tokens that were written to a prompt cache; part of `inputTokens`. */
  readonly cacheWriteInputTokens?: number | null | undefined
  /** Number of tokens that the prompt cache keeps for an hour; part of `cacheWriteInputTokens`. */
  readonly cacheWriteHourInputTokens?: number | null | undefined
  /** Number of billed output tokens, including reasoning. */
  readonly outputTokens?: number | null | undefined
  /** Number of reasoning tokens; part of `outputTokens`. */
  readonly reasoningTokens?: number | null | undefined
  /** The provider's name of the call's service tier, such as `flex`, `priority` or `batch`. */
  readonly serviceTier?: string | null | undefined
  /** Number of web searches that the provider made for the call. */
  readonly webSearches?: number | null | undefined
  /** Cost of the call in US dollars; if the cost is missing, `priceOf` or else the service computes it. */
  readonly costUsd?: number | null | undefined
  /** Latency of the call, in ms; if the latency is missing, the client's own measurement is reported. */
  readonly latencyMs?: number | null | undefined
  /** Time to the first token, in ms; if it is missing, the client measures it for streams. */
  readonly timeToFirstTokenMs?: number | null | undefined
}

export const known = (value: unknown, max = 1e12): value is number =>
  typeof value === "number" && value >= 0 && value <= max

const amount = (value: unknown, as = Math.round): number | undefined => known(value) ? as(value) : undefined

export const measurementsOf = (usage: Usage): Partial<FeedbackRequest> => ({
  input_tokens: amount(usage.inputTokens),
  cached_input_tokens: amount(usage.cachedInputTokens),
  cache_write_input_tokens: amount(usage.cacheWriteInputTokens),
  cache_write_hour_input_tokens: amount(usage.cacheWriteHourInputTokens),
  output_tokens: amount(usage.outputTokens),
  reasoning_tokens: amount(usage.reasoningTokens),
  // The service would refuse the whole report because of an invalid service tier.
  service_tier: idOf(usage.serviceTier),
  web_searches: amount(usage.webSearches),
  latency_ms: amount(usage.latencyMs),
  time_to_first_token_ms: amount(usage.timeToFirstTokenMs),
  actual_cost_usd: amount(usage.costUsd, Number)
})
