/* Computes a call's whole input and output tokens, because providers and logs count them differently. */
import { known, type Usage } from "./Usage.ts"

/** A value that is not a number >= 0 is treated as missing. */
export interface TokenCounts {
  readonly input?: unknown
  readonly output?: unknown
  readonly total?: unknown
  /** Parts of the input: tokens read from a cache, written to a cache, and other kinds such as images. */
  readonly cacheRead?: unknown
  readonly cacheWrite?: unknown
  readonly otherInput?: unknown
  /** Parts of the output: reasoning, and further kinds such as speech. */
  readonly reasoning?: unknown
  readonly otherOutput?: unknown
}

export interface CountedBeside {
  readonly input?: boolean
  readonly output?: boolean
  /** Whether tokens in the total alone, such as reasoning, are output; by default they are input. */
  readonly isRestOutput?: boolean
}

export interface WholeTokens {
  readonly input: number | undefined
  readonly output: number | undefined
}

/** Models and providers whose input count excludes cached tokens, or whose output excludes reasoning. */
const providersBeside: ReadonlyArray<CountedBeside & { readonly name: RegExp }> = [
  // Claude's `input_tokens` excludes cached tokens, also in Bedrock's Converse API.
  { name: /claude|anthropic|bedrock/i, input: true },
  // Gemini's `candidatesTokenCount` excludes `thoughtsTokenCount`.
  { name: /gemini|vertex|google/i, output: true, isRestOutput: true },
  // Grok's `completion_tokens` excludes `reasoning_tokens` in chat completions.
  { name: /grok|\bx\.?ai\b/i, output: true, isRestOutput: true }
]

/**
 * Returns how a provider counts tokens, for programs that pass the provider's counts on unchanged.
 * @param names the model's name, then the provider's name. A known model's name decides before the
 * provider's name, because Vertex also serves Claude.
 */
export const besideOf = (...names: ReadonlyArray<string | null | undefined>): CountedBeside => {
  const found = names.map((given) => providersBeside.find(({ name }) => name.test(given ?? "")))
  return found.find((one) => one !== undefined) ?? {}
}

const countOf = (count: unknown): number | undefined => known(count) ? count : undefined

const sumOf = (...counts: ReadonlyArray<unknown>): number =>
  counts.reduce<number>((sum, count) => known(count) ? sum + count : sum, 0)

/** Adds cached or reasoning tokens (`parts`) to a count that excludes them, or that is below their sum. */
const withParts = (own: number | undefined, parts: number, isBeside = false): number | undefined =>
  own !== undefined && (isBeside || parts > own) ? own + parts : own

/**
 * Returns a call's whole input and output tokens. A total shows whether input and output include parts such
 * as cached tokens. Without a total, `beside` shows whether input and output include cached tokens and
 * reasoning. A total below the counts' sum is ignored, because some logs add only two of the counts.
 */
export const wholeTokens = (counts: TokenCounts, beside: CountedBeside = {}): WholeTokens => {
  const [input, output] = [countOf(counts.input), countOf(counts.output)]
  const inputParts = sumOf(counts.cacheRead, counts.cacheWrite, counts.otherInput)
  const outputParts = sumOf(counts.reasoning, counts.otherOutput)
  const wholeInput = withParts(input, inputParts, beside.input)
  const wholeOutput = withParts(output, outputParts, beside.output)
  if (!known(counts.total)) return { input: wholeInput, output: wholeOutput }
  const { total } = counts
  if (output === undefined || wholeOutput === undefined) {
    const rest = total - (wholeInput ?? total)
    return { input: wholeInput, output: rest > 0 ? rest : undefined }
  }
  const restOf = (whole: number): number => total - whole
  const least = Math.max(input ?? 0, inputParts)
  const most = input === undefined ? total : input + inputParts
  const fits = [wholeOutput, output, output + outputParts].find((whole) =>
    whole >= outputParts && restOf(whole) >= least && restOf(whole) <= most
  )
  if (fits !== undefined) return { input: restOf(fits), output: fits }
  if (restOf(wholeOutput) < least) return { input: wholeInput, output: wholeOutput }
  return beside.isRestOutput === true && wholeInput !== undefined
    ? { input: wholeInput, output: restOf(wholeInput) }
    : { input: restOf(wholeOutput), output: wholeOutput }
}

export const usageOfCounts = (counts: TokenCounts, beside?: CountedBeside): Usage => {
  const { input, output } = wholeTokens(counts, beside)
  return {
    inputTokens: input,
    cachedInputTokens: countOf(counts.cacheRead),
    cacheWriteInputTokens: countOf(counts.cacheWrite),
    outputTokens: output,
    reasoningTokens: countOf(counts.reasoning)
  }
}
