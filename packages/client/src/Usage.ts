/* The usage of a call of a model, as the caller gives it and as a report carries it. */
import { idOf } from "./ForeignValues.ts"
import type { FeedbackRequest } from "./Wire.ts"

/** The usage of a call. Each field may be missing; a value that is not a number >= 0 counts as missing. */
export interface Usage {
  /** Input tokens that were billed, cached ones included, count. */
  readonly inputTokens?: number | null | undefined
  /** The part of `inputTokens` that a prompt cache held, count. */
  readonly cachedInputTokens?: number | null | undefined
  /** The part of `inputTokens` that was written to a prompt cache, count. */
  readonly cacheWriteInputTokens?: number | null | undefined
  /** The part of `cacheWriteInputTokens` that the cache keeps for an hour, count. */
  readonly cacheWriteHourInputTokens?: number | null | undefined
  /** Output tokens that were billed, reasoning included, count. */
  readonly outputTokens?: number | null | undefined
  /** The part of `outputTokens` that was spent on reasoning, count. */
  readonly reasoningTokens?: number | null | undefined
  /** The tier in which the provider served the call, as it names it: `flex`, `priority`, `batch`. */
  readonly serviceTier?: string | null | undefined
  /** Web searches that the provider ran for the call, count. */
  readonly webSearches?: number | null | undefined
  /** The bill, in US dollars; by list prices when left out. */
  readonly costUsd?: number | null | undefined
  /** Latency of the call, in ms; measured when left out. */
  readonly latencyMs?: number | null | undefined
  /** Time to the first token, in ms; measured for a stream when left out. */
  readonly timeToFirstTokenMs?: number | null | undefined
}

/** Whether a value is a number from 0 to `max`. */
export const known = (value: unknown, max = 1e12): value is number =>
  typeof value === "number" && value >= 0 && value <= max

/** A known value, rounded to a whole number unless `as` converts it otherwise. */
const amount = (value: unknown, as = Math.round): number | undefined => known(value) ? as(value) : undefined

/** The usage fields of a report. Unknown ones are undefined, so JSON leaves them out. */
export const measurementsOf = (usage: Usage): Partial<FeedbackRequest> => ({
  input_tokens: amount(usage.inputTokens),
  cached_input_tokens: amount(usage.cachedInputTokens),
  cache_write_input_tokens: amount(usage.cacheWriteInputTokens),
  cache_write_hour_input_tokens: amount(usage.cacheWriteHourInputTokens),
  output_tokens: amount(usage.outputTokens),
  reasoning_tokens: amount(usage.reasoningTokens),
  // Another text would have the whole report refused.
  service_tier: idOf(usage.serviceTier),
  web_searches: amount(usage.webSearches),
  latency_ms: amount(usage.latencyMs),
  time_to_first_token_ms: amount(usage.timeToFirstTokenMs),
  actual_cost_usd: amount(usage.costUsd, Number)
})
