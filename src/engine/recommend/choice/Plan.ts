/** The plan of a choice: which attempts at the task to make, and in which order. */
import { armOf, modelIdOf } from "../../../domain/model/Arm.ts"
import type { AttemptPlan } from "../../../domain/Attempt.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import * as Plan from "../../../stats/AttemptPlan.ts"
import * as TaskDifficulty from "../../../stats/TaskDifficulty.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Conditioned } from "../attempts/Condition.ts"
import { checkErrors, type CheckRule } from "../attempts/KnownAttempts.ts"
import { marginalUsd, type Scored } from "../candidates/Candidate.ts"
import { pickAt } from "./DecisionRule.ts"
import type { Objective } from "./Objective.ts"

/** How many candidates a plan is made of, and what a repeat of one is worth. */
export type PlanRule = Pick<EngineSettings, "planCandidatesMax" | "repeatShare">

/** What a request asks of its plan, and what is known of its task. */
export interface TaskGoal extends Omit<Conditioned, "candidates"> {
  /** What a right result is worth, USD; null where the threshold decides. */
  readonly valueUsd: number | null
  readonly attemptsMax: number
  readonly totalUsdMax: number | null
  readonly errors: TaskDifficulty.GateErrors
  /** What a check costs, USD. */
  readonly checkUsd: number
}

type PlanRequest = Pick<
  RecommendRequest, "attempts" | "maxAttempts" | "maxTotalCostUsd" | "successValueUsd" | "verification"
>

/** Whether a request is about attempts: all others are answered without a plan. */
export const asksForPlan = (
  { attempts, maxTotalCostUsd, verification }: PlanRequest
): boolean => attempts.length > 0 || verification !== null || maxTotalCostUsd !== null

/** Without a check, every result is used. */
const unchecked: TaskDifficulty.GateErrors = { passWrong: 0, failRight: 0 }

/** The goal of a request's plan. Without a check it has one attempt, as its failure would not be noticed. */
export const planGoal = (
  settings: CheckRule,
  { maxAttempts, maxTotalCostUsd, successValueUsd, verification }: PlanRequest,
  known: Omit<Conditioned, "candidates">
): TaskGoal => {
  const check = verification === null || verification.kind === "none" ? null : verification
  return {
    ...known,
    valueUsd: successValueUsd,
    attemptsMax: check === null ? 1 : maxAttempts,
    totalUsdMax: maxTotalCostUsd,
    errors: check === null ? unchecked : checkErrors(settings, check.kind, check),
    checkUsd: check?.costUsd ?? 0
  }
}

/** One attempt of a plan. */
interface PlannedCandidate extends Plan.PlannedAttempt {
  readonly candidate: Scored
  /** What is left to pay for it, with its check, USD. */
  readonly costUsd: number
}

/** The plan that a choice was made by. */
export interface ChosenPlan {
  readonly goal: TaskGoal
  readonly attempts: ReadonlyArray<PlannedCandidate>
  readonly end: Plan.PlanEnd
  readonly expectedUsd: number
}

/** Whether there is a plan, and it advises no attempt: such an answer spends nothing. */
export const advisesNone = (plan: Pick<ChosenPlan, "attempts"> | null): boolean => plan?.attempts.length === 0

/** What a plan may be made of. */
interface PlanChoice {
  readonly objective: Objective
  /** tau, in [0, 1]. */
  readonly threshold: number
  /** The candidate that must make the first attempt; null where the plan decides. */
  readonly first: Scored | null
  /** Those that may make the others. */
  readonly allowed: ReadonlyArray<Scored>
}

/** Whether the first attempt of a plan by this candidate is a repeat of one that was judged. */
const isJudged = ({ judged }: TaskGoal, { card: { modelId } }: Scored): boolean => judged.has(modelId)

/** The candidate as an option: its curve is what the prediction says under what is known of the task. */
const optionOf = (
  { repeatShare }: PlanRule,
  goal: TaskGoal,
  objective: Objective,
  candidate: Scored
): Plan.PlanOption => {
  const first = TaskDifficulty.curveOf(candidate.predictedSuccess, goal.spread, goal.weights)
  const price = marginalUsd(candidate) + goal.checkUsd
  return {
    first,
    again: isJudged(goal, candidate) ? first : first.map((p) => repeatShare * p),
    // A check takes no time that is known, and costs what it costs.
    cost: objective.optimizeFor === "cost" ? price : objective.price(candidate),
    price
  }
}

