/** The choice among candidates with their costs: limits, optimism, score, pick, exploration and fallback. */
import type { OptimizeFor, RecommendRequest, SelectionPolicy } from "../../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../../domain/SliderThreshold.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import * as Beta from "../../../stats/Beta.ts"
import type { FlipRule } from "../../../stats/NearestFlip.ts"
import { costTieUsd } from "../../../stats/PolicyRules.ts"
import {
  type CostedCandidate, type CostedCandidates, marginalUsd, type Scored
} from "../candidates/Candidate.ts"
import { type CallLimits, withinCost, withinLatency } from "./CallLimits.ts"
import { eligibleAt, moreReliable, pickAt, ruleOf } from "./DecisionRule.ts"
import { explore, type ExplorationRule } from "./Explore.ts"
import type { GuaranteeGoal } from "./GuaranteeGoal.ts"
import { type GuaranteeChoiceRule, guaranteed, type Guaranteed } from "./GuaranteedPick.ts"
import { type HealthGoal, withinHealth } from "./Health.ts"
import { type IncumbentGoal, type IncumbentRule, keptIncumbent } from "./Incumbent.ts"
import { type Objective, objectiveOf, type ObjectiveRule } from "./Objective.ts"
import { optimistic } from "./Optimism.ts"
import { type ChosenPlan, plan, type PlanRule, successOf, type TaskGoal } from "./Plan.ts"
import { fallbackFor, type RankingRule, scored } from "./Ranking.ts"
import { leastSuccess, threshold } from "./Threshold.ts"

/** Score, tie and margin of the choice. */
export type ChoiceRule = ExplorationRule
  & GuaranteeChoiceRule & IncumbentRule & ObjectiveRule & PlanRule & RankingRule
  & ThresholdRule

/** What the caller asks of the choice. */
export interface Goal {
  /** The success that a pick must reach, in [0, 1]: tau; under a value only what the request asks for. */
  readonly threshold: number
  /** What a right result is worth, USD, >= 0: it decides among those; null where cost or latency does. */
  readonly valueUsd: number | null
  /** The slider, in [0, 10]; a value takes its place. */
  readonly slider: number
  readonly limits: CallLimits
  readonly optimizeFor: OptimizeFor
  readonly selectionPolicy: SelectionPolicy
  /** Null without a guarantee. */
  readonly guarantee: GuaranteeGoal | null
  /** The model that the conversation runs on; null for none that the catalog knows. */
  readonly incumbent: IncumbentGoal | null
  /** Null for a request that is not about attempts. */
  readonly plan: TaskGoal | null
  /** Null where every candidate can be called. */
  readonly health: HealthGoal | null
}

/** The goal of a request, under a policy, without an incumbent and a plan. */
export const goalOf = (
  settings: ThresholdRule,
  { constraints, costQualityTradeoff, optimizeFor, successValueUsd }: Pick<
    RecommendRequest, "constraints" | "costQualityTradeoff" | "optimizeFor" | "successValueUsd"
  >,
  selectionPolicy: SelectionPolicy,
  guarantee: GuaranteeGoal | null = null
): Goal => ({
  threshold: successValueUsd === null
    ? threshold(settings, costQualityTradeoff, constraints.minQuality)
    : leastSuccess(constraints.minQuality),
  valueUsd: successValueUsd,
  slider: costQualityTradeoff,
  limits: { maxCostPerCall: constraints.maxCostPerCall, maxLatencyMs: constraints.maxLatencyMs },
  optimizeFor,
  selectionPolicy,
  guarantee,
  incumbent: null,
  plan: null,
  health: null
})

