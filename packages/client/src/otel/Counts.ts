/* Reads a span's token counts by OpenTelemetry's conventions and several instrumentations. */
import { besideOf, type CountedBeside, type TokenCounts } from "../TokenCounts.ts"

/** Reads a count from the first of the named attributes that is set. */
type CountOf = (...names: ReadonlyArray<string>) => number | null | undefined

/** Attribute of reasoning tokens that, by OpenTelemetry's conventions, the output count includes. */
const reasoningWithin = "gen_ai.usage.reasoning.output_tokens"

/** AI SDK 4 to 6 writes the attributes that begin with `ai.usage`. */
export const countsOf = (countOf: CountOf): { readonly [Name in keyof TokenCounts]: number | null } => {
  const count = (...names: ReadonlyArray<string>) => countOf(...names) ?? null
  return {
    input: count(
      "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "ai.usage.inputTokens",
      "ai.usage.promptTokens"
    ),
    output: count(
      "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "ai.usage.outputTokens",
      "ai.usage.completionTokens"
    ),
    total: count("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "ai.usage.totalTokens"),
    cacheRead: count(
      "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
      "gen_ai.usage.cached_input_tokens", "gen_ai.usage.input_tokens.cached", "ai.usage.cachedInputTokens",
      "ai.usage.inputTokenDetails.cacheReadTokens"
    ),
    cacheWrite: count(
      "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens",
      "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_input_tokens",
      "ai.usage.inputTokenDetails.cacheWriteTokens"
    ),
    reasoning: count(
      reasoningWithin, "gen_ai.usage.reasoning_tokens", "gen_ai.usage.output_tokens.reasoning",
      "ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"
    )
  }
}

/** Attribute names of the service tier, the answer's before the request's. */
export const serviceTierNames = [
  "openai.response.service_tier", "gen_ai.openai.response.service_tier", "openai.request.service_tier",
  "gen_ai.openai.request.service_tier"
] as const

/**
 * Returns whether a span's output count excludes reasoning. A span's input count includes cached tokens, by
 * OpenTelemetry's conventions. Without the attribute that `reasoningWithin` names, the model or its provider
 * decides whether the output count includes reasoning.
 */
export const besideIn = (
  names: ReadonlyArray<string | null | undefined>,
  hasName: (name: string) => boolean
): CountedBeside => hasName(reasoningWithin) ? {} : { ...besideOf(...names), input: false }
