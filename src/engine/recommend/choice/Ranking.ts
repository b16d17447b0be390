/** The score that candidates are ranked by, and the fallback. */
import * as Rounding from "../../../domain/Rounding.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate, Scored } from "../candidates/Candidate.ts"
import { eligibleAt, lowest } from "./DecisionRule.ts"
import type { Objective } from "./Objective.ts"

/** Weights of the score, and the margin of the fallback. */
type RankingRule = Pick<
  EngineSettings, "fallbackMargin" | "scoreSuccessBase" | "scoreSuccessPerSlider"
>

/**
 * The scored candidates: score = lambda * p - (1 - lambda) * cost / max cost. Latencies take the place of
 * costs if the request minimises latency. lambda rises with the slider. With a value of success, lambda =
 * value / (value + max cost). The order is then that of value * p - cost.
 */
export const scored = (
  settings: RankingRule,
  { price, valueUsd }: Objective,
  candidates: ReadonlyArray<CostedCandidate>,
  slider: number
): Array<Scored> => {
  const most = Math.max(...candidates.map(price))
  const lambda = valueUsd === null
    ? settings.scoreSuccessBase + settings.scoreSuccessPerSlider * slider
    : most > 0 ? valueUsd / (valueUsd + most) : 1
  return candidates.map((each) => ({
    ...each,
    score: Rounding.figure(
      lambda * each.predictedSuccess - (1 - lambda) * (most > 0 ? price(each) / most : 0)
    )
  }))
}

/**
 * The model to try when the pick fails, or null. The fallback is the allowed candidate with the lowest
 * objective and a higher prediction than the pick. Candidates above the threshold by a margin come first.
 * Predictions are plain here, because an optimistic fallback would be a second experiment.
 *
 * @param known the candidates with their plain predictions
 */
export const fallbackFor = (
  settings: RankingRule,
  objective: Objective,
  pick: Scored,
  allowed: ReadonlyArray<Scored>,
  known: ReadonlyArray<CostedCandidate>,
  threshold: number
): Scored | null => {
  // The pick keeps its optimistic prediction here. The fallback then never looks less reliable in the answer.
  const likelier = known.filter(({ card, predictedSuccess }) =>
    predictedSuccess > pick.predictedSuccess && allowed.some((each) => each.card.modelId === card.modelId))
  const chosen = lowest(objective, eligibleAt(likelier, threshold + settings.fallbackMargin))
    ?? lowest(objective, likelier)
  return allowed.find((each) => each.card.modelId === chosen?.card.modelId) ?? null
}
