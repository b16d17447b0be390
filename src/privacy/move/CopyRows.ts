/* Copies an account's rows to another cell: what differs, what has changed, keys, late decisions. */
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { keyTable } from "../AccountTables.ts"
import { orderOf } from "../ExportAccount.ts"
import { insertRows } from "../ImportAccount.ts"
import { groupOf, groupSums, hashOf, isSame, type MovedTable } from "./MovedTables.ts"
import { moveSettings } from "./MoveSettings.ts"
import { inCell, type Side } from "./MoveState.ts"

type Copied<A> = Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>

interface FetchedRow {
  readonly hash: string
  /** The row as JSON, passed on unchanged, so that numbers keep every digit of the database. */
  readonly row: string
}

/** Fetches the account's rows that meet a condition, in batches; inside a transaction. */
const eachBatch = Effect.fnUntraced(function*<E>(
  accountId: AccountId,
  table: MovedTable,
  condition: Statement.Fragment,
  take: (rows: ReadonlyArray<FetchedRow>) => Effect.Effect<void, E>
): Effect.fn.Return<void, E | SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const cursor = sql("sextant_move")
  yield* sql`declare ${cursor} no scroll cursor for
    select ${hashOf(sql, table)}::text as hash, (to_jsonb(t) - 'account_id')::text as row
    from ${sql(table.name)} t where account_id = ${accountId} and ${condition} ${sql.literal(orderOf(table))}`
  for (;;) {
    const rows = yield* sql<FetchedRow>`fetch ${sql.literal(String(moveSettings.batchRows))} from ${cursor}`
    if (rows.length > 0) yield* take(rows)
    if (rows.length < moveSettings.batchRows) break
  }
  yield* sql`close ${cursor}`
})

const jsonOf = (rows: ReadonlyArray<FetchedRow>): string => `[${rows.map(({ row }) => row).join(",")}]`

/** The hashes of the account's rows in these groups. */
const hashesIn = Effect.fnUntraced(function*(
  accountId: AccountId,
  table: MovedTable,
  groups: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly hash: string }>`select ${hashOf(sql, table)}::text as hash
    from ${sql(table.name)} t
    where account_id = ${accountId} and ${groupOf(sql, table)} = any(${groups}::int[])`
  return new Set(rows.map(({ hash }) => hash))
})

/**
 * Makes a table of the account in `to` as it is in the open transaction; yields how many groups of rows
 * differed before. Of these alone the hashes are read, and the rows that differ are deleted and written;
 * `beforeDelete` is run once they are known.
 */
export const mendTable = Effect.fnUntraced(function*<E = never>(
  accountId: AccountId,
  table: MovedTable,
  to: Side,
  beforeDelete: Effect.Effect<unknown, E> = Effect.void
): Effect.fn.Return<number, E | SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const there = inCell(to, accountId)
  const [own, other] = yield* Effect.all([
    groupSums(accountId, table), there(groupSums(accountId, table))
  ], { concurrency: 2 })
  const groups = [...new Set([...own.keys(), ...other.keys()])]
    .filter((group) => !isSame(own.get(group), other.get(group)))
  if (groups.length === 0) return 0
  const theirs = other.size === 0 ? new Set<string>() : yield* there(hashesIn(accountId, table, groups))
  const ours = theirs.size === 0 ? theirs : yield* hashesIn(accountId, table, groups)
  const extra = [...theirs].filter((hash) => !ours.has(hash))
  if (extra.length > 0) {
    yield* beforeDelete
    yield* there(to.sql`delete from ${to.sql(table.name)} t where account_id = ${accountId}
      and ${hashOf(to.sql, table)} = any(${extra}::bigint[])`)
  }
  // To a table without rows all go; a list of thousands of groups would be read for each.
  const differing = other.size === 0 ? sql`true` : sql`${groupOf(sql, table)} = any(${groups}::int[])`
  yield* eachBatch(accountId, table, differing, (rows) => {
    const missing = rows.filter(({ hash }) => !theirs.has(hash))
    return missing.length === 0
      ? Effect.void
      : Effect.asVoid(there(insertRows(accountId, table.name, table.written, jsonOf(missing))))
  })
  return groups.length
})