/** The plan by value, or by the threshold. */
const planBy = (
  settings: PlanRule,
  goal: TaskGoal,
  choice: PlanChoice,
  valueUsd: number | null
): ChosenPlan => {
  const { allowed, first, objective, threshold } = choice
  const from = first === null || allowed.includes(first) ? allowed : [first, ...allowed]
  const listed = Plan.shortlist(
    from.map(({ predictedSuccess }) => predictedSuccess),
    from.map(marginalUsd),
    settings.planCandidatesMax
  ).map((i) => from[i]!)
  const candidates = first === null || listed.includes(first) ? listed : [first, ...listed.slice(1)]
  const options = candidates.map((each) => optionOf(settings, goal, objective, each))
  const { attempts, end } = Plan.planOf(goal.weights, options, {
    value: valueUsd,
    threshold,
    attemptsMax: goal.attemptsMax,
    totalPriceMax: goal.totalUsdMax,
    first: first === null ? null : candidates.indexOf(first)
  }, goal.errors)
  const planned = attempts.map((each): PlannedCandidate =>
    ({ ...each, candidate: candidates[each.option]!, costUsd: options[each.option]!.price }))
  const expectedUsd = planned.reduce((sum, { costUsd, reached }) => sum + reached * costUsd, 0)
  return { goal, attempts: planned, end, expectedUsd }
}

/** What a plan's attempts come to. */
export const successOf = ({ attempts }: ChosenPlan): number => attempts.at(-1)?.cumulativeSuccess ?? 0

/**
 * The plan of a choice. One by value that falls short of the least success gives way to one that reaches it.
 * A value that a budget has lowered bounds it, but leaves the pick of one call, so that the task is tried.
 */
export const plan = (settings: PlanRule, goal: TaskGoal, choice: PlanChoice): ChosenPlan => {
  const { allowed, objective, threshold } = choice
  const asked = planBy(settings, goal, choice, goal.valueUsd)
  if (goal.valueUsd === null || asked.attempts.length === 0) return asked
  let own = asked
  if (objective.valueUsd !== null && objective.valueUsd < goal.valueUsd) {
    const lowered = planBy(settings, goal, choice, objective.valueUsd)
    const first = choice.first ?? pickAt(objective, allowed, threshold) ?? null
    own = lowered.attempts.length > 0
      ? lowered
      : {
        ...planBy(settings, { ...goal, attemptsMax: 1 }, { ...choice, first, threshold: 1 }, null),
        end: "not_worth_it"
      }
  }
  if (successOf(own) >= threshold) return own
  const reaching = planBy(settings, goal, choice, null)
  return reaching.end === "threshold_reached" ? reaching : own
}

/** Whether a candidate has run at the task, at whatever level where it has none. */
export const hasRun = ({ ran }: TaskGoal, { card: { modelId } }: Scored): boolean =>
  ran.has(modelId) || (armOf(modelId) !== null && ran.has(modelIdOf(modelId)))

/** The plan as the caller reads it, at list prices. */
export const shownPlan = (
  { attempts, end, goal: { checkUsd } }: ChosenPlan,
  shown: (candidate: Scored) => Pick<
    AttemptPlan["attempts"][number], "effort" | "modelId" | "requestedModelId"
  >
): AttemptPlan => {
  let spentUsd = 0
  return {
    attempts: attempts.map(({ candidate, cumulativeSuccess, reached, success }) => {
      const costUsd = candidate.cost.costUsd + checkUsd
      spentUsd += reached * costUsd
      return {
        ...shown(candidate),
        predictedSuccess: Rounding.probability(success),
        estCostUsd: Rounding.usd(costUsd),
        cumulativeSuccess: Rounding.probability(cumulativeSuccess),
        cumulativeCostUsd: Rounding.usd(spentUsd)
      }
    }),
    expectedSuccess: Rounding.probability(attempts.at(-1)?.cumulativeSuccess ?? 0),
    expectedCostUsd: Rounding.usd(spentUsd),
    stopReason: end
  }
}
