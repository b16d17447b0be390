/* The monthly partitions of a table. Partitions are made ahead of time. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { databaseNow } from "./DatabaseNow.ts"

/** Returns the first instant, UTC, of the month that is `months` months after the month of `epochMs`. */
export const monthStart = (epochMs: number, months: number): Date => {
  const date = new Date(epochMs)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
}

const monthsAround = [-1, 0, 1, 2, 3]

/**
 * Makes the partitions from the previous month to three months ahead by the database's clock. A month with
 * rows in the default partition gets none, because PostgreSQL would refuse to make it.
 */
export const ensureMonthlyPartitions = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const now = (yield* databaseNow).getTime()
  const fallback = `${table}_default`
  yield* sql`create table if not exists ${sql(fallback)} partition of ${sql(table)} default`
  for (const months of monthsAround) {
    const from = monthStart(now, months)
    const until = monthStart(now, months + 1)
    const partition = `${table}_${from.toISOString().slice(0, 7).replace("-", "_")}`
    const [state] = yield* sql<{ readonly needed: boolean; readonly crowded: boolean }>`
      select to_regclass(${partition}) is null as needed,
        exists (select from ${sql(fallback)}
          where created_at >= ${from} and created_at < ${until}) as crowded`
    if (state === undefined || !state.needed) continue
    if (state.crowded) {
      yield* Effect.logWarning("A month's partition is missing, its rows are in the default partition").pipe(
        Effect.annotateLogs({ partition })
      )
      continue
    }
    // A partition's bounds cannot be SQL parameters, so the dates are written into the SQL text.
    const bound = (date: Date) => sql.literal(`'${date.toISOString()}'`)
    yield* sql`create table ${sql(partition)} partition of ${sql(table)}
      for values from (${bound(from)}) to (${bound(until)})`
  }
})

/** A month, for example `2025_08`, that begins at `from` and ends before `until`. */
interface MonthlyPartition {
  readonly name: string
  readonly month: string
  readonly from: Date
  readonly until: Date
}

/** Returns null for a name without a month. */
export const monthOf = (name: string): MonthlyPartition | null => {
  const [, year, month] = /_(\d{4})_(0[1-9]|1[0-2])$/.exec(name) ?? []
  if (year === undefined || month === undefined) return null
  const from = Date.UTC(Number(year), Number(month) - 1, 1)
  return { name, month: `${year}_${month}`, from: new Date(from), until: monthStart(from, 1) }
}

export const monthlyPartitions = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) order by c.relname`
  return rows.flatMap(({ name }): ReadonlyArray<MonthlyPartition> => {
    const partition = monthOf(name)
    return partition === null ? [] : [partition]
  })
})
