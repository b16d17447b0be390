/* Begins, continues, lists and ends imports. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { arrayOf } from "../../sql/RowSet.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import { type ImportEntry, type NewImport, type RunningImport, UndoUnfinished } from "../OutcomeImport.ts"
import { reflectOnLane } from "./ReflectionQueue.ts"

const columns = `import_id::text as "importId", lane, state, files, rows_read::float8 as "rowsRead",
  added::float8 as added, left_out as "leftOut", started_at as "startedAt"`

export const listImports = (
  accountId: AccountId
): Effect.Effect<ReadonlyArray<ImportEntry>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<ImportEntry>`select ${sql.literal(columns)} from import where account_id = ${accountId}
      order by started_at desc, import_id`).pipe(withAccount(accountId))

export const storedIds = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  ids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlySet<string>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`select observation_id::text as id from observation
    where account_id = ${accountId} and lane = ${lane}
      and observation_id = any(${arrayOf(sql, "uuid", ids)})`.pipe(withAccount(accountId))
  return new Set(rows.map(({ id }) => id))
})

/** Begins an import, or takes over the running import of the same command. */
export const beginImport = (
  { accountId, command, fileNames, lane }: NewImport
): Effect.Effect<RunningImport, SqlError.SqlError | UndoUnfinished, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mine = sql`account_id = ${accountId} and lane = ${lane}`
    const [undoing] = yield* sql<{ readonly importId: string }>`select import_id::text as "importId"
      from import where ${mine} and state = 'undoing' limit 1`
    if (undoing !== undefined) return yield* new UndoUnfinished({ accountId, importId: undoing.importId })
    const claim = randomUUID()
    const taken = yield* sql<ImportEntry>`update import
      set claim = ${claim}::uuid, updated_at = clock_timestamp()
      where ${mine} and state = 'running' and import_id = (
        select import_id from import where ${mine} and state = 'running' and command = ${command}
        order by started_at desc limit 1 for update)
      returning ${sql.literal(columns)}`
    const files = JSON.stringify(fileNames)
    const [entry] = taken.length > 0 ? taken : yield* sql<ImportEntry>`insert into import
        (account_id, import_id, lane, command, claim, state, files)
      values (${accountId}, gen_random_uuid(), ${lane}, ${command}, ${claim}::uuid, 'running',
        ${files}::text::jsonb)
      returning ${sql.literal(columns)}`
    if (entry === undefined) return yield* Effect.die("An insert without a condition returns its row")
    return { ...entry, accountId, lane, claim, isResumed: taken.length > 0 }
  }).pipe(withAccount(accountId), retryTransient)

/** Ends an import, or deletes it if it added no outcome. */
export const endImport = (
  { accountId, claim, importId, lane }: RunningImport,
  settings: MemorySettings
): Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mine = sql`account_id = ${accountId} and import_id = ${importId}::uuid and claim = ${claim}::uuid`
    yield* sql`delete from import where ${mine} and added = 0`
    const [ended] = yield* sql<{ readonly added: number }>`update import
      set state = 'done', updated_at = clock_timestamp() where ${mine} and state = 'running'
      returning added::float8 as added`
    if (ended === undefined) return 0
    yield* sql`insert into reflection (account_id, lane, crossing, observation_id)
      values (${accountId}, ${lane}, ${`import:${importId}`}, ${importId}::uuid) on conflict do nothing`
    yield* reflectOnLane({ accountId, lane }, settings)
    return ended.added
  }).pipe(withAccount(accountId), retryTransient)
