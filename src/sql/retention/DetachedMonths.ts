/* Months of the ledger that retention has detached and not dropped yet. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { partitionedTables } from "../LedgerTables.ts"
import { type MonthlyPartition, monthOf } from "./MonthlyPartitions.ts"

/** The prefix of a detached table's name. No read and no report sees its rows. */
export const detachedPrefix = "detached_"

/** A detached table; the two of a month have been detached together. */
export interface DetachedTable {
  readonly table: string
  readonly month: string
  /** The first instant after the month. */
  readonly until: Date
  /** The database's time at which it was detached; null when not known, and then it is not dropped. */
  readonly since: Date | null
  /** An estimate; 0 where the table has not been analysed. */
  readonly rows: number
}

const instantOf = (text: string | null): Date | null => {
  const atMs = Date.parse(text ?? "")
  return Number.isFinite(atMs) ? new Date(atMs) : null
}

/** Every detached table, oldest month first. */
export const detachedTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const names = partitionedTables.map((table) => `${detachedPrefix}${table}`)
  const rows = yield* sql<{ readonly name: string; readonly since: string | null; readonly rows: number }>`
    select c.relname as name, obj_description(c.oid, 'pg_class') as since,
      greatest(c.reltuples, 0)::float8 as rows
    from pg_class c
    where c.relnamespace = to_regnamespace(current_schema()) and c.relkind = 'r' and not c.relispartition
      and left(c.relname, -8) in ${sql.in(names)}
    order by right(c.relname, 7), c.relname`
  return rows.flatMap(({ name, rows, since }): ReadonlyArray<DetachedTable> => {
    const month = monthOf(name)
    return month === null
      ? []
      : [{ table: name, month: month.month, until: month.until, since: instantOf(since), rows }]
  })
})

/** Detaches a month's partitions; the caller's transaction makes it one step. */
export const detachMonth = Effect.fnUntraced(function*(
  partitions: ReadonlyArray<MonthlyPartition & { readonly table: string }>,
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  for (const { name, table } of partitions) {
    const detached = `${detachedPrefix}${name}`
    yield* sql`alter table ${sql(table)} detach partition ${sql(name)}`
    yield* sql`alter table ${sql(name)} rename to ${sql(detached)}`
    // A comment cannot be a parameter; this is an ISO instant of ours. Backups keep it.
    yield* sql`comment on table ${sql(detached)} is ${sql.literal(`'${now.toISOString()}'`)}`
  }
})

/** No table of that month is detached. */
export class NotDetached extends Schema.TaggedError<NotDetached>()("NotDetached", { month: Schema.String }) {
  override get message() {
    return `No month ${this.month} is detached; \`sextant retention --dry-run\` lists those that are`
  }
}

/** Attaches a detached month, `2025_08`, again; fails when none is detached. Yields the tables. */
export const attachMonth = (month: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const detached = (yield* detachedTables).filter((each) => each.month === month)
    if (detached.length === 0) return yield* new NotDetached({ month })
    const attached: Array<string> = []
    for (const table of partitionedTables) {
      const name = `${table}_${month}`
      const partition = monthOf(name)
      if (partition === null || !detached.some((each) => each.table === `${detachedPrefix}${name}`)) continue
      const bound = (date: Date) => sql.literal(`'${date.toISOString()}'`)
      yield* sql`alter table ${sql(`${detachedPrefix}${name}`)} rename to ${sql(name)}`
      yield* sql`comment on table ${sql(name)} is null`
      yield* sql`alter table ${sql(table)} attach partition ${sql(name)}
        for values from (${bound(partition.from)}) to (${bound(partition.until)})`
      attached.push(name)
    }
    return attached
  })
