/** What the task would cost with each candidate, and how long it would take, on one basis for all. */
import type { ModelCard } from "../../../domain/Model.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { TaskInput } from "../../../domain/Task.ts"
import type { Measurement } from "../../../memory/Memory.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, CostBasis, CostEstimate, Predicted, Priced } from "../candidates/Candidate.ts"
import * as ListCost from "./ListCost.ts"
import { countOf, type Field, quantiles, quartiles, similar, withoutOutliers } from "./Measurements.ts"

/** What a request says of its own cost. */
export interface CostQuery {
  readonly task: TaskInput
  readonly classified: Classified
  readonly caching: ListCost.Caching
  /** What outcomes without a label measured. */
  readonly measurements: ReadonlyArray<Measurement>
}

/** Expected tokens, and how many observations open a tier. */
type PriceRule =
  & ListCost.ListCostRule
  & Pick<EngineSettings, "costObservationsMin" | "costOutlierAgreement">

/** The most grounded tier that every candidate supports, so that all costs compare like for like. */
const basisOf = (
  settings: Pick<EngineSettings, "costObservationsMin">,
  all: ReadonlyArray<ReadonlyArray<Measurement>>
): CostBasis => {
  const everyHas = (field: Field) => all.every((own) => countOf(own, field) >= settings.costObservationsMin)
  return everyHas("outputTokens") ? "rescaled" : everyHas("costUsd") ? "observed" : "estimate"
}

/** Cold cost of any catalog model: list prices times expected tokens. The rounded parts add up to it. */
export const estimate = (
  settings: ListCost.ListCostRule,
  card: ModelCard,
  query: CostQuery
): CostEstimate => {
  const input = Rounding.usd(ListCost.inputCostUsd(
    settings, card, ListCost.inputTokens(settings, query.task, query.classified), query.caching
  ))
  const output = Rounding.usd(ListCost.outputCostUsd(
    card, ListCost.outputTokens(settings, query.task, query.classified, card)
  ))
  return {
    costUsd: Rounding.usd(input + output), breakdown: { input, output },
    lowUsd: null, highUsd: null, bandBasis: ""
  }
}

/** A cold cost whose band is the spread of this model's own output, where enough of it was seen. */
const estimated = (
  settings: PriceRule,
  card: ModelCard,
  query: CostQuery,
  own: ReadonlyArray<Measurement>
): CostEstimate => {
  const cold = estimate(settings, card, query)
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
  _settings: PriceRule,
  _card: ModelCard,
  _query: CostQuery,
  own: ReadonlyArray<Measurement>
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

/** This request's input at list price, and the output that this model was seen to write. */
const rescaled = (
  settings: PriceRule,
  card: ModelCard,
  query: CostQuery,
  own: ReadonlyArray<Measurement>
): CostEstimate => {
  const input = ListCost.inputCostUsd(
    settings, card, ListCost.inputTokens(settings, query.task, query.classified), query.caching
  )
  const of = (tokens: number) => Rounding.usd(input + ListCost.outputCostUsd(card, tokens))
  const { high, low, median } = quartiles(own, "outputTokens")
  return {
    costUsd: of(median),
    breakdown: { rescaled: of(median), obs_output_tokens: Rounding.figure(median) },
    lowUsd: of(low),
    highUsd: of(high),
    bandBasis: "rescaled_p25_p75"
  }
}

const tiers = { estimate: estimated, observed, rescaled }

/** Cost and latency of every candidate on one basis. */
export const price = (
  settings: PriceRule,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): ReadonlyArray<Priced> => {
  const { classified: { cluster }, measurements } = query
  const found = candidates.map((candidate) => ({
    candidate, own: withoutOutliers(settings, similar(candidate, cluster, measurements))
  }))
  const basis = basisOf(settings, found.map(({ own }) => own))
  return found.map(({ candidate, own }) => {
    const [latencyMsP75 = null] = quantiles(own, "latencyMs", [0.75])
    return {
      ...candidate,
      cost: tiers[basis](settings, candidate.card, query, own),
      costBasis: basis,
      latencyMsP75: latencyMsP75 === null ? null : Rounding.figure(latencyMsP75)
    }
  })
}
