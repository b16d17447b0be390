/* The tokens of a call by the rule of usage that the client has too, and how each format counts. */
import {
  besideOf, type CountedBeside, type TokenCounts, wholeTokens
} from "../../../packages/client/src/TokenCounts.ts"
import type { LogFormat, LoggedCall } from "../LoggedCall.ts"

type CallTokens = Pick<
  LoggedCall,
  "cachedInputTokens" | "cacheWriteInputTokens" | "inputTokens" | "outputTokens" | "reasoningTokens"
>

/** Counts as a reader of a format found them. */
type FoundCounts = { readonly [Name in keyof TokenCounts]: number | null }

type Counting = (modelId: string) => CountedBeside

/** LiteLLM and OpenRouter bring all counts to OpenAI's form, and ours has it: parts within their whole. */
const within: Counting = () => ({})

/** What each format counts beside its whole, where neither a total nor the sizes of the counts tell. */
const countings: Readonly<Record<Exclude<LogFormat, "otel">, Counting>> = {
  litellm: within,
  openrouter: within,
  jsonl: within,
  csv: within,
  // `usage_details` are disjoint.
  langfuse: (modelId) => ({ ...besideOf(modelId), input: true, output: true }),
  // It keeps the provider's counts.
  helicone: besideOf
}

/** The tokens of a call, all its parts within them. */
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

/** The tokens of a call in a format that counts by the model. */
export const tokensIn = (format: keyof typeof countings, counts: FoundCounts, modelId: string): CallTokens =>
  tokensFrom(counts, countings[format](modelId))
