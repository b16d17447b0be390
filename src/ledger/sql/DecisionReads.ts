/* Reads decisions by id, those of one account and one turn in one statement. */
import { Array as Arr, type Context, Effect, Exit, Request, RequestResolver } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import {
  decisionColumns, type DecisionDetailRow, type DecisionRow, detailColumns, toDecision
} from "./DecisionRow.ts"
import { readable } from "./RowCompatibility.ts"
import { type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"

class Find extends Request.Class<
  { readonly accountId: AccountId; readonly recommendationId: RecommendationId },
  Decision | null,
  SqlError.SqlError
> {}

/** Most decisions of one statement. */
const foundTogether = 32
/** Longest that a statement may take, with its wait for a connection, ms: less than a feedback's budget. */
const findMsMax = 6_000

const createdAtOf = ({ recommendationId }: Find): string => timeOf(recommendationId).toISOString()

const select = Effect.fnUntraced(function*(accountId: AccountId, asked: ReadonlyArray<Find>) {
  const sql = yield* SqlClient.SqlClient
  // The time inside an id determines the partition.
  const rows = yield* sql<DecisionRow & DecisionDetailRow>`
    select ${sql.literal(decisionColumns)}, ${sql.literal(detailColumns)} from decision
    where account_id = ${accountId}
      and created_at = any(${asked.map(createdAtOf)}::timestamptz[])
      and recommendation_id = any(${asked.map(({ recommendationId }) => recommendationId)}::uuid[])`
  return yield* readable(rows)
}, (read, accountId) => withAccount(accountId)(read))

/**
 * Finds decisions by id, null where the account has none. The calls of one account in one turn of the event
 * loop share a transaction; after a group of settlements is answered, several calls come in one turn. The
 * transaction belongs to no caller: it goes on when a caller goes away, for at most `withinMs`.
 */
export const makeFind = Effect.fnUntraced(function*(withinMs: number = findMsMax) {
  const own = yield* Effect.context<SqlClient.SqlClient>()

  const { batchKey, preCheck, runAll } = RequestResolver.makeGrouped<Find, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: (entries, accountId) =>
      select(accountId, entries.map(({ request }) => request)).pipe(
        withStatementDeadline(withinMs),
        Effect.map((rows) => {
          const byId = new Map(rows.map((row) => [row.recommendationId, row]))
          for (const entry of entries) {
            const row = byId.get(entry.request.recommendationId)
            entry.completeUnsafe(Exit.succeed(row === undefined ? null : toDecision(row)))
          }
        }),
        // A batch starts on its first call's services; a transaction open there is not for others to join.
        Effect.updateContext((_: Context.Context<never>) => own)
      )
  })
  const resolver = RequestResolver.makeWith<Find>({
    batchKey,
    preCheck,
    runAll,
    delay: Effect.yieldNow,
    collectWhile: ({ size }) => size < foundTogether
  })

  return (
    accountId: AccountId,
    recommendationId: RecommendationId
  ): Effect.Effect<Decision | null, SqlError.SqlError> =>
    Effect.request(new Find({ accountId, recommendationId }), resolver)
})
