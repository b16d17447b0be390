/** The goal of a choice under a guarantee, and the evidence that it goes by. */
import { findModel } from "../../../catalog/Lookup.ts"
import {
  type GuaranteeRequest, type GuaranteeTerms, trialShareDefault
} from "../../../domain/account/Guarantee.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { ModelRestarts } from "../../../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { AccountId, Lane } from "../../../domain/Scope.ts"
import type { GuaranteeQuery } from "../../../ledger/GuaranteeEvidence.ts"
import type { GuaranteeEvidence } from "../../../stats/GuaranteeStates.ts"

/** What is guaranteed, and what is known of it. */
export interface GuaranteeGoal {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
  /** Largest share of tasks on which another model may be drawn, in [0, 0.5]; 0 without trials. */
  readonly trialShare: number
  /** Whether the caller runs both models of a pair. */
  readonly isPaired: boolean
  /** In shadow the caller runs its default: nothing is drawn, and nothing counts. */
  readonly isShadow: boolean
  /** When ids came to stand for other models. */
  readonly restarts: ModelRestarts
  /** The kind of task. */
  readonly kind: string
  /** Null where it could not be read. */
  readonly evidence: GuaranteeEvidence | null
}

/**
 * Applies the request's guarantee, else the account's. Its baseline also becomes `baselineModelId`, unless
 * the request names one.
 */
export const underGuarantee = (
  request: RecommendRequest,
  ofAccount: GuaranteeTerms | null
): RecommendRequest => {
  const guarantee = request.guarantee ?? (ofAccount === null ? null : { ...ofAccount, paired: false })
  return guarantee === null
    ? request
    : { ...request, guarantee, baselineModelId: request.baselineModelId ?? guarantee.baselineModelId }
}

/** Steps of losses and confidences: evidence is kept for each step. */
const steps = 1_000
/** Less than any digit that a caller sends, so that 0.05 stays 0.05. */
const rounding = 1e-9

/** The evidence of a guarantee: loss and confidence with three decimals, on the stricter side. */
export const guaranteeOf = (
  accountId: AccountId,
  lane: Lane,
  { baselineModelId, confidence, maxQualityLoss }: GuaranteeTerms,
  snapshot: CatalogSnapshot,
  restarts: ModelRestarts
): GuaranteeQuery => ({
  accountId,
  lane,
  restarts,
  baselineModelId: findModel(snapshot, baselineModelId)?.modelId ?? baselineModelId,
  maxQualityLoss: Math.floor(maxQualityLoss * steps + rounding) / steps,
  confidence: Math.ceil(confidence * steps - rounding) / steps
})

interface GoalInput {
  readonly request: Pick<RecommendRequest, "shadow">
  readonly terms: GuaranteeRequest
  readonly asked: GuaranteeQuery
  /** Null where it could not be read. */
  readonly evidence: GuaranteeEvidence | null
  readonly kind: string
}

export const guaranteeGoal = ({ asked, evidence, kind, request, terms }: GoalInput): GuaranteeGoal => ({
  baselineModelId: asked.baselineModelId,
  maxQualityLoss: asked.maxQualityLoss,
  confidence: asked.confidence,
  trialShare: terms.trialShare ?? trialShareDefault,
  isPaired: terms.paired,
  isShadow: request.shadow,
  restarts: asked.restarts,
  kind,
  evidence
})
