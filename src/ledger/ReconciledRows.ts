import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Reconciliation } from "../domain/Decision.ts"
import type { AccountId } from "../domain/Scope.ts"
import { rowSet } from "../sql/RowSet.ts"
import { together } from "../sql/Together.ts"

/** A feedback for its decision, whose partition is told by the time inside its id. */
interface Told {
  readonly accountId: AccountId
  readonly recommendationId: string
  readonly createdAt: Date
  readonly reconciliation: Reconciliation
}

/** What the feedback says of the outcome; these columns are replaced together or not at all. */
const labels = {
  feedback_at: "timestamptz",
  chosen_model_id: "text",
  outcome: "text",
  quality: "float8",
  provenance: "text",
  error_cause: "text",
  teaches: "boolean",
  is_late: "boolean"
}

/** What the run was measured to take, each on its own. */
const measurements = {
  actual_cost_usd: "float8",
  input_tokens: "bigint",
  output_tokens: "bigint",
  actual_latency_ms: "float8"
}

const columns = Object.entries({
  created_at: "timestamptz", recommendation_id: "uuid", ...labels, ...measurements
}).map(([column, type]) => `${column} ${type}`).join(", ")

const rowOf = ({ createdAt, recommendationId, reconciliation }: Told) => ({
  created_at: createdAt,
  recommendation_id: recommendationId,
  feedback_at: reconciliation.feedbackAt,
  chosen_model_id: reconciliation.chosenModelId,
  outcome: reconciliation.outcome,
  quality: reconciliation.quality,
  provenance: reconciliation.provenance,
  error_cause: reconciliation.errorCause,
  teaches: reconciliation.teaches,
  is_late: reconciliation.isLate,
  actual_cost_usd: reconciliation.actualCostUsd,
  input_tokens: reconciliation.inputTokens,
  output_tokens: reconciliation.outputTokens,
  actual_latency_ms: reconciliation.latencyMs
})

/** The feedback columns by the rule of `Reconcile.ts`. */
const relabels = "(t.teaches or d.teaches is not true)"
const assignments = [
  ...Object.keys(labels).map((column) =>
    `${column} = case when ${relabels} then t.${column} else d.${column} end`),
  ...Object.keys(measurements).map((column) =>
    `${column} = case when d.chosen_model_id = t.chosen_model_id then coalesce(t.${column}, d.${column})
      when ${relabels} then t.${column} else d.${column} end`)
].join(", ")

/** One of each decision in turn: a statement changes a row once. */
const rounds = (told: Arr.NonEmptyReadonlyArray<Told>): ReadonlyArray<ReadonlyArray<Told>> => {
  const idOf = ({ recommendationId }: Told) => recommendationId.toLowerCase()
  const byDecision = Object.values(Arr.groupBy(told, idOf))
  const most = Math.max(...byDecision.map((of) => of.length))
  return Array.from({ length: most }, (_, round) => byDecision.flatMap((of) => of.slice(round, round + 1)))
}

/**
 * Writes feedback onto decisions. A statement decides by the row as it stands under its own lock, so that two
 * feedbacks at once cannot both take themselves for the first.
 */
export const reconcileRow = together(Effect.fnUntraced(function*(told: Arr.NonEmptyReadonlyArray<Told>) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = told[0]
  yield* Effect.forEach(rounds(told), (round) =>
    sql`update decision d set ${sql.literal(assignments)}
      from ${rowSet(sql, "t", columns, round.map(rowOf))}
      where d.account_id = ${accountId} and d.recommendation_id = t.recommendation_id
        and d.created_at = t.created_at
        and d.created_at = any(${round.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[])`, {
    discard: true
  })
  return () => {}
}))
