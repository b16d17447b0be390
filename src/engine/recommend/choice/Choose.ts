/** The choice among candidates with their costs: limits, optimism, score, pick, exploration and fallback. */
import type { OptimizeFor, RecommendRequest, SelectionPolicy } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import * as Beta from "../../../stats/Beta.ts"
import type { TauRule } from "../../../stats/Flip.ts"
import type { EngineSettings } from "../../Settings.ts"
import {
  type CostedCandidate, type CostedCandidates, marginalUsd, type Scored
} from "../candidates/Candidate.ts"
import { type CallLimits, withinCost, withinLatency } from "./CallLimits.ts"
import { explore, type ExplorationRule } from "./Explore.ts"
import type { GuaranteeGoal } from "./GuaranteeGoal.ts"
import { type GuaranteeChoiceRule, guaranteed, type Guaranteed } from "./GuaranteedPick.ts"
import { type HealthGoal, withinHealth } from "./Health.ts"
import { type IncumbentGoal, type IncumbentRule, keptIncumbent } from "./Incumbent.ts"
import { type Objective, objectiveOf, type ObjectiveRule } from "./Objective.ts"
import { optimistic } from "./Optimism.ts"
import { bestRemaining, type ChosenPlan, plan, type PlanGoal, type PlanRule } from "./Plan.ts"
import { eligibleAt, lowest, moreReliable, pickAt, ruleOf } from "./Rule.ts"
import { threshold, type ThresholdRule } from "./Threshold.ts"

/** Score, tie and margin of the choice. */
export type ChoiceRule = ExplorationRule
  & GuaranteeChoiceRule & IncumbentRule & ObjectiveRule & PlanRule & Pick<
  EngineSettings, "fallbackMargin" | "scoreSuccessBase" | "scoreSuccessPerSlider"
>

/** What the caller asks of the choice. */
export interface Goal {
  /** tau, in [0, 1]. */
  readonly threshold: number
  /** The slider, in [0, 10]. */
  readonly slider: number
  readonly limits: CallLimits
  readonly optimizeFor: OptimizeFor
  readonly selectionPolicy: SelectionPolicy
  /** Null without a guarantee. */
  readonly guarantee: GuaranteeGoal | null
  /** The model that the conversation runs on; null for none that the catalog knows. */
  readonly incumbent: IncumbentGoal | null
  /** Null for a request that is not about attempts. */
  readonly plan: PlanGoal | null
  /** Null where every candidate can be called. */
  readonly health: HealthGoal | null
}

