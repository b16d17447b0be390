/* The stage that finds the decision of a feedback, and the ids that a feedback derives from it. */
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { findModel } from "../../catalog/Lookup.ts"
import type { Decision } from "../../domain/Decision.ts"
import { armIdOf, armOf } from "../../domain/model/Arm.ts"
import { FeedbackRequest } from "../../domain/Feedback.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import * as RecommendationId from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { wireEncoder } from "../../domain/wire/WireEncoding.ts"
import { Ledger, type LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { Claim } from "../../ledger/Settlement.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { type Attributed, attributed } from "./attribution/RanArm.ts"

/** No decision of this account has that id; an id of another account is the same as none. */
export class UnknownRecommendation extends Schema.TaggedError<UnknownRecommendation>()(
  "UnknownRecommendation",
  {
    recommendationId: Schema.NullOr(RecommendationId.RecommendationId)
  }
) {}

/** The decision that a feedback is about. */
export const resolve = Effect.fnUntraced(function*(
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId
): Effect.fn.Return<Decision, UnknownRecommendation | LedgerUnavailable, Ledger> {
  const decision = yield* (yield* Ledger).find(accountId, recommendationId)
  return decision ?? (yield* new UnknownRecommendation({ recommendationId }))
}, stage("resolve"))

/**
 * The model that a feedback is about which names none: the one reported last, else the recommended one. In
 * shadow the recommended model did not run: the caller ran its own default, which is the baseline of its
 * request.
 */
const ranModel = Effect.fnUntraced(function*(
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId
): Effect.fn.Return<string, UnknownRecommendation | LedgerUnavailable, Ledger> {
  const known = yield* (yield* Ledger).reportedOutcomes(accountId, recommendationId)
  const [last] = (known?.outcomes ?? []).toSorted((a, b) => b.revision - a.revision)
  if (last !== undefined) return last.modelId
  const { baselineModelId, isShadow, recommendedModelId } = yield* resolve(accountId, recommendationId)
  return (isShadow ? baselineModelId : null) ?? recommendedModelId
}, stage("ranModel"))

/** A feedback on a recommendation, as far as it is known before its decision is read. */
interface Attribution {
  /** The feedback as its claim fingerprints it. */
  readonly claimRequest: FeedbackRequest
  /** Null when the decision must be read first; the claim does not depend on it. */
  readonly known: (Attributed & { readonly decision: Decision }) | null
  /** Our id of what the feedback names. */
  readonly named: string
}

/**
 * What the feedback is about, and what its claim is made of. However it is spelled, a model is claimed once.
 * Reports on two efforts of a model are two claims, and whether the effort is an arm the decision says: it is
 * read first for a feedback that names one.
 */
export const attribute = Effect.fnUntraced(function*(
  snapshot: CatalogSnapshot,
  accountId: AccountId,
  request: FeedbackRequest & { readonly recommendationId: RecommendationId.RecommendationId }
): Effect.fn.Return<Attribution, UnknownRecommendation | LedgerUnavailable, Ledger> {
  const { chosenEffort, chosenModelId, recommendationId } = request
  const written = chosenModelId ?? (yield* ranModel(accountId, recommendationId))
  const named = findModel(snapshot, written)?.modelId ?? written
  const claimRequest = chosenModelId === null ? request : { ...request, chosenModelId: named }
  if (chosenEffort === null) return { claimRequest, known: null, named }
  const decision = yield* resolve(accountId, recommendationId)
  const ran = attributed(snapshot, decision, named, chosenEffort)
  const arm = armOf(ran.chosenModelId)
  if (arm === null) return { claimRequest, known: { ...ran, decision }, named }
  // A feedback that names no model keeps its claim when another one is reported meanwhile.
  const claimed = chosenModelId === null ? armIdOf({ ...arm, modelId: "" }) : ran.chosenModelId
  return { claimRequest: { ...request, chosenModelId: claimed }, known: { ...ran, decision }, named }
})

const encodeFeedback = wireEncoder(FeedbackRequest)

/** Fields that earlier versions do not know. Absent, they leave the fingerprint as those versions made it. */
const added = new Set([
  "cached_input_tokens", "reasoning_tokens", "time_to_first_token_ms", "task_id", "provider_status",
  "retry_after_ms"
])

const bodyOf = (request: FeedbackRequest): string =>
  JSON.stringify(encodeFeedback(request), (name, value: unknown) =>
    value === null && added.has(name) ? undefined : value)

/**
 * The claim of a feedback: the caller's key, else recommendation and model. The two kinds have different
 * prefixes, so a caller's key cannot collide with a derived one. The fingerprint covers the validated body in
 * schema order. A feedback that names no model keeps its claim when another model is reported meanwhile: a
 * repeat would otherwise count for that model too.
 */
export const claimOf = (accountId: AccountId, request: FeedbackRequest): Claim => ({
  accountId,
  idempotencyKey: request.idempotencyKey === null
    ? `derived:${request.recommendationId}:${request.chosenModelId ?? ""}`
    : `caller:${request.idempotencyKey}`,
  fingerprint: createHash("sha256").update(bodyOf(request)).digest("hex")
})

/**
 * The id of the one outcome of a decision and a model, the same whatever is reported of it and however often:
 * a remote memory may have taken the outcome of an attempt that was then rolled back. It is the id that
 * earlier versions gave the outcome of a report without a key of its own.
 */
export const observationIdOf = (
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId,
  modelId: string
): string =>
  RecommendationId.fromParts(
    RecommendationId.timeOf(recommendationId).getTime(),
    createHash("sha256")
      .update(JSON.stringify([accountId, `derived:${recommendationId}:${modelId}`, recommendationId]))
      .digest()
  )
