/** The terms of a guarantee (a limit on lost quality against a baseline), and the evidence for it. */
import { findModel } from "../../catalog/Lookup.ts"
import {
  type GuaranteeRequest, type GuaranteeTerms, trialShareDefault
} from "../../domain/account/Guarantee.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import type { ModelRestarts } from "../../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import { type AccountId, type Lane, laneOf } from "../../domain/Scope.ts"
import type { GuaranteeQuery } from "../../ledger/GuaranteeEvidence.ts"
import type { GuaranteeEvidence } from "../../stats/GuaranteeStates.ts"
import type { Candidate } from "../recommend/candidates/Candidate.ts"

export interface GuaranteeCriteria {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
  /** Largest share of tasks on which an unproven candidate is tried, in [0, 0.5]; 0 means no trials. */
  readonly trialShare: number
  /** True if the caller runs the baseline and the candidate on the same task. */
  readonly isPaired: boolean
  /** True if the decision draws no trial and is no evidence. */
  readonly isUncounted: boolean
  readonly restarts: ModelRestarts
  readonly kind: string
  /** The evidence for the guarantee; null if it was not read. */
  readonly evidence: GuaranteeEvidence | null
}

/** Allowed losses and confidences are rounded to 0.001, so that nearly equal guarantees share evidence. */
const steps = 1_000
/** Slack for floating-point errors when losses and confidences are rounded. */
const rounding = 1e-9

const queryOf = (
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
  // The loss is rounded down and the confidence up, which makes the guarantee stricter.
  maxQualityLoss: Math.floor(maxQualityLoss * steps + rounding) / steps,
  confidence: Math.ceil(confidence * steps - rounding) / steps
})

export interface AskedGuarantee {
  readonly terms: GuaranteeRequest
  readonly query: GuaranteeQuery
  /** Query for the evidence; null if the baseline is no candidate. */
  readonly evidenceQuery: GuaranteeQuery | null
}

/** Returns a request's guarantee and the query for its evidence; null if the request has no guarantee. */
export const guaranteeOf = (
  accountId: AccountId,
  { guarantee: terms, namespace }: Pick<RecommendRequest, "guarantee" | "namespace">,
  { candidates, snapshot }: {
    readonly candidates: ReadonlyArray<Pick<Candidate, "card">>
    readonly snapshot: CatalogSnapshot
  },
  restarts: ModelRestarts
): AskedGuarantee | null => {
  if (terms === null) return null
  const query = queryOf(accountId, laneOf(namespace), terms, snapshot, restarts)
  const hasBaseline = candidates.some(({ card }) => card.modelId === query.baselineModelId)
  return { terms, query, evidenceQuery: hasBaseline ? query : null }
}

export const guaranteeCriteria = (
  { query, terms }: AskedGuarantee,
  evidence: GuaranteeEvidence | null,
  kind: string,
  isUncounted: boolean
): GuaranteeCriteria => ({
  baselineModelId: query.baselineModelId,
  maxQualityLoss: query.maxQualityLoss,
  confidence: query.confidence,
  trialShare: terms.trialShare ?? trialShareDefault,
  isPaired: terms.paired,
  isUncounted,
  restarts: query.restarts,
  kind,
  evidence
})
