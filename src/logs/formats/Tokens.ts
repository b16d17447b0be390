/* Converts the numbers of tokens of a logged call. Formats count parts inside or outside of their total, and
   the client library defines the rule. */
import {
  besideOf, type CountedBeside, type TokenCounts, wholeTokens
} from "../../../packages/client/src/TokenCounts.ts"
import type { LogFormat, LoggedCall } from "../LoggedCall.ts"

type CallTokens = Pick<
  LoggedCall,
  "cachedInputTokens" | "cacheWriteInputTokens" | "inputTokens" | "outputTokens" | "reasoningTokens"
>

type FoundCounts = { readonly [Name in keyof TokenCounts]: number | null }

type Counting = (modelId: string) => CountedBeside

/** The way OpenAI, LiteLLM, OpenRouter and Sextant's own format count: totals include their parts. */
const within: Counting = () => ({})

/** Says by log format which token counts exclude their parts, as input may exclude cached tokens. */
const countings: Readonly<Record<Exclude<LogFormat, "otel">, Counting>> = {
  litellm: within,
  openrouter: within,
  jsonl: within,
  csv: within,
  // The counts in Langfuse's `usage_details` do not overlap.
  langfuse: (modelId) => ({ ...besideOf(modelId), input: true, output: true }),
  // Helicone writes the provider's counts unchanged.
  helicone: besideOf
}

/** Converts a log's counts. The input and output of the result include their parts, such as cached tokens. */
export const tokensFrom = (counts: FoundCounts, beside: CountedBeside): CallTokens => {
  const { input, output } = wholeTokens(counts, beside)
  return {
    inputTokens: input ?? null,
    cachedInputTokens: counts.cacheRead ?? null,
    cacheWriteInputTokens: counts.cacheWrite ?? null,
    outputTokens: output ?? null,
    reasoningTokens: counts.reasoning ?? null
  }
}

export const tokensIn = (format: keyof typeof countings, counts: FoundCounts, modelId: string): CallTokens =>
  tokensFrom(counts, countings[format](modelId))
