/** Lowers the threshold or the value of success of a request if its account spends its budget too fast. */
import type { SelectionPolicy } from "../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../domain/SliderThreshold.ts"
import type { BudgetState } from "../../stats/BudgetState.ts"
import type { CostedCandidate, CostedCandidates } from "../recommend/candidates/Candidate.ts"
import type { EngineSettings } from "../Settings.ts"
import { type Criteria, type CriteriaLevels, criteriaOf, type SentCriteria, threshold } from "./Criteria.ts"
import type { Choice } from "./Policy.ts"

/** Reserve of a call, USD: the measured or assumed upper quartile of its cost, at least its estimate. */
export const reservedUsd = (
  { costHighRatio }: Pick<EngineSettings, "costHighRatio">,
  { cost: { costUsd, highUsd } }: Pick<CostedCandidate, "cost">
): number => Math.max(costUsd, highUsd ?? costHighRatio * costUsd)

/**
 * Lowers the criteria by `shift` slider units. Tau never falls below `minQuality`. With a lowered tau, the
 * choice minimises cost, because the fastest model may not be cheaper. A value of success is divided by e for
 * every unit, and is 0 at the highest shift.
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

const fitsInto = (
  settings: Pick<EngineSettings, "costHighRatio">,
  { billsPerEstimate, leftUsd }: BudgetState
) => (candidate: CostedCandidate): boolean => billsPerEstimate * reservedUsd(settings, candidate) <= leftUsd

/**
 * Returns two sets of criteria: lowered by pacing, and the lowest possible. Exploration stops while the
 * reserve of any candidate is more than the budget has left.
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

/** Tells whether the budget covers the pick made without a random draw, and a plan's expected cost. */
export const isAffordable = (
  settings: Pick<EngineSettings, "costHighRatio">,
  { deterministic, expectedUsd, isIdle }: Choice,
  state: BudgetState
): boolean =>
  isIdle || fitsInto(settings, state)(deterministic)
    && state.billsPerEstimate * (expectedUsd ?? 0) <= state.leftUsd
