/* The usage of a model's call, in the caller's form and in a report's. */
import { idOf } from "./ForeignValues.ts"
import type { FeedbackRequest } from "./Wire.ts"

/** The usage of a call. Each field is optional. A value that is not a number >= 0 counts as missing. */
export interface Usage {
  /** Billed input tokens with cached ones, count. */
  readonly inputTokens?: number | null | undefined
  /** Tokens of `inputTokens` that a prompt cache held, count. */
  readonly cachedInputTokens?: number | null | undefined
  /** Tokens of `inputTokens` that were written to a prompt cache, count. */
  readonly cacheWriteInputTokens?: number | null | undefined
  /** Tokens of `cacheWriteInputTokens` that the cache keeps for an hour, count. */
  readonly cacheWriteHourInputTokens?: number | null | undefined
  /** Billed output tokens with reasoning, count. */
  readonly outputTokens?: number | null | undefined
  /** Tokens of `outputTokens` for reasoning, count. */
  readonly reasoningTokens?: number | null | undefined
  /** The provider's name of the call's service tier: `flex`, `priority`, `batch`. */
  readonly serviceTier?: string | null | undefined
  /** Web searches by the provider for the call, count. */
  readonly webSearches?: number | null | undefined
  /** The bill in US dollars; list prices by default. */
  readonly costUsd?: number | null | undefined
  /** Latency of the call, in ms; measured by default. */
  readonly latencyMs?: number | null | undefined
  /** Time to the first token, in ms; measured by default if the call is a stream. */
  readonly timeToFirstTokenMs?: number | null | undefined
}

/** Whether a value is a number from 0 to `max`. */
export const known = (value: unknown, max = 1e12): value is number =>
  typeof value === "number" && value >= 0 && value <= max

/** A known value, rounded to a whole number unless `as` converts it in another way. */
const amount = (value: unknown, as = Math.round): number | undefined => known(value) ? as(value) : undefined

/** The usage fields of a report. Unknown ones are undefined, so JSON leaves them out. */
export const measurementsOf = (usage: Usage): Partial<FeedbackRequest> => ({
  input_tokens: amount(usage.inputTokens),
  cached_input_tokens: amount(usage.cachedInputTokens),
  cache_write_input_tokens: amount(usage.cacheWriteInputTokens),
  cache_write_hour_input_tokens: amount(usage.cacheWriteHourInputTokens),
  output_tokens: amount(usage.outputTokens),
  reasoning_tokens: amount(usage.reasoningTokens),
  // The service would refuse the whole report for any other text.
  service_tier: idOf(usage.serviceTier),
  web_searches: amount(usage.webSearches),
  latency_ms: amount(usage.latencyMs),
  time_to_first_token_ms: amount(usage.timeToFirstTokenMs),
  actual_cost_usd: amount(usage.costUsd, Number)
})
