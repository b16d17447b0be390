/* The tokens, latency and cost of a reported call, and its cost at list prices. */
import type { FeedbackRequest } from "../../domain/Feedback.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import type { Measurements } from "../../domain/FeedbackPrecedence.ts"
import { tokensMax } from "../../domain/Units.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"

/** The measurements of one feedback, and what had to be corrected in them. */
export interface Usage extends Measurements {
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/**
 * The cost in USD of a call's tokens at list prices. Cached input is at the price of reading the cache, and
 * without such a price at that of any input. Writing to a cache is not priced: no field says how much it was.
 */
const listCostUsd = (
  { cacheReadCostPerMtok, inputCostPerMtok, outputCostPerMtok }: ListPrices,
  tokens: { readonly input: number; readonly cachedInput: number; readonly output: number }
): number =>
  ((tokens.input - tokens.cachedInput) * inputCostPerMtok
    + tokens.cachedInput * (cacheReadCostPerMtok ?? inputCostPerMtok)
    + tokens.output * outputCostPerMtok) / 1e6

/** Total tokens. A provider that reports a total below its part counted them separately: they are added. */
const totalWith = (whole: number | null, part: number | null): number | null =>
  whole === null || part === null || part <= whole ? whole : Math.min(tokensMax, whole + part)

/**
 * The usage of one feedback. Cached tokens are part of the input, and reasoning tokens of the output. A part
 * that exceeds its whole was counted beside it, as some providers do, so it is added, with a warning: the
 * outcome is worth more than a refusal, and a clamp would bill next to nothing of a long cached prompt.
 *
 * @param card the model that ran; its prices give the cost where both token counts are known and no bill is.
 *   Undefined for a model that the catalog does not have.
 * @param isPrepaid whether the call's tokens were paid already: a bill of 0 then says that nothing is left to
 *   pay, not what the tokens are worth, and list prices take its place
 */
export const usageOf = (
  request: Pick<
    FeedbackRequest,
    | "actualCostUsd" | "cachedInputTokens" | "inputTokens" | "latencyMs" | "outputTokens"
    | "reasoningTokens" | "timeToFirstTokenMs"
  >,
  card: ListPrices | undefined,
  isPrepaid = false
): Usage => {
  const actualCostUsd = isPrepaid && request.actualCostUsd === 0 ? null : request.actualCostUsd
  const { cachedInputTokens, latencyMs, reasoningTokens, timeToFirstTokenMs } = request
  const inputTokens = totalWith(request.inputTokens, cachedInputTokens)
  const outputTokens = totalWith(request.outputTokens, reasoningTokens)
  const isComputable = card !== undefined && inputTokens !== null && outputTokens !== null
  return {
    actualCostUsd,
    computedCostUsd: isComputable && actualCostUsd === null
      ? listCostUsd(card, { input: inputTokens, cachedInput: cachedInputTokens ?? 0, output: outputTokens })
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
