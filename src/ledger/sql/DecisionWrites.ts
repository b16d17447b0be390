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

type DecisionRows = Arr.NonEmptyReadonlyArray<ReturnType<typeof toRow>>

/** One call's decisions of one account. */
class WriteRequest extends Request.Class<
  { readonly accountId: AccountId; readonly rows: DecisionRows },
  void,
  SqlError.SqlError | Cause.TimeoutError
> {}

/**
 * Rows from which a batch collects no more calls, and most rows of one statement: a workflow's hundred steps
 * must not delay all other callers of its turn, and a connection keeps one prepared text per number of rows.
 */
const rowsMax = 32

/** A batch that takes longer gives its connection back; its callers have long answered without it. */
const batchTimeout = Duration.seconds(2)

const insert = Effect.fnUntraced(function*(accountId: AccountId, rows: DecisionRows) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    Arr.chunksOf(rows, rowsMax),
    // A batch that timed out may have been written; its decisions then come again from the buffer.
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
  const insertOwn = (accountId: AccountId, rows: DecisionRows) =>
    Effect.updateContext(insert(accountId, rows), (_: Context.Context<never>) => own)

  const writeAll = Effect.fnUntraced(function*(
    entries: Arr.NonEmptyArray<Request.Entry<WriteRequest>>,
    accountId: AccountId
  ) {
    const rows = Arr.flatMap(entries, ({ request }) => request.rows)
    const written = yield* Effect.exit(insertOwn(accountId, rows))
    if (Exit.isSuccess(written) || entries.length === 1) {
      for (const entry of entries) entry.completeUnsafe(written)
      return
    }
    yield* Effect.forEach(entries, (entry) =>
      Effect.map(
        Effect.exit(insertOwn(accountId, entry.request.rows)),
        (exit) => entry.completeUnsafe(exit)
      ), { concurrency: "unbounded", discard: true })
  }, Effect.timeout(batchTimeout))

  const { batchKey, delay, preCheck, runAll } = RequestResolver.makeGrouped<WriteRequest, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: writeAll
  })
  const resolver = RequestResolver.makeWith<WriteRequest>({
    batchKey,
    delay,
    preCheck,
    runAll,
    collectWhile: (entries) =>
      [...entries].reduce((rows, { request }) => rows + request.rows.length, 0) < rowsMax
  })

  return (
    accountId: AccountId,
    rows: DecisionRows
  ): Effect.Effect<void, SqlError.SqlError | Cause.TimeoutError> =>
    Effect.request(new WriteRequest({ accountId, rows }), resolver)
})
