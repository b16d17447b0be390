/* The usage of a call of a model, as the caller gives it and as a report carries it. */
import type { FeedbackRequest } from "./Wire.ts"

/** What a call took. Each field may be missing; a value that is not a number >= 0 counts as missing. */
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

const whole = (value: unknown): number | undefined => known(value) ? Math.round(value) : undefined

/** The fields of a report; those that are not known are undefined, which JSON leaves out. */
export const measurementsOf = (usage: Usage): Partial<FeedbackRequest> => ({
  input_tokens: whole(usage.inputTokens),
  cached_input_tokens: whole(usage.cachedInputTokens),
  cache_write_input_tokens: whole(usage.cacheWriteInputTokens),
  cache_write_hour_input_tokens: whole(usage.cacheWriteHourInputTokens),
  output_tokens: whole(usage.outputTokens),
  reasoning_tokens: whole(usage.reasoningTokens),
  actual_cost_usd: known(usage.costUsd) ? usage.costUsd : undefined,
  latency_ms: whole(usage.latencyMs),
  time_to_first_token_ms: whole(usage.timeToFirstTokenMs)
})
