/** The reasons for asking a reasoner about a choice. */
import type { EscalationReason } from "../../../domain/Escalation.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type Scored, weightOf } from "../candidates/Candidate.ts"
import { type Contest, type RivalRule, type Rivals, rivalsOf } from "../choice/Rivals.ts"

type ReasonRule = RivalRule & Pick<
  EngineSettings,
  | "thinEvidenceWeight" | "thinEvidenceModels" | "lowConfidence" | "tieScoreGap" | "conflictNeighbours"
  | "conflictLow" | "conflictHigh" | "wideInterval" | "lowRecallSimilarity"
>

/** The larger of two weights: of the outcomes near the task, and of the outcomes of the task's type. */
const evidenceOf = ({ cellWeight, neighbours }: Scored): number =>
  Math.max(cellWeight, weightOf(neighbours))

/** True if the pick and its live rivals have few outcomes, or if too few of these models have outcomes. */
const isThin = (settings: ReasonRule, pick: Scored, { live, possible }: Rivals<Scored>): boolean => {
  const compared = [pick, ...live]
  const evidence = compared.reduce((sum, each) => sum + evidenceOf(each), 0)
  const known = compared.filter((each) => evidenceOf(each) > 0)
  return possible.length > 0 && evidence < settings.thinEvidenceWeight
    || live.length > 0 && known.length < Math.min(settings.thinEvidenceModels, compared.length)
}

/** True if the two best scores are nearly equal, and belong to the pick and a live rival. */
const isTie = (settings: ReasonRule, { candidates, pick }: Contest<Scored>, { live }: Rivals<Scored>) => {
  const [first, second] = candidates
  if (first === undefined || second === undefined) return false
  return first.score - second.score < settings.tieScoreGap
    && (first === pick && live.includes(second) || second === pick && live.includes(first))
}

const isConflict = (settings: ReasonRule, { neighbours }: Scored): boolean => {
  const { all, heavy, rows, weights } = neighbours
  let successes = 0
  for (let i = 0; i < heavy; i++) successes += weights[i]! * all.quality(rows[i]!)
  const success = successes / Math.max(weightOf(neighbours), Number.MIN_VALUE)
  return heavy >= settings.conflictNeighbours
    && success >= settings.conflictLow && success <= settings.conflictHigh
}

/**
 * Mean similarity of the neighbours, weighted as in the predictions. The mean is unweighted if no neighbour
 * has weight, and null if there are no neighbours.
 */
const recallSimilarity = (candidates: ReadonlyArray<Scored>, recalled: Recalled): number | null => {
  let total = 0
  let weighed = 0
  for (const { neighbours: { all, heavy, rows, weights } } of candidates) {
    for (let i = 0; i < heavy; i++) {
      total += weights[i]!
      weighed += weights[i]! * all.similarity(rows[i]!)
    }
  }
  if (total > 0) return weighed / total
  const { neighbours } = recalled
  let sum = 0
  for (let row = 0; row < neighbours.length; row++) sum += neighbours.similarity(row)
  return neighbours.length === 0 ? null : sum / neighbours.length
}

/**
 * Returns the reasons to ask a reasoner, in the specification's order. Returns no reason if no rival may
 * replace the pick.
 *
 * @param contest has the pick before any random draw, and all candidates of the choice, best score first
 */
export const reasonsOf = (
  settings: ReasonRule,
  contest: Contest<Scored>,
  recalled: Recalled
): ReadonlyArray<EscalationReason> => {
  const { candidates, pick } = contest
  const rivals = rivalsOf(settings, contest)
  const isOpen = rivals.live.length > 0
  const similarity = recallSimilarity(candidates, recalled)
  const found: ReadonlyArray<readonly [EscalationReason, boolean]> = [
    ["thin_evidence", isThin(settings, pick, rivals)],
    ["low_confidence", isOpen && pick.confidence < settings.lowConfidence],
    ["tie", isTie(settings, contest, rivals)],
    ["conflict", isOpen && isConflict(settings, pick)],
    ["wide_interval", isOpen && pick.successHigh - pick.successLow > settings.wideInterval],
    ["low_recall_confidence", isOpen && similarity !== null && similarity < settings.lowRecallSimilarity]
  ]
  return found.filter(([, holds]) => holds).map(([reason]) => reason)
}
