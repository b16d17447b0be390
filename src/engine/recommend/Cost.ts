/** Stage 5: estimates the cost and duration of the task with each candidate, on one basis for all. */
import type { Effect } from "effect"
import type { ModelCard } from "../../domain/model/Model.ts"
import * as Rounding from "../../domain/Rounding.ts"
import type { Unit } from "../../domain/Task.ts"
import type { MeasuredField } from "../../memory/OutcomeColumns.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { type EngineSettings, Settings } from "../Settings.ts"
import type {
  CostBasis, CostEstimate, Predicted, CostedCandidate, TimeQuantiles
} from "./candidates/Candidate.ts"
import { type ChoiceRule, optimizeWith, type Goal } from "./choice/Choose.ts"
import { type RivalRule, rivalsOf } from "./choice/Rivals.ts"
import { seedsOf } from "./cost/CostSeed.ts"
import * as ListCost from "./cost/ListCost.ts"
import { countOf, quantiles, quartiles, type Sample, similar, withoutOutliers } from "./cost/Measurements.ts"

/** Expected tokens, how many observations open a tier, and the choice that seeds must not decide. */
type CostRule =
  & ListCost.ListCostRule
  & ChoiceRule
  & RivalRule
  & Pick<EngineSettings, "costObservationsMin" | "costOutlierAgreement">

/**
 * The most grounded tier that all candidates' outcomes support, so that costs compare like for like. A run's
 * input is not known before it, so its output alone says little.
 */
const basisOf = (
  settings: Pick<EngineSettings, "costObservationsMin">,
  all: ReadonlyArray<Sample>,
  unit: Unit
): CostBasis => {
  const everyHas = (field: MeasuredField) =>
    all.every((own) => countOf(own, field) >= settings.costObservationsMin)
  if (unit === "call" && everyHas("outputTokens")) return "rescaled"
  return everyHas("costUsd") ? "observed" : "estimate"
}

/** A cold cost whose band is the spread of this model's own output, where enough of it was seen. */
const estimated = (
  settings: CostRule,
  card: ModelCard,
  query: ListCost.CostQuery,
  own: Sample
): CostEstimate => {
  const cold = ListCost.estimate(settings, card, query)
  if (countOf(own, "outputTokens") < settings.costObservationsMin) return cold
  const { high, low, median } = quartiles(own, "outputTokens")
  if (median <= 0) return cold
  const { input = 0, output = 0 } = cold.breakdown
  const of = (tokens: number) => Rounding.usd(input + output * (tokens / median))
  return { ...cold, lowUsd: of(low), highUsd: of(high), bandBasis: "estimate_tokens_p25_p75" }
}

/**
 * What calls were billed. A warm cache is in the bills already as far as it was used, so no discount of the
 * list price is taken off them again.
 */
const observed = (
  _settings: CostRule,
  _card: ModelCard,
  _query: ListCost.CostQuery,
  own: Sample
): CostEstimate => {
  const { high, low, median } = quartiles(own, "costUsd")
  const costUsd = Rounding.usd(median)
  return {
    costUsd,
    breakdown: { observed_avg: costUsd },
    lowUsd: Rounding.usd(low),
    highUsd: Rounding.usd(high),
    bandBasis: "observed_p25_p75"
  }
}

/** Cost of this request's input at list price and of so many output tokens, USD. */
const withOutput = (
  settings: CostRule,
  card: ModelCard,
  query: ListCost.CostQuery
): ((outputTokens: number) => number) => {
  const input = ListCost.listInputUsd(settings, card, query)
  return (outputTokens) => Rounding.usd(input + ListCost.outputCostUsd(card, outputTokens))
}

/** This request's input at list price, and the output that this model was seen to write. */
const rescaled = (
  settings: CostRule,
  card: ModelCard,
  query: ListCost.CostQuery,
  own: Sample
): CostEstimate => {
  const of = withOutput(settings, card, query)
  const { high, low, median } = quartiles(own, "outputTokens")
  return {
    costUsd: of(median),
    breakdown: { rescaled: of(median), obs_output_tokens: Rounding.figure(median) },
    lowUsd: of(low),
    highUsd: of(high),
    bandBasis: "rescaled_p25_p75"
  }
}

/**
 * As {@link rescaled}, with the output of a seed, or as {@link observed}, with the bill of one; a seed has no
 * spread and so no band.
 */
