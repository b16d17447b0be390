/* Reads decisions with their outcomes. Concurrent reads share one statement. */
import { type Context, Effect, Request, RequestResolver, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createdAtOf, type RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { gathered } from "../../sql/Groups.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { FoundDecision } from "../Ledger.ts"
import { decisionColumns, type DecisionRow, type DecisionTextRow, textColumns } from "./DecisionRow.ts"
import { readable } from "./RowCompatibility.ts"
import { type OutcomesCell, readOutcomes, type UnreadableOutcomes } from "./StoredOutcomes.ts"

class Read extends Request.Class<
  { readonly accountId: AccountId; readonly recommendationId: RecommendationId },
  FoundDecision | null,
  SqlError.SqlError | Schema.SchemaError | UnreadableOutcomes
> {}

/** Most questions of one transaction, count. */
const readsMax = 64
/** Longest that a transaction may take, with its wait for a connection, ms: less than a feedback may take. */
const readMsMax = 6_000

type FoundRow = DecisionRow & DecisionTextRow & OutcomesCell

/** Decisions with their outcomes, as a relation. The time in an id determines the partition. */
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

/** Reads all requested decisions of an account in one statement. */
const readAll = Effect.fnUntraced(function*(accountId: AccountId, ids: ReadonlyArray<RecommendationId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* readable(yield* sql<FoundRow>`
    select ${sql.literal(decisionColumns)}, ${sql.literal(textColumns)}, outcomes
    from ${foundBy(sql, accountId, [...new Set(ids)])}`)
  return new Map(rows.map((row) => [row.recommendationId, row]))
})

/** Outcomes that this version cannot read fail their own reader; a decision that it cannot read is absent. */
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
 * Reads outside the transactions of reports. Reads of one account that come while the process is busy share a
 * transaction, which belongs to no caller: it continues for at most `withinMs` milliseconds if a caller goes
 * away.
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
        // A batch starts on its first call's services; a transaction open there is not for others to join.
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
