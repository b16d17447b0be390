/** The model that a conversation runs on, beside the pick: where it is kept. */
import { cacheIdOf } from "../../../catalog/Offerings.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate, Scored } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"
import { pickAt } from "./Rule.ts"

/** What counts as no difference. */
export type IncumbentRule = Pick<EngineSettings, "incumbentDeviations" | "incumbentCostShare">

/** The incumbent of a request. */
export interface IncumbentGoal {
  /** The `cacheIdOf` of it: arms share a prompt cache, and an offering has its own. */
  readonly modelId: string
  /** Least predicted success at which it may be kept, in [0, 1]. */
  readonly qualityMin: number
}

/** Whether a candidate is the incumbent, at any effort. */
export const isIncumbent = ({ card }: Pick<CostedCandidate, "card">, { modelId }: IncumbentGoal): boolean =>
  cacheIdOf(card) === modelId

/** Standard deviation of a prediction: half of its 95 % interval is 1.96 of them. */
const deviation = ({ successHigh, successLow }: Scored): number => (successHigh - successLow) / 3.92

/**
 * The incumbent where the evidence cannot tell it from the pick, else null. It must reach the threshold, or
 * be as likely as the pick to within the noise of both predictions; and cost no more, or take no longer, than
 * the pick but for a small share: what a saving must exceed to be worth a cold cache and another voice.
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
  const { of, tie } = objective
  const kept = pickAt(objective, ranked.filter((each) =>
    isIncumbent(each, incumbent) && each.predictedSuccess >= incumbent.qualityMin), threshold)
  if (kept === undefined) return null
  const noise = settings.incumbentDeviations * Math.hypot(deviation(pick), deviation(kept))
  const isAsLikely = kept.predictedSuccess >= Math.min(threshold, pick.predictedSuccess - noise)
  return isAsLikely && of(kept) * (1 - settings.incumbentCostShare) <= of(pick) + tie ? kept : null
}
