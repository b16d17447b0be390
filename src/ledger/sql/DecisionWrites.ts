/* Writes decisions, those of one account and one turn in one transaction. */
import {
  Array as Arr, type Cause, type Context, Duration, Effect, Exit, Request, RequestResolver
} from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { countLate, type WrittenText, writtenColumns } from "../../sql/retention/LateTexts.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { toRow } from "./DecisionRow.ts"

type Rows = Arr.NonEmptyReadonlyArray<ReturnType<typeof toRow>>

/** One call's decisions of one account. */
class Write extends Request.Class<
  { readonly accountId: AccountId; readonly rows: Rows },
  void,
  SqlError.SqlError | Cause.TimeoutError
> {}

/**
 * Rows from which a batch collects no more calls, and most rows of one statement: a workflow's hundred steps
 * must not delay everybody who asks in its turn, and a connection keeps one prepared text per number of rows.
 */
const rowsMax = 32

/** A batch that takes longer gives its connection back; its callers have long answered without it. */
const batchTimeout = Duration.seconds(2)

const insert = Effect.fnUntraced(function*(accountId: AccountId, rows: Rows) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    Arr.chunksOf(rows, rowsMax),
    // One that was given up may have been written all the same, and then comes again from the backlog.
    (part) => sql<WrittenText>`insert into decision ${sql.insert(part)} on conflict do nothing
      returning ${sql.literal(writtenColumns)}`
  ).pipe(
    Effect.flatMap((written) => countLate(accountId, written.flat())),
    withAccount(accountId),
    retryTransient
  )
})

/**
 * Writes decisions durably. The calls of one account in one turn of the event loop share a transaction,
 * and with it one wait for the disk. A batch that fails is tried again call by call, so that a row that
 * the database refuses fails its own call alone. The decisions of an interrupted call may still be written
 * with its batch.
 */
export const makeWrite = Effect.gen(function*() {
  const own = yield* Effect.context<SqlClient.SqlClient>()
  // A batch starts on its first call's services; a transaction open there is not for the others to join.
  const insertApart = (accountId: AccountId, rows: Rows) =>
    Effect.updateContext(insert(accountId, rows), (_: Context.Context<never>) => own)

  const writeAll = Effect.fnUntraced(function*(
    entries: Arr.NonEmptyArray<Request.Entry<Write>>,
    accountId: AccountId
  ) {
    const rows = Arr.flatMap(entries, ({ request }) => request.rows)
    const together = yield* Effect.exit(insertApart(accountId, rows))
    if (Exit.isSuccess(together) || entries.length === 1) {
      for (const entry of entries) entry.completeUnsafe(together)
      return
    }
    yield* Effect.forEach(entries, (entry) =>
      Effect.map(
        Effect.exit(insertApart(accountId, entry.request.rows)),
        (alone) => entry.completeUnsafe(alone)
      ), { concurrency: "unbounded", discard: true })
  }, Effect.timeout(batchTimeout))

  const { batchKey, delay, preCheck, runAll } = RequestResolver.makeGrouped<Write, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: writeAll
  })
  const resolver = RequestResolver.makeWith<Write>({
    batchKey,
    delay,
    preCheck,
    runAll,
    collectWhile: (entries) =>
      [...entries].reduce((rows, { request }) => rows + request.rows.length, 0) < rowsMax
  })

  return (accountId: AccountId, rows: Rows): Effect.Effect<void, SqlError.SqlError | Cause.TimeoutError> =>
    Effect.request(new Write({ accountId, rows }), resolver)
})
