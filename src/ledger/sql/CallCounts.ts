/* Counts the calls that reports describe, to compute the health of models. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { createdAtOf } from "../../domain/RecommendationId.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import type { ReportedCall, ReportPlan, ReportSubmission } from "../ReportSubmission.ts"

interface Reported {
  readonly submission: Pick<ReportSubmission, "decision">
  readonly plan: Pick<ReportPlan, "call">
}

const callRow = (call: ReportedCall) => ({
  provider: call.provider,
  model_id: call.modelId,
  reporter: call.reporter,
  failed: call.isBroken,
  limited: call.isRateLimited,
  retry_after_ms: call.retryAfterMs
})

/** Counts the calls of reports, so that later choices leave out a model whose calls break. */
export const countCalls = Effect.fnUntraced(function*(
  accountId: AccountId,
  reports: ReadonlyArray<Reported>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const calls = reports.flatMap(({ plan: { call }, submission: { decision } }, position) =>
    call === null ? [] : [{
      position,
      recommendation_id: decision.recommendationId,
      created_at: createdAtOf(decision.recommendationId),
      call: callRow(call)
    }])
  if (calls.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`select count_calls(${accountId}, ${wellFormedJson(calls)}::text::json)`
})
