/* The answer about an account's guarantees: state and evidence of each kind of task. */
import { variantName } from "../domain/model/ModelVariant.ts"
import {
  type AccountGuaranteeResponse, type GuaranteeState, type GuaranteeTerms, momentOf, trialShareDefault
} from "../domain/account/Guarantee.ts"
import type { ModelRestarts } from "../domain/model/ModelIdentity.ts"
import { evidenceSince, type KeptEvidence } from "../ledger/GuaranteeEvidence.ts"
import { isWithdrawn, reportsOf, successesOf } from "../stats/GuaranteeReadings.ts"
import { type CandidateEvidence, isFormer, provenLoss } from "../stats/GuaranteeStates.ts"
import { outcomesNeeded } from "../stats/OutcomesNeeded.ts"

/** `own`: the candidate's evidence; null if older than the present meaning of its id or the baseline's. */
interface KnownCandidate {
  readonly modelId: string
  readonly own: CandidateEvidence | null
  readonly sinceMs: number
}

const knownOf = ({ baselineModelId }: KeptEvidence, restarts: ModelRestarts) =>
  ([modelId, own]: readonly [string, CandidateEvidence]): KnownCandidate => {
    const sinceMs = evidenceSince({ baselineModelId, restarts }, modelId)
    return { modelId, own: isFormer(own, sinceMs) ? null : own, sinceMs }
  }

const candidateOf = (
  { confidence, maxQualityLoss }: KeptEvidence,
  trialShare: number,
  { modelId, own, sinceMs }: KnownCandidate
) => {
  const successes = own === null ? null : successesOf(own)
  const rule = { loss: maxQualityLoss, alpha: 1 - confidence }
  return {
    modelId: variantName(modelId),
    state: own?.state ?? "earning",
    success: successes?.candidate ?? null,
    baselineSuccess: successes?.baseline ?? null,
    outcomes: own === null ? 0 : reportsOf(own),
    // While no trials are drawn, `outcomesNeeded` is null unless an earlier trial has a report.
    outcomesNeeded: trialShare === 0 && (own === null || reportsOf(own) === 0)
      ? null
      : outcomesNeeded(rule, own, trialShare),
    provenLoss: own === null ? null : provenLoss(rule.alpha, own),
    evidenceSince: momentOf(sinceMs)
  }
}

const stateOf = (candidates: ReadonlyArray<KnownCandidate>): GuaranteeState =>
  candidates.some(({ own }) => own?.state === "held") ? "held"
    : candidates.some(({ own }) => own !== null && isWithdrawn(own)) ? "withdrawn" : "earning"

/** `guarantee` is what the account itself set; null if it set no guarantee. */
export const guaranteeAnswerOf = (
  guarantee: GuaranteeTerms | null,
  kept: ReadonlyArray<KeptEvidence>,
  restarts: ModelRestarts
): AccountGuaranteeResponse => ({
  guarantee,
  kinds: kept.flatMap((each) =>
    Object.entries(each.evidence.kinds).map(([taskType, { candidates, tasks }]) => {
      const known = Object.entries(candidates).map(knownOf(each, restarts))
      return {
        lane: each.lane,
        taskType,
        baselineModelId: variantName(each.baselineModelId),
        maxQualityLoss: each.maxQualityLoss,
        confidence: each.confidence,
        state: stateOf(known),
        tasks,
        candidates: known.map((one) => candidateOf(each, guarantee?.trialShare ?? trialShareDefault, one))
      }
    }))
})
