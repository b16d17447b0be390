/** Computes the score that candidates are ranked by, and chooses the fallback model. */
import * as Rounding from "../../../domain/Rounding.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate, Scored } from "../candidates/Candidate.ts"
import { eligibleAt, lowest } from "./DecisionRule.ts"
import type { Objective } from "./Objective.ts"

type RankingRule = Pick<
  EngineSettings, "fallbackMargin" | "scoreSuccessBase" | "scoreSuccessPerSlider"
>

/**
 * Computes scores: lambda * p - (1 - lambda) * cost / max cost, with predicted success p. Latencies replace
 * costs if the request minimises latency. If the request has a value of success, lambda = value / (value +
 * max cost), so that value * p - cost decides the order.
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
 * Returns the allowed candidate with the lowest objective and a higher prediction than the pick, or null if
 * there is none. Candidates that exceed the threshold by a margin come first. The fallback is chosen by plain
 * predictions, because an optimistic fallback would be an experiment.
 */
export const fallbackFor = (
  settings: RankingRule,
  objective: Objective,
  pick: Scored,
  allowed: ReadonlyArray<Scored>,
  known: ReadonlyArray<CostedCandidate>,
  threshold: number
): Scored | null => {
  const likelier = known.filter(({ card, predictedSuccess }) =>
    predictedSuccess > pick.predictedSuccess && allowed.some((each) => each.card.modelId === card.modelId))
  const chosen = lowest(objective, eligibleAt(likelier, threshold + settings.fallbackMargin))
    ?? lowest(objective, likelier)
  return allowed.find((each) => each.card.modelId === chosen?.card.modelId) ?? null
}
