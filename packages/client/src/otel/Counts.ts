/* Reads the token counts of a span, under the names of OpenTelemetry's conventions and of several
   instrumentations. */
import { besideOf, type CountedBeside, type TokenCounts } from "../TokenCounts.ts"

/**
 * Returns the count in the first of the named attributes that has a count; undefined or null if no attribute
 * has a count.
 */
type CountOf = (...names: ReadonlyArray<string>) => number | null | undefined

/**
 * The conventions' name of reasoning tokens since version 1.41. By definition these tokens are included in
 * the output.
 */
const reasoningWithin = "gen_ai.usage.reasoning.output_tokens"

/**
 * Reads the token counts of a span. Names with `ai.usage` come from AI SDK 4 to 6, and
 * `cache_write.input_tokens` from Claude Code and codex.
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

/** Attribute names of the service tier. The answer's tier is read before the request's tier. */
export const serviceTierNames = [
  "openai.response.service_tier", "gen_ai.openai.response.service_tier", "openai.request.service_tier",
  "gen_ai.openai.request.service_tier"
] as const

/**
 * Returns which counts a span's input and output exclude. The result is used only if neither a total nor the
 * sizes of the counts show what is included. The input is taken to include cached tokens, as in conventions
 * since 1.40 and most older instrumentations. If reasoning has its conventional name, the output includes
 * reasoning. If reasoning has another name, the model's provider decides whether the output includes
 * reasoning.
 */
export const besideIn = (
  names: ReadonlyArray<string | null | undefined>,
  hasName: (name: string) => boolean
): CountedBeside => hasName(reasoningWithin) ? {} : { ...besideOf(...names), input: false }
