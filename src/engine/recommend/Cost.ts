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

/** Measured values of one field, lowest first, with their weights. */
interface Sample {
  readonly values: ReadonlyArray<number>
  readonly weights: ReadonlyArray<number>
}

type Field = "costUsd" | "outputTokens" | "latencyMs"

/** What similar outcomes measured of one candidate. */
type Seen = Readonly<Record<Field, Sample>>

/** Similarity only: decay would make an old price look cheap. */
const sample = (neighbours: ReadonlyArray<Neighbour>, field: Field): Sample => {
  const carrying = neighbours
    .flatMap((neighbour) => {
      const value = neighbour[field]
      // An unlike neighbour still counts as an observation, so its weight is small and not zero.
      return value === null ? [] : [{ value, weight: Math.max(1e-6, neighbour.similarity) }]
    })
    .sort((a, b) => a.value - b.value)
  return { values: carrying.map((each) => each.value), weights: carrying.map((each) => each.weight) }
}

const at = ({ values, weights }: Sample, share: number): number | null =>
  Quantile.weightedQuantile(values, weights, share)

/**
 * The outcomes that say what this task would cost: near enough to weigh in the prediction, or of its own
 * cluster. Others would open a tier with bills that have nothing to do with this request.
 */
const seenOf = (candidate: Predicted, { classified }: CostQuery): Seen => {
  const similar = candidate.neighbours
    .filter(({ neighbour, weight }) => weight > 0 || neighbour.cluster === classified.cluster)
    .map((each) => each.neighbour)
  return {
    costUsd: sample(similar, "costUsd"),
    outputTokens: sample(similar, "outputTokens"),
    latencyMs: sample(similar, "latencyMs")
  }
}

/** The most grounded tier that every candidate supports, so that all costs compare like for like. */
const basisOf = (settings: typeof defaults, seen: ReadonlyArray<Seen>): CostBasis => {
  const everyHas = (field: Field) =>
    seen.every((each) => each[field].values.length >= settings.costObservationsMin)
  return everyHas("outputTokens") ? "rescaled" : everyHas("costUsd") ? "observed" : "estimate"
}

/** Cold cost of any catalog model: list prices times expected tokens. */
export const estimate = (settings: typeof defaults, card: ModelCard, query: CostQuery): CostEstimate => {
  const input = ColdCost.inputCostUsd(
    settings, card, ColdCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const output = ColdCost.outputCostUsd(
    card, ColdCost.outputTokens(settings, query.task, query.classified, card)
  )
  return { costUsd: input + output, breakdown: { input, output }, lowUsd: null, highUsd: null, bandBasis: "" }
}

/** A cold cost whose band is the spread of this model's own output, where enough of it was seen. */
const estimated = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  { outputTokens }: Seen
): CostEstimate => {
  const cold = estimate(settings, card, query)
  const median = at(outputTokens, 0.5) ?? 0
  if (outputTokens.values.length < settings.costObservationsMin || median <= 0) return cold
  const { input = 0, output = 0 } = cold.breakdown
  const of = (share: number) => input + output * ((at(outputTokens, share) ?? median) / median)
  return { ...cold, lowUsd: of(0.25), highUsd: of(0.75), bandBasis: "estimate_tokens_p25_p75" }
}

/** Realized bills, less the share that a warm cache takes off this request's list price. */
const observed = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  { costUsd }: Seen
): CostEstimate => {
  const plain = estimate(settings, card, {
    ...query,
    caching: { requirePromptCaching: false, incumbentModelId: null }
  })
  // A share and not an amount: the bills were for other inputs, and an amount could turn them into nothing.
  const share = plain.costUsd > 0 ? estimate(settings, card, query).costUsd / plain.costUsd : 1
  const of = (quantile: number) => share * (at(costUsd, quantile) ?? 0)
  const median = of(0.5)
  return {
    costUsd: median,
    breakdown: { observed_avg: median },
    lowUsd: of(0.25),
    highUsd: of(0.75),
    bandBasis: "observed_p25_p75"
  }
}

/** This request's input at list price, and the output that this model was seen to write. */
const rescaled = (
  settings: typeof defaults,
  card: ModelCard,
  query: CostQuery,
  { outputTokens }: Seen
): CostEstimate => {
  const input = ColdCost.inputCostUsd(
    settings, card, ColdCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const of = (tokens: number) => input + ColdCost.outputCostUsd(card, tokens)
  const median = at(outputTokens, 0.5) ?? 0
  return {
    costUsd: of(median),
    breakdown: { rescaled: of(median), obs_output_tokens: median },
    lowUsd: of(at(outputTokens, 0.25) ?? median),
    highUsd: of(at(outputTokens, 0.75) ?? median),
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
  const seen = candidates.map((candidate) => ({ candidate, seen: seenOf(candidate, query) }))
  const basis = basisOf(settings, seen.map((each) => each.seen))
  return seen.map(({ candidate, seen }) => ({
    ...candidate,
    cost: tiers[basis](settings, candidate.card, query, seen),
    costBasis: basis,
    latencyMsP75: at(seen.latencyMs, 0.75)
  }))
}

/** {@link price} as a stage. */
export const cost = Effect.fn("cost")(function*(
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): Effect.fn.Return<ReadonlyArray<Priced>, never, Settings> {
  return price(yield* Settings, candidates, query)
})