/** The goal of a request, under a policy, without an incumbent and a plan. */
export const goalOf = (
  settings: ThresholdRule,
  { constraints, costQualityTradeoff, optimizeFor }: Pick<
    RecommendRequest, "constraints" | "costQualityTradeoff" | "optimizeFor"
  >,
  selectionPolicy: SelectionPolicy,
  guarantee: GuaranteeGoal | null = null
): Goal => ({
  threshold: threshold(settings, costQualityTradeoff, constraints.minQuality),
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
  readonly rule: TauRule
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** score = lambda * p - (1 - lambda) * cost / max cost, lambda rising with the slider; or with latencies. */
const scored = (
  settings: Pick<ChoiceRule, "scoreSuccessBase" | "scoreSuccessPerSlider">,
  { of }: Objective,
  candidates: ReadonlyArray<CostedCandidate>,
  slider: number
): ReadonlyArray<Scored> => {
  const most = Math.max(...candidates.map(of))
  const lambda = settings.scoreSuccessBase + settings.scoreSuccessPerSlider * slider
  return candidates.map((each) => ({
    ...each,
    score: Rounding.figure(
      lambda * each.predictedSuccess - (1 - lambda) * (most > 0 ? of(each) / most : 0)
    )
  }))
}

/**
 * What to try when the pick fails: of the other candidates that are likelier than the pick the cheapest, or
 * the fastest, that clears the threshold with a margin, else the cheapest or fastest; null for none. By
 * plain predictions, because an optimistic fallback would be a second experiment.
 *
 * @param known the candidates with their plain predictions
 */
const fallbackFor = (
  settings: Pick<ChoiceRule, "fallbackMargin">,
  objective: Objective,
  pick: Scored,
  ranked: ReadonlyArray<Scored>,
  known: ReadonlyArray<CostedCandidate>,
  threshold: number
): Scored | null => {
  // The pick counts as the answer shows it, so an optimistic pick has no fallback that looks less reliable.
  const likelier = known.filter((each) => each.predictedSuccess > pick.predictedSuccess)
  const chosen = lowest(objective, eligibleAt(likelier, threshold + settings.fallbackMargin))
    ?? lowest(objective, likelier)
  return ranked.find((each) => each.card.modelId === chosen?.card.modelId) ?? null
}

/** The candidate with the interval that belongs to its optimistic prediction. */
const withInterval = (candidate: CostedCandidate): CostedCandidate => {
  const { high, low } = Beta.interval95(Beta.ofMean(candidate.predictedSuccess, candidate.sampleSize))
  return { ...candidate, successLow: low, successHigh: high }
}

/** The pick, what it would be without a draw, and the probability with which it was made. */
type Picked = Pick<
  Optimized, "deterministic" | "guaranteed" | "notes" | "pick" | "plan" | "propensity" | "replaced"
>

/**
 * The pick of a plan: its first attempt. Where one threshold decides on one attempt, the rule of every other
 * choice does.
 */
const planned = (
  settings: PlanRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  goal: PlanGoal,
  threshold: number
): Picked => {
  const usual = pickAt(objective, ranked, threshold) as Scored
  const isUsual = goal.attemptsMax === 1 && goal.valueUsd === null && goal.totalUsdMax === null
  const first = isUsual ? usual : null
  const chosen = plan(settings, goal, { objective, threshold, first, allowed: ranked })
  const pick = chosen.attempts[0]?.candidate ?? bestRemaining(goal, ranked, usual)
  return {
    pick, deterministic: pick, propensity: 1, guaranteed: null, plan: chosen, replaced: null, notes: []
  }
}

/**
 * The pick of a guarantee, and the plan that begins with it. Only the first attempt at a task is a trial.
 * Where the pick has failed at the task, the plan decides. A cheaper model than the baseline makes no attempt
 * unless it is held.
 */
const guaranteedPick = (
  settings: ChoiceRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  { guarantee, plan: goal, threshold }: Goal & { readonly guarantee: GuaranteeGoal },
  uniform: number
): Picked | null => {
  const isShadow = guarantee.isShadow || (goal !== null && goal.made > 0)
  const guard = guaranteed(settings, { ...guarantee, isShadow }, ranked, threshold, uniform)
  if (guard === null) return null
  const { notes, pick, propensity, usual } = guard
  const own = { pick, deterministic: usual, propensity, guaranteed: guard, plan: null, replaced: null, notes }
  if (goal === null) return own
  const baseline = ranked.find(({ card }) => card.modelId === guarantee.baselineModelId)
  const baselineUsd = baseline === undefined ? 0 : marginalUsd(baseline)
  const allowed = ranked.filter((each) =>
    each === usual || marginalUsd(each) >= baselineUsd - settings.costTieUsd)
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
    ? explore(settings, deterministic, eligible, uniform)
    : { pick: deterministic, propensity: 1 }
  const replaced = kept === null ? null : usual
  return { pick, deterministic, propensity, guaranteed: null, plan: null, replaced, notes }
}

/** Whether nothing reaches the threshold; a plan may by several attempts, and by value it asks for none. */
const fallsShort = (eligible: ReadonlyArray<Scored>, { pick, plan }: Picked, threshold: number): boolean =>
  plan === null
    ? eligible.length === 0
    : plan.goal.valueUsd === null && plan.end !== "threshold_reached" && pick.predictedSuccess < threshold

/**
 * The cheapest candidate that clears the threshold, or the fastest; where none does, the likeliest.
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
  const { notes, objective } = objectiveOf(settings, goal.optimizeFor, health.kept)
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
      ?? fallbackFor(settings, objective, pick, ranked, health.kept, goal.threshold),
    ranked,
    eligible,
    propensity: choice.propensity,
    guaranteed: choice.guaranteed,
    plan: choice.plan,
    replaced: choice.replaced,
    objective,
    rule: ruleOf(objective, health.kept),
    notes: [
      ...cost.notes,
      ...latency.notes,
      ...health.notes,
      ...notes,
      ...choice.notes,
      ...(fallsShort(eligible, choice, goal.threshold) ? ["no_model_meets_threshold" as const] : []),
      ...(pick !== deterministic ? ["exploration_pick" as const] : [])
    ]
  }
}
