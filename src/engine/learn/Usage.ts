/* Computes the tokens, the latency and the cost of a reported call, and its cost at list prices. */
import type { FeedbackRequest } from "../../domain/feedback/Feedback.ts"
import { type BilledUsage, unpricedIn, usdOf, withStandIns } from "../../domain/model/Cost.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import type { Measurements } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { Unit } from "../../domain/Task.ts"
import { tokensMax } from "../../domain/Units.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import type { EngineSettings } from "../Settings.ts"

export interface Usage extends Measurements {
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

type StandInRule = Pick<EngineSettings, "standInPrices">

/**
 * Returns the total tokens. If the total is smaller than a part that it should contain, the provider counted
 * the part separately, so that the part is added.
 */
const totalWith = (whole: number | null, part: number): number | null =>
  whole === null || part <= whole ? whole : Math.min(tokensMax, whole + part)

const computedOf = (
  { standInPrices }: StandInRule,
  card: ListPrices,
  billed: BilledUsage,
  unit: Unit
): { readonly usd: number; readonly warnings: ReadonlyArray<FeedbackWarning> } => {
  const unpriced = unpricedIn(card, billed)
  const priced = unpriced.length === 0 ? card : withStandIns(card, billed, standInPrices)
  const warnings = unpriced.map((part) => `price_assumed:${part}` as const)
  return { usd: usdOf(priced, billed, unit), warnings }
}

/**
 * Returns the usage of one feedback. Tokens that were read from a cache or written to it are part of the
 * input, and reasoning tokens are part of the output. If a part is larger than its total, the provider
 * counted the two separately, so they are added, with a warning.
 *
 * The prices of `card` give the cost if there is no bill and both token counts are known. Two counts of 0
 * count as unknown, because a server that counts no tokens sends them.
 *
 * @param card the model that ran; undefined if its prices are unknown
 * @param unit whether the tokens are those of a call or of a run
 */
export const usageOf = (
  settings: StandInRule,
  request: Pick<
    FeedbackRequest,
    | "actualCostUsd" | "cachedInputTokens" | "cacheWriteHourInputTokens" | "cacheWriteInputTokens"
    | "inputTokens" | "latencyMs" | "outputTokens" | "reasoningTokens" | "serviceTier" | "timeToFirstTokenMs"
    | "webSearches"
  >,
  card: ListPrices | undefined,
  unit: Unit = "call"
): Usage => {
  const { actualCostUsd, cachedInputTokens, latencyMs, reasoningTokens } = request
  const { serviceTier, timeToFirstTokenMs } = request
  const writtenForHour = request.cacheWriteHourInputTokens ?? 0
  const written = Math.max(0, (request.cacheWriteInputTokens ?? 0) - writtenForHour)
  const cachedInput = cachedInputTokens ?? 0
  const inputTokens = totalWith(request.inputTokens, cachedInput + written + writtenForHour)
  const outputTokens = totalWith(request.outputTokens, reasoningTokens ?? 0)
  const isKnown = inputTokens !== null && outputTokens !== null && inputTokens + outputTokens > 0
  const computed = card !== undefined && isKnown && actualCostUsd === null
    ? computedOf(settings, card, {
      input: inputTokens, output: outputTokens, cachedInput, serviceTier,
      cacheWrite: written, cacheWriteHour: writtenForHour, searches: request.webSearches ?? 0
    }, unit)
    : null
  return {
    actualCostUsd,
    computedCostUsd: computed?.usd ?? null,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    reasoningTokens,
    latencyMs,
    timeToFirstTokenMs,
    warnings: [
      ...(inputTokens === request.inputTokens ? [] : ["tokens_added:cached_input_tokens" as const]),
      ...(outputTokens === request.outputTokens ? [] : ["tokens_added:reasoning_tokens" as const]),
      ...(computed?.warnings ?? [])
    ]
  }
}
