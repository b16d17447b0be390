/* The stage that finds the decision of a feedback, its idempotency key and the id of its outcome. */
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { findModel } from "../../catalog/Lookup.ts"
import { type Decision, unreportedModelOf } from "../../domain/Decision.ts"
import type { FeedbackRequest } from "../../domain/feedback/Feedback.ts"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import * as RecommendationId from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { FoundDecision, Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { ReportKey } from "../../ledger/ReportSubmission.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { type Attributed, attributed, keyedName } from "./attribution/RanVariant.ts"

/** The account has no decision with this id. */
export class UnknownRecommendation extends Schema.TaggedError<UnknownRecommendation>()(
  "UnknownRecommendation",
  {
    recommendationId: Schema.NullOr(RecommendationId.RecommendationId)
  }
) {}

export const resolve = Effect.fnUntraced(function*(
  ledger: Ledger["Service"],
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId,
  asOf: "now" | "given"
): Effect.fn.Return<FoundDecision, UnknownRecommendation | LedgerUnavailable> {
  const found = yield* ledger.find(accountId, recommendationId, asOf)
  return found ?? (yield* new UnknownRecommendation({ recommendationId }))
}, stage("resolve"))

/** The model of a feedback that names none: the last reported model, or the one expected to run. */
const ranModel = (decision: Decision, outcomes: ReadonlyArray<ReportedOutcome>): string => {
  const [last] = outcomes.toSorted((a, b) => b.revision - a.revision)
  return last?.modelId ?? unreportedModelOf(decision)
}

type Identified = FeedbackRequest & { readonly recommendationId: RecommendationId.RecommendationId }

const ownIdOf = (snapshot: CatalogSnapshot, modelId: string): string =>
  findModel(snapshot, modelId)?.modelId ?? modelId

/** Returns the feedback with the catalog's id of its model, so that aliases have one idempotency key. */
const withCatalogId = (snapshot: CatalogSnapshot, request: Identified): Identified =>
  request.chosenModelId === null
    ? request
    : { ...request, chosenModelId: ownIdOf(snapshot, request.chosenModelId) }

/** Serialises the body in the order of the schema, without null fields. */
const bodyOf = (request: FeedbackRequest): string =>
  JSON.stringify(request, (_name, value: unknown) => value === null ? undefined : value)

/**
 * The idempotency key: the caller's key or, without one, the recommendation and the model. Prefixes keep
 * callers' idempotency keys and derived ones apart. A report's fingerprint is a hash of its validated body.
 */
export const reportKeyOf = (accountId: AccountId, request: FeedbackRequest): ReportKey => ({
  accountId,
  idempotencyKey: request.idempotencyKey === null
    ? `derived:${request.recommendationId}:${request.chosenModelId ?? ""}`
    : `caller:${request.idempotencyKey}`,
  fingerprint: createHash("sha256").update(bodyOf(request)).digest("hex")
})

interface FeedbackSubject extends Attributed {
  readonly decision: Decision
  readonly key: ReportKey
}

export const findDecision = Effect.fnUntraced(function*(
  ledger: Ledger["Service"],
  snapshot: CatalogSnapshot,
  accountId: AccountId,
  request: Identified
): Effect.fn.Return<FeedbackSubject, UnknownRecommendation | LedgerUnavailable> {
  const { recommendationId } = request
  const own = withCatalogId(snapshot, request)
  // A report that names no model is about the model that was reported last, to any process.
  const asOf = own.chosenModelId === null ? "now" : "given"
  const { decision, outcomes } = yield* resolve(ledger, accountId, recommendationId, asOf)
  const named = own.chosenModelId ?? ownIdOf(snapshot, ranModel(decision, outcomes))
  const ran = attributed(snapshot, decision, named, own)
  const key = reportKeyOf(accountId, { ...own, chosenModelId: keyedName(own, ran) })
  return { ...ran, key, decision }
})

/** Returns the id of the outcome to which all reports on one decision and model belong. */
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
