/* Counts that reports change beside outcomes: the use of prepaid quotas, and calls for models' health. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { rowSet, wellFormedJson } from "../../sql/RowSet.ts"
import type { ReportedCall, ReportPlan, ReportSubmission } from "../ReportSubmission.ts"
import { createdAtOf } from "./StoredOutcomes.ts"

interface Reported {
  readonly submission: Pick<ReportSubmission, "decision">
  readonly plan: Pick<ReportPlan, "call" | "prepaid">
}

/**
 * Counts tokens down from prepaid quotas, for calls that were recommended since a quota was set. The row of
 * the account's quotas is locked, so that no concurrent write to it is lost.
 */
export const usePrepaid = Effect.fnUntraced(function*(
  accountId: AccountId,
  reports: ReadonlyArray<Reported>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const changes = reports.flatMap(({ plan, submission: { decision } }) =>
    plan.prepaid.map(({ modelId, tokens }) =>
      ({ modelId, tokens, createdAt: createdAtOf(decision.recommendationId) })))
  if (changes.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const used = sql`coalesce((
      select sum(c.tokens)
      from ${rowSet(sql, "c", { modelId: "text", tokens: "float8", createdAt: "timestamptz" }, changes)}
      where c.model_id = q.key and c.created_at >= (q.value ->> 'since')::timestamptz
    ), 0)`
  yield* sql`update account_models m set prepaid = (
      select jsonb_object_agg(q.key,
        jsonb_set(q.value, '{used}', to_jsonb(greatest(0, (q.value ->> 'used')::float8 + ${used}))))
      from jsonb_each(m.prepaid) as q
    ) where m.account_id = ${accountId} and m.prepaid is not null`
})

const callRow = (call: ReportedCall) => ({
  provider: call.provider,
  model_id: call.modelId,
  reporter: call.reporter,
  failed: call.isBroken,
  limited: call.isRateLimited,
  retry_after_ms: call.retryAfterMs
})

/** Counts the calls of reports, so that a model with broken calls is left out. */
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
