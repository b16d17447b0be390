/** Why a reasoner should be asked about a choice. */
import type { EscalationReason } from "../../../domain/Warning.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"

/** The limits past which a choice is in doubt. */
type ReasonRule = Pick<
  EngineSettings,
  | "thinEvidenceWeight" | "thinEvidenceModels" | "lowConfidence" | "tieScoreGap" | "conflictNeighbours"
  | "conflictLow" | "conflictHigh" | "wideInterval" | "lowRecallSimilarity"
>

/** The reasons to ask about this pick, each once, in the specification's order; empty for none. */
export const reasonsOf = (
  settings: ReasonRule,
  { pick, ranked }: { readonly pick: Scored; readonly ranked: ReadonlyArray<Scored> },
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
