/** The list of candidates for a reasoner. */
import type { Contender } from "../../../reasoner/Reasoner.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"

/** How many candidates a reasoner sees, and the ratios that part the price classes. */
type ContenderRule = Pick<
  EngineSettings, "reasonerCandidatesMax" | "lowPriceRatioMax" | "middlePriceRatioMax"
>

/** The first candidates, each with its price class beside the cheapest of them. */
export const contenders = (
  settings: ContenderRule,
  candidates: ReadonlyArray<CostedCandidate>
): ReadonlyArray<Contender> => {
  const shown = candidates.slice(0, settings.reasonerCandidatesMax)
  const cheapestUsd = Math.min(...shown.map(({ cost }) => cost.costUsd))
  const classOf = (costUsd: number): Contender["priceClass"] => {
    if (costUsd <= cheapestUsd * settings.lowPriceRatioMax) return "low"
    return costUsd <= cheapestUsd * settings.middlePriceRatioMax ? "middle" : "high"
  }
  return shown.map(({ card, cost, predictedSuccess }) =>
    ({ modelId: card.modelId, predictedSuccess, priceClass: classOf(cost.costUsd) }))
}
