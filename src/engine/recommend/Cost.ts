import { Effect } from "effect"
import { confirmed } from "../../domain/CostOutlier.ts"
import type { ModelCard } from "../../domain/Model.ts"
import type { TaskInput } from "../../domain/Task.ts"
import type { Measurement } from "../../memory/Memory.ts"
import { groupBy } from "../../stats/GroupBy.ts"
import * as Quantile from "../../stats/Quantile.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Classified, CostBasis, CostEstimate, Predicted, Priced } from "./candidates/Candidate.ts"
import * as ListCost from "./cost/ListCost.ts"

export interface CostQuery {
  readonly task: TaskInput
  readonly classified: Classified
  readonly caching: ListCost.Caching
  /** What outcomes without a label measured. */
  readonly measurements: ReadonlyArray<Measurement>
}

type Field = "costUsd" | "outputTokens" | "latencyMs"

/**
 * The outcomes that say what this task would cost: near enough to weigh in the prediction, or of its own
 * cluster, with a label or without. Others would open a tier with bills that have nothing to do with this
 * request.
 */
const similar = (
  { card, neighbours }: Predicted,
  { classified, measurements }: CostQuery
): ReadonlyArray<Measurement> => {
  const own: Array<Measurement> = []
  for (const { neighbour, weight } of neighbours) {
    if (weight > 0 || neighbour.cluster === classified.cluster) own.push(neighbour)
  }
  for (const measurement of measurements) {
    if (measurement.modelId === card.modelId && measurement.cluster === classified.cluster) {
      own.push(measurement)
    }
  }
  return own
}

/** Without the bills that nothing confirms: far above every estimate, and no other of their kind is near. */
const withoutOutliers = (
  settings: typeof defaults,
  own: ReadonlyArray<Measurement>
): ReadonlyArray<Measurement> => {
  if (!own.some(({ isCostOutlier }) => isCostOutlier)) return own
  const doubtful = new Set<Measurement>()
  const billed = own.filter(({ costUsd }) => costUsd !== null)
  for (const alike of groupBy(billed, ({ cluster }) => cluster).values()) {
    const isConfirmed = confirmed(alike.map(({ costUsd }) => costUsd ?? 0), settings)
    alike.forEach((each, index) => {
      if (each.isCostOutlier === true && !isConfirmed[index]) doubtful.add(each)
    })
  }
  return own.map((each) => doubtful.has(each) ? { ...each, costUsd: null } : each)
}

/** How many of them measured a field; an explicit 0 is a measurement. */
const countOf = (own: ReadonlyArray<Measurement>, field: Field): number =>
  own.reduce((count, neighbour) => neighbour[field] === null ? count : count + 1, 0)

/** What they measured, at these shares. Similarity is the only weight: decay would make old prices cheap. */
const quantiles = (
  own: ReadonlyArray<Measurement>,
  field: Field,
  shares: ReadonlyArray<number>
): ReadonlyArray<number | null> => {
  const values: Array<number> = []
  const weights: Array<number> = []
  for (const { [field]: value, similarity } of own) {
    if (value === null) continue
    values.push(value)
    // An unlike neighbour still counts as an observation, so its weight is small and not zero.
    weights.push(Math.max(1e-6, similarity))
  }
  return Quantile.weightedQuantiles(values, weights, shares)
}

/** Median and quartiles of a field that was measured at least once. */
const quartiles = (own: ReadonlyArray<Measurement>, field: Field) => {
  const [low, median, high] = quantiles(own, field, [0.25, 0.5, 0.75])
  return { low: low ?? 0, median: median ?? 0, high: high ?? 0 }
}

/** The most grounded tier that every candidate supports, so that all costs compare like for like. */
const basisOf = (
  settings: typeof defaults,
  all: ReadonlyArray<ReadonlyArray<Measurement>>
): CostBasis => {
  const everyHas = (field: Field) => all.every((own) => countOf(own, field) >= settings.costObservationsMin)
  return everyHas("outputTokens") ? "rescaled" : everyHas("costUsd") ? "observed" : "estimate"
}

/** Cold cost of any catalog model: list prices times expected tokens. */
export const estimate = (settings: typeof defaults, card: ModelCard, query: CostQuery): CostEstimate => {
  const input = ListCost.inputCostUsd(
    settings, card, ListCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const output = ListCost.outputCostUsd(
    card, ListCost.outputTokens(settings, query.task, query.classified, card)
  )
  return { costUsd: input + output, breakdown: { input, output }, lowUsd: null, highUsd: null, bandBasis: "" }
}

/** A cold cost whose band is the spread of this model's own output, where enough of it was seen. */
const estimated = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  own: ReadonlyArray<Measurement>
): CostEstimate => {
  const cold = estimate(settings, card, query)
  if (countOf(own, "outputTokens") < settings.costObservationsMin) return cold
  const { high, low, median } = quartiles(own, "outputTokens")
  if (median <= 0) return cold
  const { input = 0, output = 0 } = cold.breakdown
  const of = (tokens: number) => input + output * (tokens / median)
  return { ...cold, lowUsd: of(low), highUsd: of(high), bandBasis: "estimate_tokens_p25_p75" }
}

/** Realized bills, less the share that a warm cache takes off this request's list price. */
const observed = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  own: ReadonlyArray<Measurement>
): CostEstimate => {
  const plain = estimate(settings, card, {
    ...query,
    caching: { requirePromptCaching: false, incumbentModelId: null }
  })
  // A share and not an amount: the bills were for other inputs, and an amount could turn them into nothing.
  const share = plain.costUsd > 0 ? estimate(settings, card, query).costUsd / plain.costUsd : 1
  const { high, low, median } = quartiles(own, "costUsd")
  return {
    costUsd: share * median,
    breakdown: { observed_avg: share * median },
    lowUsd: share * low,
    highUsd: share * high,
    bandBasis: "observed_p25_p75"
  }
}

/** This request's input at list price, and the output that this model was seen to write. */
const rescaled = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  own: ReadonlyArray<Measurement>
): CostEstimate => {
  const input = ListCost.inputCostUsd(
    settings, card, ListCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const of = (tokens: number) => input + ListCost.outputCostUsd(card, tokens)
  const { high, low, median } = quartiles(own, "outputTokens")
  return {
    costUsd: of(median),
    breakdown: { rescaled: of(median), obs_output_tokens: median },
    lowUsd: of(low),
    highUsd: of(high),
    bandBasis: "rescaled_p25_p75"
  }
}

const tiers = { estimate: estimated, observed, rescaled }

/** Cost and latency of every candidate on one basis. */
export const price = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): ReadonlyArray<Priced> => {
  const found = candidates.map((candidate) => ({
    candidate, own: withoutOutliers(settings, similar(candidate, query))
  }))
  const basis = basisOf(settings, found.map(({ own }) => own))
  return found.map(({ candidate, own }) => ({
    ...candidate,
    cost: tiers[basis](settings, candidate.card, query, own),
    costBasis: basis,
    latencyMsP75: quantiles(own, "latencyMs", [0.75])[0] ?? null
  }))
}

/** {@link price} as a stage. */
export const cost = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): Effect.fn.Return<ReadonlyArray<Priced>, never, Settings> {
  return price(yield* Settings, candidates, query)
}, stage("cost"))
