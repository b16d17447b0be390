/** Turns a decision under a guarantee into a task that the guarantee counts. */
import { type RecommendationId, timeOf } from "../../../domain/RecommendationId.ts"
import { isTrusted, type Outcome, type Provenance, successOf } from "../../../domain/feedback/Feedback.ts"
import type { GuaranteedTask } from "../../../stats/GuaranteeStates.ts"
import { type EvidenceRule, evidenceSince, type TrialBasis } from "../../GuaranteeEvidence.ts"

interface KeptOutcome {
  readonly modelId: string
  readonly label: {
    readonly feedbackAt: string
    readonly outcome: Outcome
    readonly provenance: Provenance
    readonly teaches: boolean
  }
}

/** `recommendedModelId` is null unless the decision's lane and baseline are the guarantee's. */
export interface GuaranteeRow {
  readonly recommendationId: RecommendationId
  readonly taskType: string
  readonly recommendedModelId: string | null
  readonly propensity: number
  readonly candidateModelId: string | null
  readonly outcomes: ReadonlyArray<KeptOutcome> | null
}

/** Returns the models whose outcomes a trial needs: the drawn model, or both models if both ran. */
const awaited = (baselineModelId: string, row: GuaranteeRow): ReadonlyArray<string | null> =>
  row.propensity < 1 ? [row.recommendedModelId] : [row.candidateModelId, baselineModelId]

/** Returns the label of a model's outcome; null if no label teaches. */
const labelled = ({ outcomes }: GuaranteeRow, modelId: string | null): KeptOutcome["label"] | null =>
  outcomes?.find((each) => each.modelId === modelId && each.label.teaches)?.label ?? null

const isSettled = (
  label: KeptOutcome["label"] | null,
  { labelWaitMs }: EvidenceRule,
  nowMs: number
): boolean => {
  if (label === null) return false
  return isTrusted(label.provenance) || nowMs - Date.parse(label.feedbackAt) >= labelWaitMs
}

/** Returns true if the labels of a decision's trial are final, or the wait for them is over. */
export const isDue = (
  baselineModelId: string,
  rule: EvidenceRule,
  row: GuaranteeRow,
  nowMs: number
): boolean =>
  nowMs - timeOf(row.recommendationId).getTime() >= rule.reportWaitMs
  || awaited(baselineModelId, row).every((modelId) => isSettled(labelled(row, modelId), rule, nowMs))

/** A decision is no trial if the id of its candidate or baseline later began to name another model. */
export const taskOf = (basis: TrialBasis, row: GuaranteeRow): GuaranteedTask => {
  const { candidateModelId: candidate, propensity, recommendedModelId, taskType: kind } = row
  const since = evidenceSince(basis, candidate)
  const isFormer = timeOf(row.recommendationId).getTime() < since
  if (candidate === null || isFormer) return { kind, candidate, trial: null }
  const success = (modelId: string): number | null => {
    const label = labelled(row, modelId)
    return label === null ? null : successOf[label.outcome]
  }
  const isCandidate = recommendedModelId === candidate
  const ran = propensity === 1 ? "both" : isCandidate ? "candidate" : "baseline"
  return {
    kind,
    candidate,
    since,
    trial: {
      ran,
      share: isCandidate || ran === "both" ? propensity : 1 - propensity,
      candidate: ran === "baseline" ? null : success(candidate),
      baseline: ran === "candidate" ? null : success(basis.baselineModelId)
    }
  }
}
