/* How the guarantees of an account stand, as they are answered. */
import { armName } from "../domain/Arm.ts"
import type { AccountGuaranteeResponse, GuaranteeState, GuaranteeTerms } from "../domain/Guarantee.ts"
import type { KeptEvidence } from "../ledger/GuaranteeEvidence.ts"
import {
  type CandidateEvidence, isWithdrawn, provenLoss, reportsOf, successesOf
} from "../stats/Guarantee.ts"
import { outcomesNeeded } from "../stats/OutcomesNeeded.ts"

/** Share of trials that is assumed where the account names none: the engine's own. */
const assumedShare = 0.2

const candidateOf = (
  { confidence, maxQualityLoss }: KeptEvidence,
  trialShare: number,
  modelId: string,
  own: CandidateEvidence
) => {
  const successes = successesOf(own)
  const rule = { loss: maxQualityLoss, alpha: 1 - confidence }
  return {
    modelId: armName(modelId),
    state: own.state,
    success: successes.candidate,
    baselineSuccess: successes.baseline,
    outcomes: reportsOf(own),
    outcomesNeeded: outcomesNeeded(rule, own, trialShare),
    provenLoss: provenLoss(rule.alpha, own)
  }
}

const stateOf = (candidates: ReadonlyArray<CandidateEvidence>): GuaranteeState =>
  candidates.some(({ state }) => state === "held") ? "held"
    : candidates.some(isWithdrawn) ? "withdrawn" : "earning"

/** The answer for an account, whose own guarantee is null where it has none. */
export const guaranteeAnswerOf = (
  guarantee: GuaranteeTerms | null,
  kept: ReadonlyArray<KeptEvidence>
): AccountGuaranteeResponse => ({
  guarantee,
  kinds: kept.flatMap((each) =>
    Object.entries(each.evidence.kinds).map(([taskType, { candidates, tasks }]) => ({
      lane: each.lane,
      taskType,
      baselineModelId: armName(each.baselineModelId),
      maxQualityLoss: each.maxQualityLoss,
      confidence: each.confidence,
      state: stateOf(Object.values(candidates)),
      tasks,
      candidates: Object.entries(candidates).map(([modelId, own]) =>
        candidateOf(each, guarantee?.trialShare ?? assumedShare, modelId, own))
    })))
})
