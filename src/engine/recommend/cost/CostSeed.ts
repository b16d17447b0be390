/** Seeds of the cost: what a candidate without outcomes is expected to measure, by those that have some. */
import { armOf, modelIdOf } from "../../../domain/model/Arm.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { MeasuredField } from "../../../memory/OutcomeColumns.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type CostQuery, estimate, type ListCostRule, verbosityFactor } from "./ListCost.ts"
import { countOf, quartiles, type Sample } from "./Measurements.ts"

/** How costs are estimated, and how many observations a candidate needs. */
type CostSeedRule = ListCostRule & Pick<EngineSettings, "costObservationsMin">

/** A candidate's card, and what its outcomes measured. */
interface ModelSample {
  readonly card: ModelCard
  readonly own: Sample
}

/** What is measured of a unit of work, and what is expected of a model beside others. */
interface SeedBasis {
  readonly field: MeasuredField
  /** What the model is expected to measure, in any unit that is one for all, >= 0. */
  readonly expected: (card: ModelCard) => number
  /** Whether that is known of the model, or only assumed. */
  readonly isKnown: (card: ModelCard) => boolean
}

/** A call's output by the model's verbosity; a run's bill by its cost at list prices. */
const basisOf = (settings: CostSeedRule, query: CostQuery): SeedBasis =>
  query.task.unit === "run"
    ? { field: "costUsd", expected: (card) => estimate(settings, card, query).costUsd, isKnown: () => true }
    : {
      field: "outputTokens",
      expected: (card) => verbosityFactor(settings, card),
      isKnown: ({ verbosityMeasured }) => verbosityMeasured
    }

/** The model of a card, which its arms share. */
const modelOf = (card: ModelCard): string => modelIdOf(card.modelId)

/**
 * Measure of a model of which 1 is expected in this lane: the geometric mean, over the candidates that were
 * observed, of their median by what is expected of them. Those of which it is known count, and the others
 * only where there are none. Null where nothing was observed.
 */
const typicalOf = (
  { expected, field, isKnown }: SeedBasis,
  observed: ReadonlyArray<ModelSample>
): number | null => {
  const known = observed.filter(({ card }) => isKnown(card))
  const logs = (known.length > 0 ? known : observed).flatMap(({ card, own }) => {
    const ratio = quartiles(own, field).median / expected(card)
    return ratio > 0 && ratio < Infinity ? [Math.log(ratio)] : []
  })
  return logs.length === 0 ? null : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
}

/**
 * Output tokens of each candidate that was not observed, or its cost of a run in USD; null for one that was.
 * A level of effort is seeded by the other levels of its model that were observed, and by the model; another
 * candidate, and a level without any, by all. Null as a whole where a candidate can have no seed, because no
 * benchmark measured its verbosity or there is nothing to compare with.
 */
export const seedsOf = (
  settings: CostSeedRule,
  candidates: ReadonlyArray<ModelSample>,
  query: CostQuery
): ReadonlyArray<number | null> | null => {
  const basis = basisOf(settings, query)
  const isLive = candidates.map(({ own }) => countOf(own, basis.field) >= settings.costObservationsMin)
  const live = candidates.filter((_, i) => isLive[i])
  const siblingsOf = ({ card }: ModelSample): ReadonlyArray<ModelSample> =>
    armOf(card.modelId) === null ? [] : live.filter((each) => modelOf(each.card) === modelOf(card))
  if (candidates.some((each, i) =>
    isLive[i] === false && !basis.isKnown(each.card) && siblingsOf(each).length === 0)) return null
  const typical = typicalOf(basis, live)
  if (typical === null) return null
  return candidates.map((each, i) => isLive[i] === true
    ? null
    : (typicalOf(basis, siblingsOf(each)) ?? typical) * basis.expected(each.card))
}
