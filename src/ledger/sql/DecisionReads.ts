/* Reads decisions with their outcomes. Concurrent reads share one statement. */
import { type Context, Effect, Request, RequestResolver, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createdAtOf, type RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { gathered } from "../../sql/Groups.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { FoundDecision } from "../Ledger.ts"
import { decisionColumns, type DecisionRow, type DecisionTextRow, textColumns } from "./DecisionColumns.ts"
import { readable } from "./RowCompatibility.ts"
import { type OutcomesCell, readOutcomes, type UnreadableOutcomes } from "./StoredOutcomes.ts"

class Read extends Request.Class<
  { readonly accountId: AccountId; readonly recommendationId: RecommendationId },
  FoundDecision | null,
  SqlError.SqlError | Schema.SchemaError | UnreadableOutcomes
> {}

const readsMax = 64
/** Maximum time of a shared read, including its wait for a connection, ms. */
const readMsMax = 6_000

type FoundRow = DecisionRow & DecisionTextRow & OutcomesCell

/** The time that an id contains selects the partition of the table. */
export const foundBy = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  ids: ReadonlyArray<RecommendationId>
) => {
  const moments = ids.map(createdAtOf)
  return sql`find_decisions(${accountId}, ${moments}::timestamptz[], ${ids}::uuid[]) as decided
    left join find_outcomes(${accountId}, ${moments}::timestamptz[], ${ids}::uuid[]) as reported
      using (account_id, created_at, recommendation_id)`
}

const readAll = Effect.fnUntraced(function*(accountId: AccountId, ids: ReadonlyArray<RecommendationId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* readable(yield* sql<FoundRow>`
    select ${sql.literal(decisionColumns)}, ${sql.literal(textColumns)}, outcomes
    from ${foundBy(sql, accountId, [...new Set(ids)])}`)
  return new Map(rows.map((row) => [row.recommendationId, row]))
})

/** Returns null if the decision is missing or unreadable; fails if the decision's outcomes are unreadable. */
const foundIn = (
  rows: Effect.Success<ReturnType<typeof readAll>>,
  id: RecommendationId
): Effect.Effect<FoundDecision | null, UnreadableOutcomes> => {
  const row = rows.get(id)
  return row === undefined
    ? Effect.succeed(null)
    : Effect.map(readOutcomes(row), (outcomes) => ({ decision: row.decision, outcomes }))
}

/**
 * While the process is busy, reads of one account share a statement. A shared statement goes on if a caller
 * goes away, but takes at most `withinMs` milliseconds.
 */
export const makeDecisionReads = Effect.fnUntraced(function*(withinMs: number = readMsMax) {
  const own = yield* Effect.context<SqlClient.SqlClient>()

  const { batchKey, preCheck, runAll } = RequestResolver.makeGrouped<Read, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: (entries, accountId) =>
      readAll(accountId, entries.map(({ request }) => request.recommendationId)).pipe(
        withStatementDeadline(withinMs),
        Effect.flatMap((rows) =>
          Effect.forEach(entries, (entry) =>
            Effect.map(Effect.exit(foundIn(rows, entry.request.recommendationId)), (exit) =>
              entry.completeUnsafe(exit)), { discard: true })),
        // Shared reads run with the driver's services, because a caller's services may include a transaction.
        Effect.updateContext((_: Context.Context<never>) => own)
      )
  })
  const resolver = RequestResolver.makeWith<Read>({
    batchKey,
    preCheck,
    runAll,
    delay: gathered(() => false),
    collectWhile: ({ size }) => size < readsMax
  })
  return (accountId: AccountId, recommendationId: RecommendationId) =>
    Effect.request(new Read({ accountId, recommendationId }), resolver)
})