const seeded = (
  settings: CostRule,
  card: ModelCard,
  query: ListCost.CostQuery,
  seed: number
): CostEstimate => {
  const isRun = query.task.unit === "run"
  const costUsd = isRun ? Rounding.usd(seed) : withOutput(settings, card, query)(seed)
  return {
    costUsd,
    breakdown: isRun
      ? { observed_avg: costUsd, seed: 1 }
      : { rescaled: costUsd, obs_output_tokens: Rounding.figure(seed), seed: 1 },
    lowUsd: null,
    highUsd: null,
    bandBasis: ""
  }
}

const tiers = { estimate: estimated, observed, rescaled }

/** A candidate and its outcomes that say what this task would cost. */
interface CandidateSample {
  readonly candidate: Predicted
  readonly own: Sample
}

/** Median and 75th percentile of a time; null where no outcome measured it. */
const timesOf = (own: Sample, field: "latencyMs" | "timeToFirstTokenMs"): TimeQuantiles | null => {
  const [p50 = null, p75 = null] = quantiles(own, field, [0.5, 0.75])
  return p50 === null || p75 === null ? null : { p50: Rounding.figure(p50), p75: Rounding.figure(p75) }
}

/** The candidates on one basis, with a seed where there is one. */
const costedOn = (
  settings: CostRule,
  found: ReadonlyArray<CandidateSample>,
  query: ListCost.CostQuery,
  basis: CostBasis,
  seeds: ReadonlyArray<number | null> = []
): ReadonlyArray<CostedCandidate> =>
  found.map(({ candidate, own }, i) => {
    const seed = seeds[i] ?? null
    return {
      ...candidate,
      cost: seed === null
        ? tiers[basis](settings, candidate.card, query, own)
        : seeded(settings, candidate.card, query, seed),
      costBasis: basis,
      latencyMs: timesOf(own, "latencyMs"),
      timeToFirstTokenMs: timesOf(own, "timeToFirstTokenMs")
    }
  })

/**
 * The candidates on the basis of outcomes, those without any by their seeds; null where seeds do not count.
 * They count where at least half of the candidates have outcomes of their own, or the pick and its live
 * rivals have. The pick depends on the costs, and whether these costs count on the pick: they are tried, and
 * hold if the pick that they themselves lead to, and its rivals, rest on outcomes. Nothing is repeated, so a
 * pick by a seed alone leaves the estimate.
 */
const withSeeds = (
  settings: CostRule,
  found: ReadonlyArray<CandidateSample>,
  query: ListCost.CostQuery,
  goal: Goal
): ReadonlyArray<CostedCandidate> | null => {
  const seeds = seedsOf(settings, found.map(({ candidate: { card }, own }) => ({ card, own })), query)
  if (seeds === null) return null
  const tried = costedOn(settings, found, query, query.task.unit === "run" ? "observed" : "rescaled", seeds)
  const live = seeds.filter((seed) => seed === null).length
  if (2 * live >= found.length) return tried
  const [first, ...rest] = tried
  if (first === undefined) return null
  // Without exploration: the draw is made once, and later.
  const { deterministic, objective, ranked } = optimizeWith(
    settings, [first, ...rest], { ...goal, selectionPolicy: "argmin" }, 0
  )
  const contest = { pick: deterministic, candidates: ranked, objective, threshold: goal.threshold }
  const compared = [deterministic, ...rivalsOf(settings, contest).live]
  return compared.every(({ cost: { breakdown } }) => breakdown["seed"] === undefined) ? tried : null
}

/** Cost and latency of every candidate on one basis. */
export const costWith = (
  settings: CostRule,
  candidates: ReadonlyArray<Predicted>,
  query: ListCost.CostQuery,
  goal: Goal
): ReadonlyArray<CostedCandidate> => {
  const { classified: { cluster }, measurements } = query
  const found = candidates.map((candidate) => ({
    candidate, own: withoutOutliers(settings, similar(candidate, cluster, measurements))
  }))
  const basis = basisOf(settings, found.map(({ own }) => own), query.task.unit)
  return (basis === "estimate" ? withSeeds(settings, found, query, goal) : null)
    ?? costedOn(settings, found, query, basis)
}

const costing = pureStage("cost", Settings)

/** {@link costWith} as a stage. */
export const cost = (
  candidates: ReadonlyArray<Predicted>,
  query: ListCost.CostQuery,
  goal: Goal
): Effect.Effect<ReadonlyArray<CostedCandidate>, never, Settings> =>
  costing((settings) => costWith(settings, candidates, query, goal))
