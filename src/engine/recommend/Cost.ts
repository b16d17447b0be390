import { Effect } from "effect"
import type { ModelCard } from "../../domain/Model.ts"
import type { TaskInput } from "../../domain/Task.ts"
import type { Neighbour } from "../../memory/Memory.ts"
import * as Quantile from "../../stats/Quantile.ts"
import { type defaults, Settings } from "../Settings.ts"
import type { Classified, CostBasis, CostEstimate, Predicted, Priced } from "./Candidate.ts"
import * as ColdCost from "./ColdCost.ts"

export interface CostQuery {
  readonly task: TaskInput
  readonly classified: Classified
  readonly caching: ColdCost.Caching
}

type Field = "costUsd" | "outputTokens" | "latencyMs"

/**
 * Measured values of one field with their weights. Similarity only: decay would make an old price look cheap.
 */
const measured = (neighbours: ReadonlyArray<Neighbour>, field: Field) => {
  const carrying = neighbours.filter((neighbour) => neighbour[field] !== null)
  return {
    values: carrying.map((neighbour) => neighbour[field] ?? 0),
    // An unlike neighbour still counts as an observation, so its weight is small and not zero.
    weights: carrying.map((neighbour) => Math.max(1e-6, neighbour.similarity))
  }
}

const at = (own: ReadonlyArray<Neighbour>, field: Field, share: number): number | null => {
  const { values, weights } = measured(own, field)
  return Quantile.weightedQuantile(values, weights, share)
}

/**
 * The outcomes that say what this task would cost: near enough to weigh in the prediction, or of its own
 * cluster. Others would open a tier with bills that have nothing to do with this request.
 */
const similar = (candidate: Predicted, { classified }: CostQuery): ReadonlyArray<Neighbour> =>
  candidate.neighbours
    .filter(({ neighbour, weight }) => weight > 0 || neighbour.cluster === classified.cluster)
    .map((each) => each.neighbour)

/** The most grounded tier that every candidate supports, so that all costs compare like for like. */
export const costBasis = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): CostBasis => {
  const everyHas = (field: Field) =>
    candidates.every((candidate) =>
      measured(similar(candidate, query), field).values.length >= settings.costObservationsMin
    )
  return everyHas("outputTokens") ? "rescaled" : everyHas("costUsd") ? "observed" : "estimate"
}

/** Cold cost of any catalog model: list prices times expected tokens. No spread is known, so no band. */
export const estimate = (settings: typeof defaults, card: ModelCard, query: CostQuery): CostEstimate => {
  const input = ColdCost.inputCostUsd(
    settings, card, ColdCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const output = ColdCost.outputCostUsd(
    card, ColdCost.outputTokens(settings, query.task, query.classified, card)
  )
  return { costUsd: input + output, breakdown: { input, output }, lowUsd: null, highUsd: null, bandBasis: "" }
}

/** Realized bills, less the share that a warm cache takes off this request's list price. */
const observed = (settings: typeof defaults, candidate: Predicted, query: CostQuery): CostEstimate => {
  const own = similar(candidate, query)
  const plain = estimate(settings, candidate.card, {
    ...query,
    caching: { requirePromptCaching: false, incumbentModelId: null }
  })
  // A share and not an amount: the bills were for other inputs, and an amount could turn them into nothing.
  const share = plain.costUsd > 0 ? estimate(settings, candidate.card, query).costUsd / plain.costUsd : 1
  const of = (quantile: number) => share * (at(own, "costUsd", quantile) ?? 0)
  return {
    costUsd: of(0.5),
    breakdown: { observed_avg: of(0.5) },
    lowUsd: of(0.25),
    highUsd: of(0.75),
    bandBasis: "observed_p25_p75"
  }
}

const rescaled = (settings: typeof defaults, candidate: Predicted, query: CostQuery): CostEstimate => {
  const own = similar(candidate, query)
  const input = ColdCost.inputCostUsd(
    settings, candidate.card, ColdCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const of = (share: number) =>
    input + ColdCost.outputCostUsd(candidate.card, at(own, "outputTokens", share) ?? 0)
  const costUsd = of(0.5)
  return {
    costUsd,
    breakdown: { rescaled: costUsd, obs_output_tokens: at(own, "outputTokens", 0.5) ?? 0 },
    lowUsd: of(0.25),
    highUsd: of(0.75),
    bandBasis: "rescaled_p25_p75"
  }
}

/** Cost and latency of every candidate on one basis. */
export const price = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): ReadonlyArray<Priced> => {
  const basis = costBasis(settings, candidates, query)
  const of = (candidate: Predicted): CostEstimate =>
    basis === "rescaled" ? rescaled(settings, candidate, query)
    : basis === "observed" ? observed(settings, candidate, query)
    : estimate(settings, candidate.card, query)
  return candidates.map((candidate) => ({
    ...candidate,
    cost: of(candidate),
    costBasis: basis,
    latencyMsP75: at(similar(candidate, query), "latencyMs", 0.75)
  }))
}

/** {@link price} as a stage. */
export const cost = Effect.fn("cost")(function*(
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): Effect.fn.Return<ReadonlyArray<Priced>, never, Settings> {
  return price(yield* Settings, candidates, query)
})
