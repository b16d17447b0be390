import { Clock, Effect, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../domain/Scope.ts"
import { withAccount } from "./AccountScope.ts"
import { partitionedTables } from "./LedgerTables.ts"
import { ensureMonthlyPartitions, monthlyPartitions, monthStart } from "./MonthlyPartitions.ts"
import { type RetainedTable, retainedTables, retentionDaysMin } from "./RetainedTables.ts"

/** An arbitrary constant, like that of migrations. */
const retentionLock = 5_790_316_252

/** Rows deleted in one transaction, count: some tens of milliseconds, after which others have their turn. */
const batchRows = 5_000

/** Longest that dropping a partition waits for reports that read it, ms; it is tried again the next time. */
const lockTimeoutMs = 2_000

const dayMs = 86_400_000

export interface RetentionRequest {
  /** How long decisions are kept; at least {@link retentionDaysMin}, else nothing is done. */
  readonly days: number
  /** Only says what would go. */
  readonly isDry: boolean
}

/** A partition or an account's rows that went, or would. */
export interface Purged {
  readonly table: string
  /** Null for a partition, which is dropped as a whole. */
  readonly accountId: string | null
  readonly rows: number
}

/** Asked to keep less than the least. */
export class RetentionTooShort extends Schema.TaggedError<RetentionTooShort>()("RetentionTooShort", {
  days: Schema.Number
}) {
  override get message() {
    return `Decisions are kept at least ${retentionDaysMin} days, not ${this.days}`
  }
}

/** Another process is at it, and does all there is to do. */
class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

/** One step in its transaction, under the lock that lets one process of the cluster purge at a time. */
const alone = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [lock] = yield* sql<{ readonly isFree: boolean }>`
      select pg_try_advisory_xact_lock(${retentionLock}::bigint) as "isFree",
        set_config('statement_timeout', '0', true),
        set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`
    if (lock?.isFree !== true) return yield* new Busy()
    return yield* step
  })

const inTransaction = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(alone(step)))

const dropPartitions = Effect.fnUntraced(function*(table: string, cut: Date, isDry: boolean) {
  const sql = yield* SqlClient.SqlClient
  const expired = (yield* monthlyPartitions(table)).filter(({ until }) => until <= cut)
  return yield* Effect.forEach(expired, ({ name }) =>
    inTransaction(Effect.gen(function*() {
      // An estimate, as a count would read all that is about to go; -1 where nobody has analysed it yet.
      const [size] = yield* sql<{ readonly rows: number }>`
        select reltuples::float8 as rows from pg_class where oid = to_regclass(${name})`
      if (!isDry) yield* sql`drop table if exists ${sql(name)}`
      const purged: Purged = { table: name, accountId: null, rows: Math.max(0, size?.rows ?? 0) }
      return purged
    })))
})

/** The condition on old rows, which all statements of a table share. */
const isOld = (sql: SqlClient.SqlClient, { only, table, time }: RetainedTable, cut: Date) =>
  // Rows in partitions go with them.
  sql`${sql(time)} < ${cut} and ${sql.literal(only ?? "true")}${
    table === "decision" ? sql` and tableoid = 'decision_default'::regclass` : sql.literal("")
  }`

/** Accounts with old rows: the one look across accounts, which the policy of migration 13 lets the owner. */
const accountsIn = (each: RetainedTable, cut: Date) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select set_config('app.retention', 'on', true)`.pipe(
      Effect.andThen(sql<{ readonly accountId: string; readonly rows: number }>`
        select account_id as "accountId", count(*)::float8 as rows from ${sql(each.table)}
        where ${isOld(sql, each, cut)} group by account_id order by account_id`),
      inTransaction
    ))

/** An account's old rows of one table, in batches, as the account itself. */
const purgeRows = Effect.fnUntraced(function*(each: RetainedTable, accountId: AccountId, cut: Date) {
  const sql = yield* SqlClient.SqlClient
  const batch = alone(sql<{ readonly rows: number }>`with gone as (
      delete from ${sql(each.table)} where account_id = ${accountId} and ctid = any(array(
        select ctid from ${sql(each.table)}
        where account_id = ${accountId} and ${isOld(sql, each, cut)} limit ${batchRows}))
        and ${isOld(sql, each, cut)}
      returning 1
    ) select count(*)::float8 as rows from gone`).pipe(withAccount(accountId))
  let rows = 0
  for (;;) {
    const [gone] = yield* batch
    rows += gone?.rows ?? 0
    if ((gone?.rows ?? 0) < batchRows) return rows
    yield* Effect.yieldNow
  }
})

/**
 * Drops the ledger's months that ended `days` ago or earlier, and what belongs to their decisions. By whole
 * months: a decision is kept for `days` and at most 31 more, and nothing that belongs to it goes before it.
 * Run it as the owner of the tables. Yields what went, oldest first, and null when another process is at it.
 */
export const purge = Effect.fn("retention.purge")(function*(
  { days, isDry }: RetentionRequest
): Effect.fn.Return<
  ReadonlyArray<Purged> | null,
  SqlError.SqlError | RetentionTooShort,
  SqlClient.SqlClient
> {
  // Refused here too, lest a slip in the environment reaches the ledger.
  if (!(days >= retentionDaysMin)) return yield* new RetentionTooShort({ days })
  const cut = monthStart((yield* Clock.currentTimeMillis) - days * dayMs, 0)
  return yield* Effect.gen(function*() {
    const purged: Array<Purged> = []
    for (const table of partitionedTables) purged.push(...(yield* dropPartitions(table, cut, isDry)))
    for (const each of retainedTables) {
      for (const { accountId, rows } of yield* accountsIn(each, cut)) {
        const gone = isDry ? rows : yield* purgeRows(each, AccountId.make(accountId), cut)
        purged.push({ table: each.table, accountId, rows: gone })
      }
    }
    return purged
  }).pipe(Effect.catchTag("Busy", () => Effect.succeed(null)))
})

/** Makes the ledger's next months; yields false when another process is at it. */
export const prepareMonths = inTransaction(
  Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true })
).pipe(
  Effect.as(true),
  Effect.catchTag("Busy", () => Effect.succeed(false))
)

/** How often a process looks after the ledger's partitions; three months are ready, so none is missed. */
const every = "6 hours"

/**
 * Prepares the coming months and purges what is past its time, now and every few hours, in the scope's
 * background. What fails is said and tried again the next time.
 */
export const keepRetention = (days: number) =>
  Effect.gen(function*() {
    yield* prepareMonths
    const purged = (yield* purge({ days, isDry: false })) ?? []
    if (purged.length > 0) yield* Effect.logInfo("Purged what is past its time", { purged })
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("The ledger's months could not be looked after", cause)),
    Effect.repeat(Schedule.jittered(Schedule.spaced(every))),
    Effect.forkScoped
  )
