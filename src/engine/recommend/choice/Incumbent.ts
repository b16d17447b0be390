/** The model that a conversation runs on, beside the pick: where it is kept. */
import { cacheIdOf } from "../../../catalog/Offerings.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import { normal975 } from "../../../stats/Normal.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate, Scored } from "../candidates/Candidate.ts"
import type { Caching } from "../cost/ListCost.ts"
import { pickAt } from "./DecisionRule.ts"
import type { Objective } from "./Objective.ts"

/** What counts as no difference. */
export type IncumbentRule = Pick<EngineSettings, "incumbentDeviations" | "incumbentCostShare">

/** The incumbent of a request. */
export interface IncumbentGoal {
  /** Arms share a prompt cache, and an offering has its own. */
  readonly cacheId: string
  /** Least predicted success at which it may be kept, in [0, 1]. */
  readonly qualityMin: number
}

/** The goal of a request beside the incumbent that its input is billed with; null for none. */
export const incumbentGoal = (
  { incumbentModelId }: Caching,
  { minQuality }: Pick<RecommendRequest["constraints"], "minQuality">
): IncumbentGoal | null =>
  incumbentModelId === null ? null : { cacheId: incumbentModelId, qualityMin: minQuality ?? 0 }

/** Whether a candidate is the incumbent, at any effort. */
export const isIncumbent = ({ card }: Pick<CostedCandidate, "card">, { cacheId }: IncumbentGoal): boolean =>
  cacheIdOf(card) === cacheId

/** Standard deviation of a prediction, by its 95 % interval. */
const deviation = ({ successHigh, successLow }: Scored): number =>
  (successHigh - successLow) / (2 * normal975)

/**
 * The incumbent where the evidence cannot tell it from the pick, else null. It must reach the threshold, or
 * be as likely as the pick to within the noise of both predictions; and cost no more, or take no longer, than
 * the pick but for a small share: what a saving must exceed to be worth a cold cache and another voice. Under
 * a value it must be worth as much, but for that share and what the noise is worth.
 */
export const keptIncumbent = (
  settings: IncumbentRule,
  objective: Objective,
  ranked: ReadonlyArray<Scored>,
  pick: Scored,
  incumbent: IncumbentGoal | null,
  threshold: number
): Scored | null => {
  if (incumbent === null || isIncumbent(pick, incumbent)) return null
  const { of, price, tie, valueUsd } = objective
  const kept = pickAt(objective, ranked.filter((each) =>
    isIncumbent(each, incumbent) && each.predictedSuccess >= incumbent.qualityMin), threshold)
  if (kept === undefined) return null
  const noise = settings.incumbentDeviations * Math.hypot(deviation(pick), deviation(kept))
  const isAsLikely = kept.predictedSuccess >= Math.min(threshold, pick.predictedSuccess - noise)
  const slack = settings.incumbentCostShare * price(kept) + (valueUsd ?? 0) * noise
  return isAsLikely && of(kept) - slack <= of(pick) + tie ? kept : null
}
