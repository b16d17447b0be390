import { Effect } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import type { EscalationReason } from "../../domain/Warning.ts"
import type { Recalled } from "../../memory/Memory.ts"
import {
  type Opinion, Reasoner, type ReasonerDisabled, type ReasonerFailed
} from "../../reasoner/Reasoner.ts"
import * as Beta from "../../stats/Beta.ts"
import { type defaults, Settings } from "../Settings.ts"
import { span } from "../Span.ts"
import type { Priced } from "./Candidate.ts"
import type { Optimized } from "./Optimize.ts"

/** Why the reasoner should be asked about this pick; empty when it need not be. */
export const reasons = (
  settings: typeof defaults,
  { pick, ranked }: Pick<Optimized, "pick" | "ranked">,
  recalled: Recalled
): ReadonlyArray<EscalationReason> => {
  const withNeighbours = ranked.filter((each) => each.neighbours.some(({ weight }) => weight > 0))
  const evidence = ranked.reduce(
    (sum, each) => sum + each.neighbours.reduce((own, { weight }) => own + weight, 0), 0
  )
  const near = pick.neighbours.filter(({ weight }) => weight > 0)
  const nearWeight = near.reduce((sum, { weight }) => sum + weight, 0)
  const nearSuccess = near.reduce((sum, { neighbour, weight }) => sum + weight * neighbour.quality, 0)
    / Math.max(nearWeight, Number.MIN_VALUE)
  const [first, second] = ranked
  const similarity = recalled.neighbours.reduce((sum, each) => sum + each.similarity, 0)
    / Math.max(1, recalled.neighbours.length)
  const found: ReadonlyArray<readonly [EscalationReason, boolean]> = [
    ["thin_evidence", evidence < settings.thinEvidenceWeight
      || withNeighbours.length < Math.min(settings.thinEvidenceModels, ranked.length)],
    ["low_confidence", pick.confidence < settings.lowConfidence],
    ["tie", first !== undefined && second !== undefined && first.score - second.score < settings.tieScoreGap],
    ["conflict", near.length >= settings.conflictNeighbours
      && nearSuccess >= settings.conflictLow && nearSuccess <= settings.conflictHigh],
    ["wide_interval", pick.successHigh - pick.successLow > settings.wideInterval],
    ["low_recall_confidence", recalled.neighbours.length > 0 && similarity < settings.lowRecallSimilarity]
  ]
  return found.filter(([, holds]) => holds).map(([reason]) => reason)
}

/**
 * Blends the reasoner's opinions into the predictions, the more the less we know. Opinions on models that are
 * no candidate are dropped, so a reasoner can move numbers but never break a constraint.
 */
export const blend = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Priced>,
  opinions: ReadonlyArray<Opinion>
): ReadonlyArray<Priced> => {
  const byModel = new Map(opinions.map((opinion) => [opinion.modelId, opinion.predictedSuccess]))
  return candidates.map((candidate) => {
    const opinion = byModel.get(candidate.card.modelId)
    if (opinion === undefined) return candidate
    const share = Math.min(
      settings.reasonerBlendMax,
      Math.max(settings.reasonerBlendMin, settings.reasonerBlendFactor * (1 - candidate.confidence))
    )
    const predictedSuccess = (1 - share) * candidate.predictedSuccess + share * opinion
    if (predictedSuccess === candidate.predictedSuccess) return candidate
    const { high, low } = Beta.interval95(Beta.ofMean(predictedSuccess, candidate.sampleSize))
    return {
      ...candidate,
      predictedSuccess,
      // A sceptical reasoner lowers what may be hoped as well.
      hopedSuccess: (1 - share) * candidate.hopedSuccess + share * opinion,
      successLow: low,
      successHigh: high,
      decisionBasis: "llm" as const
    }
  })
}

/** The candidates with the reasoner's view blended in; the same array members where nothing moved. */
export const escalate = Effect.fnUntraced(function*(
  accountId: AccountId,
  task: string,
  candidates: ReadonlyArray<Priced>
): Effect.fn.Return<ReadonlyArray<Priced>, ReasonerFailed | ReasonerDisabled, Reasoner | Settings> {
  const reasoner = yield* Reasoner
  const opinions = yield* reasoner.rank(
    accountId,
    task,
    candidates.map(({ card, predictedSuccess }) => ({ modelId: card.modelId, predictedSuccess }))
  )
  return blend(yield* Settings, candidates, opinions)
}, span("escalate"))
