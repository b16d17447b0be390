/**
 * The criteria of a request whose account has a budget: its threshold, or its value, lowered by the shift of
 * `stats/BudgetPacing`.
 */
import type { SelectionPolicy } from "../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../domain/SliderThreshold.ts"
import type { BudgetState } from "../../stats/BudgetState.ts"
import type { CostedCandidate, CostedCandidates } from "../recommend/candidates/Candidate.ts"
import type { EngineSettings } from "../Settings.ts"
import { type Criteria, type CriteriaLevels, criteriaOf, type SentCriteria, threshold } from "./Criteria.ts"
import type { Choice } from "./Policy.ts"

/**
 * The amount that a call reserves, USD: the upper quartile of the cost of such calls, if outcomes give one.
 */
export const reservedUsd = (
  { costHighRatio }: Pick<EngineSettings, "costHighRatio">,
  { cost: { costUsd, highUsd } }: Pick<CostedCandidate, "cost">
): number => Math.max(costUsd, highUsd ?? costHighRatio * costUsd)

/**
 * The criteria, lowered by `shift` slider units. The slider may be below 0; tau is never below `minQuality`.
 * The choice then minimises cost whatever the request optimizes for, because the fastest model at a lower tau
 * is not cheaper. A value is divided by e for every unit, because a budget puts a price on money; at the
 * highest shift it is 0. If nothing is lower, the criteria are the same object.
 */
export const loweredCriteria = (
  settings: ThresholdRule & Pick<EngineSettings, "pacing">,
  { constraints: { minQuality }, costQualityTradeoff }: Pick<
    SentCriteria, "constraints" | "costQualityTradeoff"
  >,
  criteria: Criteria,
  shift: number
): Criteria => {
  if (criteria.valueUsd !== null) {
    const valueUsd = shift >= settings.pacing.shiftMax ? 0 : criteria.valueUsd * Math.exp(-Math.max(0, shift))
    return valueUsd < criteria.valueUsd ? { ...criteria, valueUsd, isLowered: true } : criteria
  }
  const lowered = threshold(settings, costQualityTradeoff - Math.max(0, shift), minQuality)
  return lowered < criteria.threshold
    ? {
      ...criteria, threshold: lowered, slider: Math.max(0, costQualityTradeoff - shift), optimizeFor: "cost",
      isLowered: true
    }
    : criteria
}

/** Whether the rest of a budget covers a candidate's reserve. */
const fitsInto = (
  settings: Pick<EngineSettings, "costHighRatio">,
  { billsPerEstimate, leftUsd }: BudgetState
) => (candidate: CostedCandidate): boolean => billsPerEstimate * reservedUsd(settings, candidate) <= leftUsd

/**
 * The criteria at the budget's shift, and the lowest. Nothing is explored while some candidate does not fit
 * into the rest, because it could be drawn.
 */
export const criteriaLevels = (
  settings: ThresholdRule & Pick<EngineSettings, "costHighRatio" | "pacing" | "selectionPolicy">,
  request: SentCriteria,
  ofAccount: SelectionPolicy | null,
  candidates: CostedCandidates,
  state: BudgetState | null
): CriteriaLevels => {
  const sent = criteriaOf(settings, request, ofAccount ?? settings.selectionPolicy)
  if (state === null) return { asked: sent, lowest: null }
  const paced = loweredCriteria(settings, request, sent, state.shift)
  const asked: Criteria = candidates.every(fitsInto(settings, state))
    ? paced
    : { ...paced, selectionPolicy: "argmin" }
  const lowest = loweredCriteria(settings, request, paced, settings.pacing.shiftMax)
  return {
    asked,
    lowest: lowest === paced && asked.selectionPolicy === "argmin"
      ? null
      : { ...lowest, selectionPolicy: "argmin" }
  }
}

/**
 * Whether a choice fits into the rest of the budget: its pick without a draw, and the expected cost of all
 * calls that it plans. A choice that advises no call costs nothing.
 */
export const isAffordable = (
  settings: Pick<EngineSettings, "costHighRatio">,
  { deterministic, expectedUsd, isIdle }: Choice,
  state: BudgetState
): boolean =>
  isIdle || fitsInto(settings, state)(deterministic)
    && state.billsPerEstimate * (expectedUsd ?? 0) <= state.leftUsd