/** The choice, and all that explains it. */
export interface Optimized {
  readonly pick: Scored
  /** What the pick would be without exploration, or without a trial of the guarantee. */
  readonly deterministic: Scored
  readonly fallback: Scored | null
  /** Every remaining candidate, best score first. */
  readonly ranked: ReadonlyArray<Scored>
  readonly eligible: ReadonlyArray<Scored>
  readonly propensity: number
  /** What was chosen under the guarantee; null without one, and without its baseline. */
  readonly guaranteed: Pick<Guaranteed, "answer" | "trial"> | null
  /** What the pick is the first attempt of; null where the request is not about attempts. */
  readonly plan: ChosenPlan | null
  /** What the incumbent is kept in place of; null where it is not, and where it would be picked anyway. */
  readonly replaced: Scored | null
  readonly objective: Objective
  /** What made the deterministic pick, over every remaining candidate. */
  readonly rule: FlipRule
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** The candidate with the interval that belongs to its optimistic prediction. */
const withInterval = (candidate: CostedCandidate): CostedCandidate => {
  const { high, low } = Beta.interval95(Beta.ofMean(candidate.predictedSuccess, candidate.sampleSize))
  return { ...candidate, successLow: low, successHigh: high }
}

/** The pick, what it would be without a draw, and the probability with which it was made. */
interface Picked extends Pick<
  Optimized, "deterministic" | "guaranteed" | "notes" | "pick" | "plan" | "propensity" | "replaced"
> {
  /** Those that may run when the pick fails. */
  readonly allowed: ReadonlyArray<Scored>
}

/**
 * The pick of a plan: its first attempt. One attempt is the pick of every other choice, and so is what is
 * recommended where nothing is worth trying.
 */
const planned = (
  settings: PlanRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  goal: TaskGoal,
  threshold: number
): Picked => {
  const usual = pickAt(objective, ranked, threshold) as Scored
  const isUsual = goal.attemptsMax === 1 && goal.totalUsdMax === null
  const first = isUsual ? usual : null
  const chosen = plan(settings, goal, { objective, threshold, first, allowed: ranked })
  const pick = chosen.attempts[0]?.candidate ?? usual
  return {
    pick, deterministic: pick, propensity: 1, guaranteed: null, plan: chosen, replaced: null, notes: [],
    allowed: ranked
  }
}

/**
 * The pick of a guarantee, and the plan that begins with it. Only the first attempt at a task is a trial.
 * Where the pick has failed at the task, the plan decides. A cheaper model than the baseline makes no other
 * attempt, and is no fallback, unless it is held.
 */
const guaranteedPick = (
  settings: ChoiceRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  { guarantee, plan: goal, threshold }: Goal & { readonly guarantee: GuaranteeGoal },
  uniform: number
): Picked | null => {
  const isShadow = guarantee.isShadow || (goal !== null && goal.made > 0)
  const guard = guaranteed(settings, objective, { ...guarantee, isShadow }, ranked, threshold, uniform)
  if (guard === null) return null
  const { notes, pick, propensity, usual } = guard
  const baseline = ranked.find(({ card }) => card.modelId === guarantee.baselineModelId)
  const baselineUsd = baseline === undefined ? 0 : marginalUsd(baseline)
  const allowed = ranked.filter((each) => each === usual || marginalUsd(each) >= baselineUsd - costTieUsd)
  const own = {
    pick, deterministic: usual, propensity, guaranteed: guard, plan: null, replaced: null, notes, allowed
  }
  if (goal === null) return own
  const hasFailed = goal.failed.includes(pick.card.modelId)
  const chosen = plan(settings, goal, { objective, threshold, first: hasFailed ? null : pick, allowed })
  const next = hasFailed ? chosen.attempts[0]?.candidate ?? pick : pick
  return { ...own, pick: next, deterministic: hasFailed ? next : usual, plan: chosen }
}

/** The pick among the candidates that the limits leave. There is one, because they relax. */
const picked = (
  settings: ChoiceRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  eligible: ReadonlyArray<Scored>,
  goal: Goal,
  uniform: number
): Picked => {
  const { guarantee, selectionPolicy, threshold } = goal
  const guard = guarantee === null
    ? null
    : guaranteedPick(settings, objective, ranked, { ...goal, guarantee }, uniform)
  if (guard !== null) return guard
  // What is asked for cannot be promised, so nothing is risked on top.
  const notes = guarantee === null ? [] : ["guarantee_baseline_unavailable" as const]
  if (goal.plan !== null) return { ...planned(settings, objective, ranked, goal.plan, threshold), notes }
  const usual = pickAt(objective, ranked, threshold) as Scored
  const kept = selectionPolicy === "argmin"
    ? keptIncumbent(settings, objective, ranked, usual, goal.incumbent, threshold)
    : null
  const deterministic = kept ?? usual
  const { pick, propensity } = guarantee === null && selectionPolicy === "epsilon_softmax"
    ? explore(settings, objective, deterministic, eligible, uniform)
    : { pick: deterministic, propensity: 1 }
  const replaced = kept === null ? null : usual
  return { pick, deterministic, propensity, guaranteed: null, plan: null, replaced, notes, allowed: ranked }
}

/** Whether nothing reaches the threshold, which a plan may by several attempts. */
const fallsShort = (eligible: ReadonlyArray<Scored>, { pick, plan }: Picked, threshold: number): boolean =>
  plan === null
    ? eligible.length === 0
    : plan.end !== "threshold_reached" && Math.max(successOf(plan), pick.predictedSuccess) < threshold

/** Whether even the pick costs more than its success is worth; a plan then makes no attempt. */
const isLoss = ({ of, valueUsd }: Objective, { deterministic, plan }: Picked): boolean =>
  valueUsd !== null && plan === null && of(deterministic) > 0

/**
 * Of the candidates that clear the threshold the cheapest, the fastest or the one that is worth most; where
 * none does, the likeliest.
 *
 * @param uniform in [0, 1), the only randomness, and only under `epsilon_softmax` or a guarantee
 */
export const optimizeWith = (
  settings: ChoiceRule,
  candidates: CostedCandidates,
  goal: Goal,
  uniform: number
): Optimized => {
  const cost = withinCost(candidates, goal.limits.maxCostPerCall)
  const latency = withinLatency(cost.kept, goal.limits.maxLatencyMs)
  const health = withinHealth(latency.kept, goal.health, goal.guarantee?.baselineModelId ?? null)
  const { notes, objective } = objectiveOf(settings, goal, health.kept)
  const optimisticCandidates = optimistic(objective, health.kept, goal.threshold).map((each, i) =>
    each === health.kept[i] ? each : withInterval(each))
  const ranked = [...scored(settings, objective, optimisticCandidates, goal.slider)]
    .sort((a, b) => b.score - a.score || moreReliable(a, b))
  const eligible = eligibleAt(ranked, goal.threshold)
  const choice = picked(settings, objective, ranked, eligible, goal, uniform)
  const { deterministic, pick } = choice
  return {
    pick,
    deterministic,
    fallback: choice.plan?.attempts.find(({ candidate }) => candidate !== pick)?.candidate
      ?? fallbackFor(settings, objective, pick, choice.allowed, health.kept, goal.threshold),
    ranked,
    eligible,
    propensity: choice.propensity,
    guaranteed: choice.guaranteed,
    plan: choice.plan,
    replaced: choice.replaced,
    objective,
    rule: ruleOf(settings, objective, health.kept, goal.threshold),
    notes: [
      ...cost.notes,
      ...latency.notes,
      ...health.notes,
      ...notes,
      ...choice.notes,
      ...(fallsShort(eligible, choice, goal.threshold) ? ["no_model_meets_threshold" as const] : []),
      ...(isLoss(objective, choice) ? ["no_model_worth_its_cost" as const] : []),
      ...(pick !== deterministic ? ["exploration_pick" as const] : [])
    ]
  }
}
