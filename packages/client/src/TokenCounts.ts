/* The one rule for token counts: a call's whole input and output, however its source counts them. */
import { known, type Usage } from "./Usage.ts"

/** Token counts of a call from a provider or a log. A value that is not a number >= 0 is missing. */
export interface TokenCounts {
  readonly input?: unknown
  readonly output?: unknown
  readonly total?: unknown
  /** Parts of the input: tokens read from a cache, tokens written to one, and other kinds such as images. */
  readonly cacheRead?: unknown
  readonly cacheWrite?: unknown
  readonly otherInput?: unknown
  /** Parts of the output: reasoning, and further kinds such as speech. */
  readonly reasoning?: unknown
  readonly otherOutput?: unknown
}

/** Whether the counts `input` and `output` leave their parts out. */
export interface CountedBeside {
  readonly input?: boolean
  readonly output?: boolean
  /** Whether the unnamed rest of a total is output, such as reasoning; by default it is input. */
  readonly isRestOutput?: boolean
}

export interface WholeTokens {
  readonly input: number | undefined
  readonly output: number | undefined
}

/** Models and providers whose `input` or `output` leaves parts out. */
const providersBeside: ReadonlyArray<CountedBeside & { readonly name: RegExp }> = [
  // `input_tokens` leaves out `cache_read_input_tokens` and `cache_creation_input_tokens`, also in Converse.
  { name: /claude|anthropic|bedrock/i, input: true },
  // `candidatesTokenCount` leaves out `thoughtsTokenCount`.
  { name: /gemini|vertex|google/i, output: true, isRestOutput: true },
  // `completion_tokens` leaves out `reasoning_tokens` in chat completions.
  { name: /grok|\bx\.?ai\b/i, output: true, isRestOutput: true }
]

/**
 * How a provider counts tokens, for programs that pass its counts on unchanged.
 *
 * @param names of the model, then of the provider. The first known name decides, because Vertex also serves
 * Claude.
 */
export const besideOf = (...names: ReadonlyArray<string | null | undefined>): CountedBeside => {
  const found = names.map((given) => providersBeside.find(({ name }) => name.test(given ?? "")))
  return found.find((one) => one !== undefined) ?? {}
}

const countOf = (count: unknown): number | undefined => known(count) ? count : undefined

const sumOf = (...counts: ReadonlyArray<unknown>): number =>
  counts.reduce<number>((sum, count) => known(count) ? sum + count : sum, 0)

/** A whole with its parts. Parts that exceed the whole were counted separately, whatever `isBeside` is. */
const withParts = (own: number | undefined, parts: number, isBeside = false): number | undefined =>
  own !== undefined && (isBeside || parts > own) ? own + parts : own

/**
 * The whole counts. With a total, input is the total without output, and the total shows which parts the
 * counts include. Without a total, `beside` and the sizes of the parts show this. A total below the sum of
 * the named counts is ignored, because some logs add only two of the counts.
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
  /** The input that a total leaves. */
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
