/**
 * The goal of a request whose account has a budget: its threshold, or its value, lowered by the shift of
 * `stats/BudgetPacing`.
 */
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../../domain/SliderThreshold.ts"
import type { BudgetState } from "../../../stats/BudgetState.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type CostedCandidate, type CostedCandidates, marginalUsd } from "../candidates/Candidate.ts"
import { type ChoiceRule, type Goal, type Optimized, optimizeWith } from "./Choose.ts"
import { advisesNone } from "./Plan.ts"
import { threshold } from "./Threshold.ts"

/**
 * What a call may well cost, USD: the upper quartile of what such calls did, where outcomes give one. Nothing
 * of a call that is paid already.
 */
export const reservedUsd = (
  { costHighRatio }: Pick<EngineSettings, "costHighRatio">,
  { cost: { costUsd, highUsd }, isPrepaid }: Pick<CostedCandidate, "cost" | "isPrepaid">
): number => isPrepaid === true ? 0 : Math.max(costUsd, highUsd ?? costHighRatio * costUsd)

/** What a request asks of its goal. */
type RequestedGoal = Pick<RecommendRequest, "constraints" | "costQualityTradeoff">

/**
 * The goal so many slider units lower, with tau never below `minQuality`: the slider of a tau under that of
 * slider 0 would be below 0. A lower goal is chosen for by cost, whatever the request optimizes for, because
 * the fastest model at a lower tau is not cheaper. A value is divided by e for every unit, and is 0 at the
 * highest shift: a price on money, as a budget has, is a division of what success is worth. The goal itself
 * where nothing is lower.
 */
export const loweredGoal = (
  settings: ThresholdRule & Pick<EngineSettings, "pacing">,
  { constraints: { minQuality }, costQualityTradeoff }: RequestedGoal,
  goal: Goal,
  shift: number
): Goal => {
  if (goal.valueUsd !== null) {
    const valueUsd = shift >= settings.pacing.shiftMax ? 0 : goal.valueUsd * Math.exp(-Math.max(0, shift))
    return valueUsd < goal.valueUsd ? { ...goal, valueUsd } : goal
  }
  const lowered = threshold(settings, costQualityTradeoff - Math.max(0, shift), minQuality)
  return lowered < goal.threshold
    ? { ...goal, threshold: lowered, slider: Math.max(0, costQualityTradeoff - shift), optimizeFor: "cost" }
    : goal
}

/** Whether a goal is lower than the one it was made from. */
export const isLower = (goal: Goal, asked: Goal): boolean =>
  goal.threshold < asked.threshold || (goal.valueUsd ?? 0) < (asked.valueUsd ?? 0)

/** The goal that the budget leaves. */
export interface AffordableGoal {
  readonly goal: Goal
  /** The lowest goal, for a pick that turns out not to fit; null where it could not change the pick. */
  readonly lowest: Goal | null
  /** The least that the request could cost, USD by estimates. */
  readonly leastUsd: number
}

/**
 * The goal, or the lowest one where its pick would reserve more than is left of the budget. Nothing is
 * explored while some candidate would: it could be drawn.
 */
export const affordableGoal = (
  settings: ChoiceRule & ThresholdRule & Pick<EngineSettings, "costHighRatio" | "pacing">,
  asked: RequestedGoal,
  goal: Goal,
  candidates: CostedCandidates,
  { billsPerEstimate, leftUsd }: BudgetState
): AffordableGoal => {
  const chosenAt = (at: Goal): Optimized =>
    optimizeWith(settings, candidates, { ...at, selectionPolicy: "argmin" }, 0)
  const fits = (candidate: CostedCandidate): boolean =>
    billsPerEstimate * reservedUsd(settings, candidate) <= leftUsd
  // Of a plan, what all its attempts are expected to cost must fit as well. One without any costs nothing.
  const isAffordable = ({ deterministic, plan }: Optimized): boolean =>
    advisesNone(plan)
    || fits(deterministic) && billsPerEstimate * (plan?.expectedUsd ?? 0) <= leftUsd
  const lowered = loweredGoal(settings, asked, goal, settings.pacing.shiftMax)
  const lowest: Goal = { ...lowered, selectionPolicy: "argmin" }
  const least = chosenAt(lowest)
  const leastUsd = marginalUsd(least.deterministic)
  if (!isAffordable(lowered === goal ? least : chosenAt(goal))) {
    return { goal: lowest, lowest: null, leastUsd }
  }
  const cautious: Goal = candidates.every(fits) ? goal : { ...goal, selectionPolicy: "argmin" }
  // A guarantee decides its pick, and has drawn.
  const isLowest = goal.guarantee !== null
    || (!isLower(lowest, cautious) && cautious.selectionPolicy === "argmin")
  return { goal: cautious, lowest: isLowest ? null : lowest, leastUsd }
}
