/* The tokens of a call. Formats count parts inside or outside of their total, and the client has the rule. */
import {
  besideOf, type CountedBeside, type TokenCounts, wholeTokens
} from "../../../packages/client/src/TokenCounts.ts"
import type { LogFormat, LoggedCall } from "../LoggedCall.ts"

type CallTokens = Pick<
  LoggedCall,
  "cachedInputTokens" | "cacheWriteInputTokens" | "inputTokens" | "outputTokens" | "reasoningTokens"
>

/** Counts as a log has them. */
type FoundCounts = { readonly [Name in keyof TokenCounts]: number | null }

type Counting = (modelId: string) => CountedBeside

/** The counting of OpenAI, LiteLLM, OpenRouter and Sextant's own format: totals include their parts. */
const within: Counting = () => ({})

/** Parts that a format counts outside of a total. They are needed if the counts themselves do not show it. */
const countings: Readonly<Record<Exclude<LogFormat, "otel">, Counting>> = {
  litellm: within,
  openrouter: within,
  jsonl: within,
  csv: within,
  // The parts of `usage_details` are disjoint.
  langfuse: (modelId) => ({ ...besideOf(modelId), input: true, output: true }),
  // Helicone has the provider's counts.
  helicone: besideOf
}

/** The tokens of a call. Input and output include their parts. */
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
