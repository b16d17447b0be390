/**
 * Stage 5: estimates the cost of the task with each candidate, on one basis for all, and reads its latency.
 */
import type { Effect } from "effect"
import type { ModelCard } from "../../domain/model/Model.ts"
import * as Rounding from "../../domain/Rounding.ts"
import type { TaskInput, Unit } from "../../domain/Task.ts"
import type { MeasuredField } from "../../memory/OutcomeColumns.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { type EngineSettings, Settings } from "../Settings.ts"
import type {
  CostBasis, CostEstimate, Predicted, CostedCandidate, TimeQuantiles
} from "./candidates/Candidate.ts"
import { type LearnedCostRule, learnedRatios, ratioKindOf } from "./cost/LearnedCost.ts"
import * as ListCost from "./cost/ListCost.ts"
import { countOf, quantiles, quartiles, type Sample, similar, withoutOutliers } from "./cost/Measurements.ts"

type CostRule = LearnedCostRule & Pick<EngineSettings, "costObservationsMin">

/**
 * Returns the best basis for which all candidates have enough outcomes, so that costs are comparable. Runs
 * are never rescaled, because the input of a run is not known beforehand.
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

const learned = (
  { breakdown: { input = 0, output = 0 }, ...cost }: CostEstimate,
  ratio: number,
  task: TaskInput
): CostEstimate => {
  const read = ratioKindOf(task) === "cost" ? Rounding.usd(input * ratio) : input
  const written = Rounding.usd(output * ratio)
  return {
    ...cost,
    costUsd: Rounding.usd(read + written),
    breakdown: { input: read, output: written, learned_ratio: Rounding.figure(ratio) }
  }
}

type Tier = (
  settings: CostRule,
  card: ModelCard,
  query: ListCost.CostQuery,
  own: Sample,
  ratio: number | null
) => CostEstimate

/** Estimates at list prices, corrected by learned ratios if there are any. */
const estimated: Tier = (settings, card, query, own, ratio) => {
  const listed = ListCost.estimate(settings, card, query)
  const cold = ratio === null ? listed : learned(listed, ratio, query.task)
  if (countOf(own, "outputTokens") < settings.costObservationsMin) return cold
  const { high, low, median } = quartiles(own, "outputTokens")
  if (median <= 0) return cold
  const { input = 0, output = 0 } = cold.breakdown
  const of = (tokens: number) => Rounding.usd(input + output * (tokens / median))
  return { ...cold, lowUsd: of(low), highUsd: of(high), bandBasis: "estimate_tokens_p25_p75" }
}

/** Bills contain the discount of a warm cache, so the discount is not subtracted again. */
const observed: Tier = (_settings, _card, _query, own) => {
  const { high, low, median } = quartiles(own, "costUsd")
  const costUsd = Rounding.usd(median)
  return {
    costUsd, breakdown: { observed_avg: costUsd },
    lowUsd: Rounding.usd(low), highUsd: Rounding.usd(high), bandBasis: "observed_p25_p75"
  }
}

/** Cost of this request's input and of the model's median output, at list prices. */
const rescaled: Tier = (settings, card, query, own) => {
  const of = (outputTokens: number) => {
    const { inputUsd, outputUsd } = ListCost.listCost(settings, card, query, outputTokens)
    return Rounding.usd(inputUsd + outputUsd)
  }
  const { high, low, median } = quartiles(own, "outputTokens")
  const costUsd = of(median)
  return {
    costUsd, breakdown: { rescaled: costUsd, obs_output_tokens: Rounding.figure(median) },
    lowUsd: of(low), highUsd: of(high), bandBasis: "rescaled_p25_p75"
  }
}

const tiers = { estimate: estimated, observed, rescaled }

const timesOf = (own: Sample, field: "latencyMs" | "timeToFirstTokenMs"): TimeQuantiles | null => {
  const [p50 = null, p75 = null] = quantiles(own, field, [0.5, 0.75])
  return p50 === null || p75 === null ? null : { p50: Rounding.figure(p50), p75: Rounding.figure(p75) }
}

export const costWith = (
  settings: CostRule,
  candidates: ReadonlyArray<Predicted>,
  query: ListCost.CostQuery
): ReadonlyArray<CostedCandidate> => {
  const { classified: { cluster }, measurements, task: { unit } } = query
  const samples = candidates.map((candidate) =>
    withoutOutliers(similar(candidate, cluster, measurements)))
  const basis = basisOf(settings, samples, unit)
  const ratios = basis === "estimate" ? learnedRatios(settings, candidates, query) : null
  return candidates.map((candidate, i) => {
    const own = samples[i]!
    return {
      ...candidate,
      cost: tiers[basis](settings, candidate.card, query, own, ratios?.[i] ?? null),
      costBasis: basis,
      latencyMs: timesOf(own, "latencyMs"),
      timeToFirstTokenMs: timesOf(own, "timeToFirstTokenMs")
    }
  })
}

const costing = pureStage("cost", Settings)

export const cost = (
  candidates: ReadonlyArray<Predicted>,
  query: ListCost.CostQuery
): Effect.Effect<ReadonlyArray<CostedCandidate>, never, Settings> =>
  costing((settings) => costWith(settings, candidates, query))
