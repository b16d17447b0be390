/* Reads the counts of a span by the names of the conventions and of instrumentations with their own names. */
import { besideOf, type CountedBeside, type TokenCounts } from "../TokenCounts.ts"

/** The count of the first of these attributes that has one; undefined or null without one. */
type CountOf = (...names: ReadonlyArray<string>) => number | null | undefined

/** The conventional name of reasoning tokens since 1.41, which are a part of the output by definition. */
const reasoningWithin = "gen_ai.usage.reasoning.output_tokens"

/**
 * The counts of a span. `ai.usage` names are of AI SDK 6, 5 and 4; `cache_write.input_tokens` is of Claude
 * Code and codex.
 */
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

/** Names of the service tier. The answer's come before the request's, and the newest first. */
export const serviceTierNames = [
  "openai.response.service_tier", "gen_ai.openai.response.service_tier", "openai.request.service_tier",
  "gen_ai.openai.request.service_tier"
] as const

/**
 * Which counts a span leaves out of its input and output, if neither a total nor the sizes show it. Since
 * conventions 1.40, and in most older instrumentations, the input includes cached input. The output includes
 * reasoning under its conventional name. Otherwise the model's provider decides.
 */
export const besideIn = (
  names: ReadonlyArray<string | null | undefined>,
  hasName: (name: string) => boolean
): CountedBeside => hasName(reasoningWithin) ? {} : { ...besideOf(...names), input: false }
