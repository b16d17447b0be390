import { Effect, Random } from "effect"
import type { SelectionPolicy } from "../../domain/Recommendation.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import * as Beta from "../../stats/Beta.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Priced, Scored } from "./candidates/Candidate.ts"
import { explore } from "./choice/Explore.ts"
import { optimistic } from "./choice/Optimism.ts"
import { cheapest, eligibleAt, moreReliable, mostReliable, pickAt, type Rule, ruleOf } from "./choice/Rule.ts"

export interface Budgets {
  readonly maxCostPerCall: number | null
  readonly maxLatencyMs: number | null
}

export interface Goal {
  /** tau, in [0, 1]. */
  readonly threshold: number
  /** The slider, in [0, 10]. */
  readonly slider: number
  readonly budgets: Budgets
  readonly selectionPolicy: SelectionPolicy
}

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
  readonly rule: Rule
  readonly notes: ReadonlyArray<RecommendWarning>
}

const withinCost = (candidates: ReadonlyArray<Priced>, maxUsd: number | null) => {
  const kept = maxUsd === null ? candidates : candidates.filter((each) => each.cost.costUsd <= maxUsd)
  return kept.length > 0
    ? { kept, notes: [] }
    : { kept: candidates, notes: ["no_model_within_cost_budget" as const] }
}

/** Drops what is known to be too slow. When that is every model with a history, the limit is relaxed. */
const withinLatency = (candidates: ReadonlyArray<Priced>, maxMs: number | null) => {
  const isSlow = (each: Priced) => maxMs !== null && each.latencyMsP75 !== null && each.latencyMsP75 > maxMs
  const known = candidates.filter((each) => each.latencyMsP75 !== null)
  return known.length > 0 && known.every(isSlow)
    ? { kept: candidates, notes: ["no_model_within_latency_budget" as const] }
    : { kept: candidates.filter((each) => !isSlow(each)), notes: [] }
}

/** score = lambda * p - (1 - lambda) * cost / max cost, lambda rising with the slider. */
const scored = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Priced>,
  slider: number
): ReadonlyArray<Scored> => {
  const dearest = Math.max(...candidates.map((each) => each.cost.costUsd))
  const lambda = settings.scoreSuccessBase + settings.scoreSuccessPerSlider * slider
  return candidates.map((each) => ({
    ...each,
    score: lambda * each.predictedSuccess - (1 - lambda) * (dearest > 0 ? each.cost.costUsd / dearest : 0)
  }))
}

/**
 * What to try when the pick fails, by what is known: a second hope would be a second experiment.
 *
 * @param known the candidates as predicted, nothing hoped
 */
const fallbackFor = (
  settings: typeof defaults,
  pick: Scored,
  ranked: ReadonlyArray<Scored>,
  known: ReadonlyArray<Priced>,
  threshold: number
): Scored | null => {
  const own = known.find((each) => each.card.modelId === pick.card.modelId)
  const others = known.filter((each) => each !== own)
  const bar = Math.max(threshold + settings.fallbackMargin, own?.predictedSuccess ?? 0)
  const chosen = cheapest(settings.costTieUsd, eligibleAt(others, bar)) ?? mostReliable(others)
  return ranked.find((each) => each.card.modelId === chosen?.card.modelId) ?? null
}

/** With the interval that goes with what is hoped. */
const withInterval = (candidate: Priced): Priced => {
  const { high, low } = Beta.interval95(Beta.ofMean(candidate.predictedSuccess, candidate.sampleSize))
  return { ...candidate, successLow: low, successHigh: high }
}

/**
 * The cheapest candidate that clears the threshold; none does: the likeliest to succeed. Pure: `uniform` in
 * [0, 1) is the only chance, and only under `epsilon_softmax`. Expects at least one candidate.
 */
export const choose = (
  settings: typeof defaults,
  candidates: readonly [Priced, ...Array<Priced>],
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

/** {@link choose} as a stage; the draw comes from Effect's `Random`. */
export const optimize = Effect.fnUntraced(function*(
  candidates: readonly [Priced, ...Array<Priced>],
  goal: Goal
): Effect.fn.Return<Optimized, never, Settings> {
  const uniform = goal.selectionPolicy === "epsilon_softmax" ? yield* Random.next : 0
  const optimized = choose(yield* Settings, candidates, goal, uniform)
  yield* annotate(() => ({
    [attribute.tau]: goal.threshold,
    [attribute.candidates]: candidates.length,
    [attribute.eligible]: optimized.eligible.length,
    [attribute.model]: optimized.pick.card.modelId,
    [attribute.basis]: optimized.pick.decisionBasis,
    [attribute.policy]: goal.selectionPolicy
  }))
  return optimized
}, stage("optimize"))
