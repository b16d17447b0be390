/* Settles one claim in a transaction of its own. */
import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FeedbackResponse } from "../../domain/Feedback.ts"
import { FeedbackWarning } from "../../domain/Warning.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { type Claim, LedgerUnavailable, type SettledFeedback } from "../Ledger.ts"

/** Distinguishes the work's own failures from the transaction's, whatever type they have. */
class WorkFailed<E> extends Data.TaggedError("WorkFailed")<{ readonly error: E }> {}

const Stored = Schema.Struct({ fingerprint: Schema.String, response: Schema.toCodecJson(FeedbackResponse) })
const decodeStrictly = Schema.decodeUnknownEffect(Stored)
const WithWarnings = Schema.Struct({
  fingerprint: Schema.String,
  response: Schema.StructWithRest(
    Schema.Struct({ warnings: Schema.Array(Schema.String) }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
})
const hasWarnings = Schema.is(WithWarnings)
const isWarning = Schema.is(FeedbackWarning)

/** A stored answer without the warnings of a newer version, which this version's schema does not have. */
export const decodeStored = (row: unknown) =>
  decodeStrictly(
    hasWarnings(row)
      ? { ...row, response: { ...row.response, warnings: row.response.warnings.filter(isWarning) } }
      : row
  )
/** An answer as it is stored, as a value and as its text. */
export const encodedResponse = Schema.encodeEffect(Schema.toCodecJson(FeedbackResponse))
export const encodeResponse = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(FeedbackResponse)))

/** A claim's report as its row keeps it; null without a report. */
export const reportText = ({ about }: Claim): string | null =>
  about === undefined ? null : JSON.stringify({ recommendationId: about.recommendationId, ...about.report })

/**
 * Runs `work` once per claim, in one transaction with it and no other claim. A concurrent call under the same
 * claim waits inside its insert until the first has committed and then reads what it stored, or takes over if
 * it rolled back. The whole transaction, work included, runs again after a deadlock, even one that the work
 * has hidden. When it hides another statement that failed, the next one is refused (25P02): one attempt,
 * LedgerUnavailable, and nothing is kept.
 */
export const settleOnce = <E, R>(
  claim: Claim,
  work: Effect.Effect<FeedbackResponse, E, R>
): Effect.Effect<SettledFeedback, E | LedgerUnavailable, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mine = sql`account_id = ${claim.accountId} and idempotency_key = ${claim.idempotencyKey}`
    const won = yield* sql`
      insert into feedback_key (account_id, idempotency_key, fingerprint, report, created_at)
      values (${claim.accountId}, ${claim.idempotencyKey}, ${claim.fingerprint},
        ${reportText(claim)}::text::jsonb, now())
      on conflict do nothing returning true as won`
    if (won.length === 0) {
      const [row] = yield* sql`select fingerprint, response from feedback_key where ${mine}`
      const stored = yield* decodeStored(row)
      const answer: SettledFeedback = {
        response: stored.response,
        claim: stored.fingerprint === claim.fingerprint ? "same" : "other"
      }
      return answer
    }
    const response = yield* Effect.mapError(work, (error) => new WorkFailed({ error }))
    const json = yield* encodeResponse(response)
    yield* sql`update feedback_key set response = ${json}::text::jsonb where ${mine}`
    const answer: SettledFeedback = { response, claim: "first" }
    return answer
  }).pipe(
    withAccount(claim.accountId),
    retryTransient,
    // On a connection that died the driver may end a transaction with the work's failure as a defect.
    Effect.catchDefect((defect) =>
      // Only this settlement's own work fails with WorkFailed here, so that its error has type E.
      defect instanceof WorkFailed ? Effect.fail(defect as WorkFailed<E>) : Effect.die(defect)),
    Effect.mapError((error) =>
      error._tag === "WorkFailed" ? error.error : new LedgerUnavailable({ reason: reasonOf(error) })
    )
  )
