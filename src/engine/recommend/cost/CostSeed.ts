/** Seeds of the cost: the expected output of a candidate without outcomes, by its measured verbosity. */
import { armOf, modelIdOf } from "../../../domain/model/Arm.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type ListCostRule, verbosityFactor } from "./ListCost.ts"
import { countOf, quartiles, type Sample } from "./Measurements.ts"

/** How verbosity counts, and how many observations a candidate needs. */
type CostSeedRule = ListCostRule & Pick<EngineSettings, "costObservationsMin">

/** A candidate's card, and what its outcomes measured. */
interface ModelSample {
  readonly card: ModelCard
  readonly own: Sample
}

/** Whether a candidate has enough outcomes of its own that say what it writes. */
const isObserved = (
  settings: Pick<CostSeedRule, "costObservationsMin">,
  own: Sample
): boolean => countOf(own, "outputTokens") >= settings.costObservationsMin

/**
 * Output of a model of verbosity 1 in this lane, tokens: the geometric mean, over the candidates that were
 * observed, of their median output by their own verbosity. The verbosity of those that a benchmark measured
 * counts, and of the others only where none is measured. Null where nothing was observed.
 */
const typicalOutput = (settings: CostSeedRule, observed: ReadonlyArray<ModelSample>): number | null => {
  const measured = observed.filter(({ card }) => card.verbosityMeasured)
  const logs = (measured.length > 0 ? measured : observed).flatMap(({ card, own }) => {
    const { median } = quartiles(own, "outputTokens")
    return median > 0 ? [Math.log(median / verbosityFactor(settings, card))] : []
  })
  return logs.length === 0 ? null : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
}

/** The model of a card, which its arms share. */
const modelOf = (card: ModelCard): string => modelIdOf(card.modelId)

/**
 * Output tokens of each candidate that was not observed, null for one that was. A level of effort is seeded
 * by the other levels of its model that were observed, and by the model; another candidate, and a level
 * without any, by all. Null as a whole where a candidate can have no seed, because no benchmark measured its
 * verbosity or there is nothing to compare with.
 */
export const seedsOf = (
  settings: CostSeedRule,
  candidates: ReadonlyArray<ModelSample>
): ReadonlyArray<number | null> | null => {
  const isLive = candidates.map(({ own }) => isObserved(settings, own))
  const live = candidates.filter((_, i) => isLive[i])
  const siblingsOf = ({ card }: ModelSample): ReadonlyArray<ModelSample> =>
    armOf(card.modelId) === null ? [] : live.filter((each) => modelOf(each.card) === modelOf(card))
  if (candidates.some((each, i) =>
    isLive[i] === false && !each.card.verbosityMeasured && siblingsOf(each).length === 0)) return null
  const typical = typicalOutput(settings, live)
  if (typical === null) return null
  return candidates.map((each, i) => isLive[i] === true
    ? null
    : (typicalOutput(settings, siblingsOf(each)) ?? typical) * verbosityFactor(settings, each.card))
}
