/** The choice among priced candidates: budgets, optimism, score, pick, exploration and fallback. */
import type { RecommendRequest, SelectionPolicy } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import * as Beta from "../../../stats/Beta.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Priced, PricedCandidates, Scored } from "../candidates/Candidate.ts"
import { type Budgets, withinCost, withinLatency } from "./Budgets.ts"
import { explore, type ExplorationRule } from "./Explore.ts"
import { optimistic } from "./Optimism.ts"
import {
  cheapest, type DecisionRule, eligibleAt, moreReliable, pickAt, ruleOf
} from "./Rule.ts"
import { threshold, type ThresholdRule } from "./Threshold.ts"

/** Score, tie and margin of the choice. */
export type ChoiceRule = ExplorationRule & Pick<
  EngineSettings, "costTieUsd" | "fallbackMargin" | "scoreSuccessBase" | "scoreSuccessPerSlider"
>

/** What the caller asks of the choice. */
export interface Goal {
  /** tau, in [0, 1]. */
  readonly threshold: number
  /** The slider, in [0, 10]. */
  readonly slider: number
  readonly budgets: Budgets
  readonly selectionPolicy: SelectionPolicy
}

/** The goal of a request, under a policy. */
export const goalOf = (
  settings: ThresholdRule,
  { constraints, costQualityTradeoff }: Pick<RecommendRequest, "constraints" | "costQualityTradeoff">,
  selectionPolicy: SelectionPolicy
): Goal => ({
  threshold: threshold(settings, costQualityTradeoff, constraints.minQuality),
  slider: costQualityTradeoff,
  budgets: { maxCostPerCall: constraints.maxCostPerCall, maxLatencyMs: constraints.maxLatencyMs },
  selectionPolicy
})

/** The choice, and all that explains it. */
export interface Optimized {
  readonly pick: Scored
  /** What the pick would be without exploration. */
  readonly deterministic: Scored
  readonly fallback: Scored | null
  /** Every remaining candidate, best score first. */
  readonly ranked: ReadonlyArray<Scored>
  readonly eligible: ReadonlyArray<Scored>
  readonly propensity: number
  /** What made the deterministic pick, over every remaining candidate. */
  readonly rule: DecisionRule
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** score = lambda * p - (1 - lambda) * cost / max cost, lambda rising with the slider. */
const scored = (
  settings: Pick<ChoiceRule, "scoreSuccessBase" | "scoreSuccessPerSlider">,
  candidates: ReadonlyArray<Priced>,
  slider: number
): ReadonlyArray<Scored> => {
  const dearest = Math.max(...candidates.map((each) => each.cost.costUsd))
  const lambda = settings.scoreSuccessBase + settings.scoreSuccessPerSlider * slider
  return candidates.map((each) => ({
    ...each,
    score: Rounding.figure(
      lambda * each.predictedSuccess - (1 - lambda) * (dearest > 0 ? each.cost.costUsd / dearest : 0)
    )
  }))
}

/**
 * What to try when the pick fails: the cheapest other candidate that is likelier than the pick and clears
 * the threshold with a margin, else the cheapest that is likelier; null for none. By plain predictions,
 * because an optimistic fallback would be a second experiment.
 *
 * @param known the candidates with their plain predictions
 */
const fallbackFor = (
  settings: Pick<ChoiceRule, "fallbackMargin" | "costTieUsd">,
  pick: Scored,
  ranked: ReadonlyArray<Scored>,
  known: ReadonlyArray<Priced>,
  threshold: number
): Scored | null => {
  // The pick counts as the answer shows it, so an optimistic pick has no fallback that looks less reliable.
  const likelier = known.filter((each) => each.predictedSuccess > pick.predictedSuccess)
  const chosen = cheapest(settings.costTieUsd, eligibleAt(likelier, threshold + settings.fallbackMargin))
    ?? cheapest(settings.costTieUsd, likelier)
  return ranked.find((each) => each.card.modelId === chosen?.card.modelId) ?? null
}

/** The candidate with the interval that belongs to its optimistic prediction. */
const withInterval = (candidate: Priced): Priced => {
  const { high, low } = Beta.interval95(Beta.ofMean(candidate.predictedSuccess, candidate.sampleSize))
  return { ...candidate, successLow: low, successHigh: high }
}

/**
 * The cheapest candidate that clears the threshold; where none does, the likeliest to succeed.
 *
 * @param uniform in [0, 1), the only randomness, and only under `epsilon_softmax`
 */
export const choose = (
  settings: ChoiceRule,
  candidates: PricedCandidates,
  goal: Goal,
  uniform: number
): Optimized => {
  const cost = withinCost(candidates, goal.budgets.maxCostPerCall)
  const latency = withinLatency(cost.kept, goal.budgets.maxLatencyMs)
  const optimisticCandidates = optimistic(latency.kept, goal.threshold).map((each, i) =>
    each === latency.kept[i] ? each : withInterval(each))
  const ranked = [...scored(settings, optimisticCandidates, goal.slider)]
    .sort((a, b) => b.score - a.score || moreReliable(a, b))
  const eligible = eligibleAt(ranked, goal.threshold)
  // The budgets relax rather than empty the set, so there is a pick.
  const deterministic = pickAt(settings.costTieUsd, ranked, goal.threshold) as Scored
  const { pick, propensity } = goal.selectionPolicy === "epsilon_softmax"
    ? explore(settings, deterministic, eligible, uniform)
    : { pick: deterministic, propensity: 1 }
  return {
    pick,
    deterministic,
    fallback: fallbackFor(settings, pick, ranked, latency.kept, goal.threshold),
    ranked,
    eligible,
    propensity,
    rule: ruleOf(settings.costTieUsd, latency.kept),
    notes: [
      ...cost.notes,
      ...latency.notes,
      ...(eligible.length === 0 ? ["no_model_meets_threshold" as const] : []),
      ...(pick !== deterministic ? ["exploration_pick" as const] : [])
    ]
  }
}
