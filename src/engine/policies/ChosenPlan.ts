/** Makes the plan of a choice, which orders the attempts at the task. */
import { variantOf, modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { AttemptPlan } from "../../domain/Attempt.ts"
import * as Rounding from "../../domain/Rounding.ts"
import * as Plan from "../../stats/AttemptPlan.ts"
import * as TaskDifficulty from "../../stats/TaskDifficulty.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import { pickAt } from "../recommend/choice/DecisionRule.ts"
import type { Objective } from "../recommend/choice/Objective.ts"
import type { EngineSettings } from "../Settings.ts"
import type { AttemptCriteria } from "./AttemptCriteria.ts"
import type { NameCandidate } from "./Policy.ts"

export type PlanRule = Pick<EngineSettings, "planCandidatesMax" | "repeatShare">

interface PlannedCandidate extends Plan.PlannedAttempt {
  readonly candidate: Scored
  readonly costUsd: number
}

export interface ChosenPlan {
  readonly criteria: AttemptCriteria
  readonly attempts: ReadonlyArray<PlannedCandidate>
  readonly end: Plan.PlanEnd
  readonly expectedUsd: number
}

interface PlanQuestion {
  readonly objective: Objective
  readonly threshold: number
  /** The required candidate of the first attempt; null if the plan decides. */
  readonly first: Scored | null
  readonly allowed: ReadonlyArray<Scored>
}

/** The next attempt of a candidate with a judged attempt is a repeat. */
const isJudged = ({ judged }: AttemptCriteria, { card: { modelId } }: Scored): boolean => judged.has(modelId)

const optionOf = (
  { repeatShare }: PlanRule,
  criteria: AttemptCriteria,
  objective: Objective,
  candidate: Scored
): Plan.PlanOption => {
  const first = TaskDifficulty.curveOf(candidate.predictedSuccess, criteria.spread, criteria.weights)
  const price = candidate.cost.costUsd + criteria.checkUsd
  return {
    first,
    again: isJudged(criteria, candidate) ? first : first.map((p) => repeatShare * p),
    // The time of a check is not known, so it counts as 0.
    cost: objective.optimizeFor === "cost" ? price : objective.price(candidate),
    price
  }
}

/** Makes the plan by a value of success, or by the threshold if the value is null. */
const planBy = (
  settings: PlanRule,
  criteria: AttemptCriteria,
  choice: PlanQuestion,
  valueUsd: number | null
): ChosenPlan => {
  const { allowed, first, objective, threshold } = choice
  const from = first === null || allowed.includes(first) ? allowed : [first, ...allowed]
  const listed = Plan.shortlist(
    from.map(({ predictedSuccess }) => predictedSuccess),
    from.map(({ cost }) => cost.costUsd),
    settings.planCandidatesMax
  ).map((i) => from[i]!)
  const candidates = first === null || listed.includes(first) ? listed : [first, ...listed.slice(1)]
  const options = candidates.map((each) => optionOf(settings, criteria, objective, each))
  const { attempts, end } = Plan.planOf(criteria.weights, options, {
    value: valueUsd,
    threshold,
    attemptsMax: criteria.attemptsMax,
    totalPriceMax: criteria.totalUsdMax,
    first: first === null ? null : candidates.indexOf(first)
  }, criteria.errors)
  const planned = attempts.map((each): PlannedCandidate =>
    ({ ...each, candidate: candidates[each.option]!, costUsd: options[each.option]!.price }))
  const expectedUsd = planned.reduce((sum, { costUsd, reached }) => sum + reached * costUsd, 0)
  return { criteria, attempts: planned, end, expectedUsd }
}

export const successOf = ({ attempts }: ChosenPlan): number => attempts.at(-1)?.cumulativeSuccess ?? 0

/**
 * Makes the plan of a choice. A plan that reaches the threshold replaces a plan by value that has attempts
 * but does not reach it.
 */
export const planOf = (settings: PlanRule, criteria: AttemptCriteria, choice: PlanQuestion): ChosenPlan => {
  const { allowed, objective, threshold } = choice
  const asked = planBy(settings, criteria, choice, criteria.valueUsd)
  if (criteria.valueUsd === null || asked.attempts.length === 0) return asked
  let own = asked
  if (objective.valueUsd !== null && objective.valueUsd < criteria.valueUsd) {
    const lowered = planBy(settings, criteria, choice, objective.valueUsd)
    const first = choice.first ?? pickAt(objective, allowed, threshold) ?? null
    own = lowered.attempts.length > 0
      ? lowered
      : {
        ...planBy(settings, { ...criteria, attemptsMax: 1 }, { ...choice, first, threshold: 1 }, null),
        end: "not_worth_it"
      }
  }
  if (successOf(own) >= threshold) return own
  const reaching = planBy(settings, criteria, choice, null)
  return reaching.end === "threshold_reached" ? reaching : own
}

/** A run of a model counts for all variants of the model. */
export const hasRun = ({ ran }: AttemptCriteria, { card: { modelId } }: Pick<Scored, "card">): boolean =>
  ran.has(modelId) || (variantOf(modelId) !== null && ran.has(modelIdOf(modelId)))

export const shownPlan = (
  { attempts, end, criteria: { checkUsd } }: ChosenPlan,
  nameOf: NameCandidate
): AttemptPlan => {
  let spentUsd = 0
  return {
    attempts: attempts.map(({ candidate, cumulativeSuccess, reached, success }) => {
      const costUsd = candidate.cost.costUsd + checkUsd
      spentUsd += reached * costUsd
      return {
        ...nameOf(candidate),
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