/** The oldest transaction that this one does not see: what changes later has it or a newer one in `xmin`. */
export const oldestUnseen: Copied<string> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly id: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as id`,
    ([row]) => row?.id ?? "0"))

/**
 * Copies the rows that a transaction since `unseen` has written, in place of those with their keys. The
 * snapshot in which `unseen` was read must still be open: rows would be frozen by a vacuum otherwise.
 */
export const copyChanged = Effect.fnUntraced(function*(
  accountId: AccountId,
  table: MovedTable,
  unseen: string,
  to: Side
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const changed = sql`age(t.xmin) <= age(${unseen}::xid8::xid)`
  yield* eachBatch(accountId, table, changed, (rows) => {
    const json = jsonOf(rows)
    const { sql } = to
    const sameKey = sql.and(table.keys.map((key) => sql`t.${sql(key)} = r.${sql(key)}`))
    return sql`delete from ${sql(table.name)} t using
        json_populate_recordset(null::${sql(table.name)}, ${json}::text::json) as r
      where t.account_id = ${accountId} and ${sameKey}`.pipe(
      Effect.andThen(insertRows(accountId, table.name, table.written, json)),
      inCell(to, accountId),
      Effect.asVoid
    )
  })
})

const keyColumns = ["role", "salt", "key_hash", "created_at", "expires_at", "last_used_at", "revoked_at"]

/** Copies the account's keys, with their hashes; outside its scope, whose role may not see them. */
export const copyKeys = Effect.fnUntraced(function*(
  accountId: AccountId,
  from: Side,
  to: Side
): Effect.fn.Return<number, SqlError.SqlError> {
  const [row] = yield* from.sql<{ readonly keys: string; readonly count: number }>`
    select coalesce(jsonb_agg(to_jsonb(k)), '[]')::text as keys, count(*)::float8 as count
    from ${from.sql(keyTable)} k where account_id = ${accountId}`
  const { sql } = to
  const names = keyColumns.map((column) => sql`${sql(column)}`)
  yield* sql`select set_config('app.move', 'on', true)`.pipe(
    Effect.andThen(sql`insert into ${sql(keyTable)} (account_id, key_id, ${sql.csv(names)})
      select account_id, key_id, ${sql.csv(names)}
      from json_populate_recordset(null::${sql(keyTable)}, ${row?.keys ?? "[]"}::text::json)
      on conflict (account_id, key_id) do update
      set ${sql.csv(names.map((name) => sql`${name} = excluded.${name}`))}`),
    sql.withTransaction
  )
  return row?.count ?? 0
})

/** Late decisions: those that a cell has recorded since it was to be left, and that are no older. */
export interface LateDecisions {
  /** By the cell's clock. A decision that waited in a spool is recorded long after it was made. */
  readonly recordedSince: Date
  readonly createdSince: Date
}

/** What a cell that was frozen then may have recorded since its last copy, however old. */
export const lateSince = (frozenAt: Date): LateDecisions => ({
  recordedSince: new Date(frozenAt.getTime() - moveSettings.lateMs), createdSince: new Date(0)
})

const isLate = (sql: SqlClient.SqlClient, { createdSince, recordedSince }: LateDecisions) =>
  sql`created_at >= ${createdSince} and recorded_at >= ${recordedSince}`

const lateIds = (side: Side, accountId: AccountId, late: LateDecisions) =>
  side.sql<{ readonly id: string }>`select recommendation_id::text as id from decision
    where account_id = ${accountId} and ${isLate(side.sql, late)}`.pipe(
    Effect.map((rows) => rows.map(({ id }) => id)), inCell(side, accountId)
  )

/** Ids of the late decisions in `from` that `to` lacks. A copy keeps when it was recorded. */
export const missingLate = Effect.fnUntraced(function*(
  accountId: AccountId,
  late: LateDecisions,
  from: Side,
  to: Side
): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
  const [own, other] = yield* Effect.all([lateIds(from, accountId, late), lateIds(to, accountId, late)], {
    concurrency: 2
  })
  const there = new Set(other)
  return own.filter((id) => !there.has(id))
})

/** Copies late decisions that `to` lacks, and changes none that it has; yields how many. */
export const copyLateDecisions = Effect.fnUntraced(function*(
  accountId: AccountId,
  decision: MovedTable,
  late: LateDecisions,
  from: Side,
  to: Side
): Effect.fn.Return<number, SqlError.SqlError> {
  const missing = yield* missingLate(accountId, late, from, to)
  if (missing.length === 0) return 0
  const { sql } = from
  yield* eachBatch(
    accountId, decision, sql`${isLate(sql, late)} and recommendation_id = any(${missing}::uuid[])`,
    (rows) => Effect.asVoid(
      inCell(to, accountId)(insertRows(accountId, decision.name, decision.written, jsonOf(rows)))
    )
  ).pipe(inCell(from, accountId))
  return missing.length
})
