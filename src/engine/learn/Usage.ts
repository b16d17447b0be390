/* The tokens, latency and cost of a reported call, and its cost at list prices. */
import type { FeedbackRequest } from "../../domain/Feedback.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import type { Measurements } from "../../domain/FeedbackPrecedence.ts"
import { tokensMax } from "../../domain/Units.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import type { EngineSettings } from "../Settings.ts"

/** The measurements of one feedback, and what had to be corrected in them. */
export interface Usage extends Measurements {
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/** Tokens of a call, count. */
interface BilledTokens {
  readonly input: number
  readonly output: number
  /** Disjoint parts of the input: read from a cache, and written to one as is usual or for an hour. */
  readonly cachedInput: number
  readonly written: number
  readonly writtenForHour: number
}

/** What writing to a cache costs. */
type CacheWriteRule = Pick<EngineSettings, "cacheWritePriceRatio">

/**
 * The cost in USD of a call's tokens at list prices. Cached input is at the price of reading the cache, and
 * without such a price at that of any input.
 */
const listCostUsd = (
  { cacheWritePriceRatio: { hour, usual } }: CacheWriteRule,
  { cacheReadCostPerMtok, inputCostPerMtok, outputCostPerMtok }: ListPrices,
  { cachedInput, input, output, written, writtenForHour }: BilledTokens
): number =>
  ((input - cachedInput + written * (usual - 1) + writtenForHour * (hour - 1)) * inputCostPerMtok
    + cachedInput * (cacheReadCostPerMtok ?? inputCostPerMtok)
    + output * outputCostPerMtok) / 1e6

/** Total tokens. A provider that reports a total below its part counted them separately: they are added. */
const totalWith = (whole: number | null, part: number): number | null =>
  whole === null || part <= whole ? whole : Math.min(tokensMax, whole + part)

/**
 * The usage of one feedback. Tokens that a cache held or took are part of the input, and reasoning tokens of
 * the output. A part that exceeds its whole was counted beside it, as some providers do, so it is added,
 * with a warning: the outcome is worth more than a refusal, and a clamp would bill next to nothing of a long
 * cached prompt.
 *
 * @param card the model that ran; its prices give the cost where both token counts are known and no bill is.
 *   Undefined for a model that the catalog does not have.
 * @param isPrepaid whether the call's tokens were paid already: a bill of 0 then says that nothing is left to
 *   pay, not what the tokens are worth, and list prices take its place
 */
export const usageOf = (
  settings: CacheWriteRule,
  request: Pick<
    FeedbackRequest,
    | "actualCostUsd" | "cachedInputTokens" | "cacheWriteHourInputTokens" | "cacheWriteInputTokens"
    | "inputTokens" | "latencyMs" | "outputTokens" | "reasoningTokens" | "timeToFirstTokenMs"
  >,
  card: ListPrices | undefined,
  isPrepaid = false
): Usage => {
  const actualCostUsd = isPrepaid && request.actualCostUsd === 0 ? null : request.actualCostUsd
  const { cachedInputTokens, latencyMs, reasoningTokens, timeToFirstTokenMs } = request
  const writtenForHour = request.cacheWriteHourInputTokens ?? 0
  const written = Math.max(0, (request.cacheWriteInputTokens ?? 0) - writtenForHour)
  const cachedInput = cachedInputTokens ?? 0
  const inputTokens = totalWith(request.inputTokens, cachedInput + written + writtenForHour)
  const outputTokens = totalWith(request.outputTokens, reasoningTokens ?? 0)
  const isComputable = card !== undefined && inputTokens !== null && outputTokens !== null
  return {
    actualCostUsd,
    computedCostUsd: isComputable && actualCostUsd === null
      ? listCostUsd(settings, card, {
        input: inputTokens, output: outputTokens, cachedInput, written, writtenForHour
      })
      : null,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    reasoningTokens,
    latencyMs,
    timeToFirstTokenMs,
    warnings: [
      ...(inputTokens === request.inputTokens ? [] : ["tokens_added:cached_input_tokens" as const]),
      ...(outputTokens === request.outputTokens ? [] : ["tokens_added:reasoning_tokens" as const])
    ]
  }
}
