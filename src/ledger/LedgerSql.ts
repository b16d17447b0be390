import { Array as Arr, Effect, Layer, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { Decision, Reconciliation } from "../domain/Decision.ts"
import { measure, meters } from "../domain/Meters.ts"
import type { AccountId } from "../domain/Scope.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { databaseSettings } from "../sql/DatabaseSettings.ts"
import { isRefusal } from "../sql/Transient.ts"
import {
  decisionColumns,
  type DecisionDetailRow,
  type DecisionRow,
  detailColumns,
  feedbackColumns,
  type FeedbackRow,
  toDecision,
  toLedgerRow,
  toRow
} from "./DecisionRow.ts"
import { makeWrite } from "./DecisionWrites.ts"
import { Ledger, LedgerUnavailable } from "./Ledger.ts"
import { readable } from "./ReadableRow.ts"
import * as RecommendationId from "./RecommendationId.ts"
import { settleOnce } from "./Settle.ts"

/** What the feedback says of the outcome; these columns are replaced together or not at all. */
const labelValues = (reconciliation: Reconciliation) => ({
  feedback_at: reconciliation.feedbackAt,
  chosen_model_id: reconciliation.chosenModelId,
  outcome: reconciliation.outcome,
  quality: reconciliation.quality,
  provenance: reconciliation.provenance,
  error_cause: reconciliation.errorCause,
  teaches: reconciliation.teaches,
  is_late: reconciliation.isLate
})

/** What the run was measured to take, each on its own. */
const measuredValues = (reconciliation: Reconciliation) => ({
  actual_cost_usd: reconciliation.actualCostUsd,
  input_tokens: reconciliation.inputTokens,
  output_tokens: reconciliation.outputTokens,
  actual_latency_ms: reconciliation.latencyMs
})

/**
 * Sets the feedback columns by the rule of `Reconcile.ts`. One statement decides by the row as it stands
 * under its own lock, so that two feedbacks at once cannot both take themselves for the first.
 */
const feedbackSet = (sql: SqlClient.SqlClient, reconciliation: Reconciliation) => {
  const relabels = sql`(${reconciliation.teaches}::boolean or teaches is not true)`
  const labels = Object.entries(labelValues(reconciliation)).map(([column, value]) =>
    sql`${sql(column)} = case when ${relabels} then ${value} else ${sql(column)} end`)
  const measured = Object.entries(measuredValues(reconciliation)).map(([column, value]) =>
    sql`${sql(column)} = case
      when chosen_model_id = ${reconciliation.chosenModelId} then coalesce(${value}, ${sql(column)})
      when ${relabels} then ${value} else ${sql(column)} end`)
  return sql.csv([...labels, ...measured])
}

/** One decision's row, whose partition is told by the time inside its id. */
const located = (sql: SqlClient.SqlClient, accountId: AccountId, recommendationId: string, createdAt: Date) =>
  sql`account_id = ${accountId} and created_at = ${createdAt}
    and recommendation_id = ${recommendationId}::uuid`

const rowOf = (decision: Decision): Effect.Effect<ReturnType<typeof toRow>, LedgerUnavailable> => {
  const createdAt = RecommendationId.timeOf(decision.recommendationId)
  return createdAt === null
    ? new LedgerUnavailable({ cause: "A recommendation id must be a UUIDv7", isRefusal: true })
    : Effect.succeed(toRow(decision, createdAt))
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const write = yield* makeWrite
  // There from the start, like all that is rarely counted.
  yield* measure((add) => add(meters.rowsUnreadable({}), 0))
  // Decisions, keys and recall keep connections even when settlements wait for locks; accounts take turns.
  const settling = yield* PartitionedSemaphore.make<AccountId>({ permits: databaseSettings.settlements })

  const guarded = <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient>
  ): Effect.Effect<A, LedgerUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) =>
        cause instanceof LedgerUnavailable
          ? cause
          : new LedgerUnavailable({ cause, isRefusal: isRefusal(cause) })
      )
    )

  const find = Effect.fnUntraced(function*(accountId: AccountId, recommendationId: string) {
    const createdAt = RecommendationId.timeOf(recommendationId)
    if (createdAt === null) return null
    const rows = yield* sql<DecisionRow & DecisionDetailRow>`
      select ${sql.literal(decisionColumns)}, ${sql.literal(detailColumns)} from decision
      where ${located(sql, accountId, recommendationId, createdAt)}`.pipe(withAccount(accountId), guarded)
    const [row] = yield* readable(rows)
    return row === undefined ? null : toDecision(row)
  })

  return Ledger.of({
    record: (decisions) =>
      guarded(Effect.forEach(
        Object.values(Arr.groupBy(decisions, ({ accountId }) => accountId)),
        (own) => Effect.flatMap(Effect.forEach(own, rowOf), (rows) => write(own[0].accountId, rows)),
        { discard: true }
      )),
    find,
    settle: (claim, work) =>
      settleOnce(claim, work).pipe(
        settling.withPermit(claim.accountId),
        Effect.provideService(SqlClient.SqlClient, sql)
      ),
    reconcile: (accountId, recommendationId, reconciliation) => {
      const createdAt = RecommendationId.timeOf(recommendationId)
      if (createdAt === null) return Effect.void
      return sql`
        update decision set ${feedbackSet(sql, reconciliation)}
        where ${located(sql, accountId, recommendationId, createdAt)}`.pipe(
        withAccount(accountId),
        guarded,
        Effect.asVoid
      )
    },
    window: ({ accountId, lane, since }) =>
      sql<DecisionRow & FeedbackRow>`
        select ${sql.literal(decisionColumns)}, ${sql.literal(feedbackColumns)} from decision
        where account_id = ${accountId} and created_at >= ${since}
          ${lane === null ? sql.literal("") : sql`and lane = ${lane}`}
        order by created_at, recommendation_id`.pipe(
        withAccount(accountId),
        guarded,
        Effect.flatMap(readable),
        Effect.map((rows) => rows.map(toLedgerRow))
      )
  })
})

/** The ledger in the service's own database, on either engine. */
export const layer: Layer.Layer<Ledger, never, SqlClient.SqlClient> = Layer.effect(Ledger, make)
