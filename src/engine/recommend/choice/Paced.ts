/** The goal of a request whose account has a budget: how far its threshold is lowered. */
import type { Budget } from "../../../domain/Budget.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { BudgetStanding } from "../../../stats/Pacer.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { PricedCandidates } from "../candidates/Candidate.ts"
import { choose, type ChoiceRule, type Goal } from "./Choose.ts"
import { threshold, type ThresholdRule } from "./Threshold.ts"

/** An account's budget, and how it stands. */
export interface PacedBudget {
  readonly budget: Budget
  readonly standing: BudgetStanding
}

/** What a request asks of its goal. */
type Asked = Pick<RecommendRequest, "constraints" | "costQualityTradeoff">

/**
 * The goal so many slider units lower, with tau never below `minQuality`: the slider of a tau under that of
 * slider 0 would be below 0. A lower goal is chosen for by cost, whatever the request optimizes for, because
 * the fastest model at a lower tau is not cheaper. The goal itself where tau stays.
 */
export const loweredGoal = (
  settings: ThresholdRule,
  { constraints: { minQuality }, costQualityTradeoff }: Asked,
  goal: Goal,
  shift: number
): Goal => {
  const lowered = threshold(settings, costQualityTradeoff - Math.max(0, shift), minQuality)
  return lowered < goal.threshold
    ? { ...goal, threshold: lowered, slider: Math.max(0, costQualityTradeoff - shift), optimizeFor: "cost" }
    : goal
}

/** The goal that the budget leaves, and the least that the request could cost, USD by estimates. */
interface AffordableGoal {
  readonly goal: Goal
  readonly leastUsd: number
}

/**
 * The goal, or the lowest one where its pick would cost more than is left of the budget. Nothing is explored
 * then either: at a low threshold the most expensive models are eligible, and would be drawn.
 */
export const affordableGoal = (
  settings: ChoiceRule & ThresholdRule & Pick<EngineSettings, "pacing">,
  asked: Asked,
  goal: Goal,
  candidates: PricedCandidates,
  { billsPerEstimate, leftUsd }: BudgetStanding
): AffordableGoal => {
  const costAt = (at: Goal): number =>
    choose(settings, candidates, { ...at, selectionPolicy: "argmin" }, 0).deterministic.cost.costUsd
  const lowest = loweredGoal(settings, asked, goal, settings.pacing.shiftMax)
  const leastUsd = costAt(lowest)
  const costUsd = lowest === goal ? leastUsd : costAt(goal)
  return costUsd * billsPerEstimate <= leftUsd
    ? { goal, leastUsd }
    : { goal: { ...lowest, selectionPolicy: "argmin" }, leastUsd }
}
