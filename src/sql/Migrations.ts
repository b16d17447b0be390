/* The list of migrations, and how a process applies those that the database lacks, and then the functions. */
import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { counted } from "../domain/text/Words.ts"
import { startStep } from "../telemetry/StartSteps.ts"
import { applyFunctions, functions, functionsAreOlder } from "./Functions.ts"
import { partitionedTables } from "./LedgerTables.ts"
import { ensureMonthlyPartitions } from "./MonthlyPartitions.ts"
import { inTransaction } from "./Rollback.ts"
import { explainRoles, RolesRefused } from "./ServiceRole.ts"
import { runFile } from "./SqlFile.ts"

/** The files of the baseline, each after those that it refers to. */
const baselineFiles = [
  "schema/roles", "functions/access", "schema/accounts", "schema/memory", "schema/ledger", "schema/reports",
  "schema/budgets", "schema/health"
] as const

/** All tables, with the function that these need. */
const baseline = Effect.forEach(baselineFiles, runFile, { discard: true })

export interface Migration {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, SqlClient.SqlClient>
  /**
   * The tables that it locks exclusively, for `lock table`, in the order in which feedback and then
   * reflection take them: account_log, report, decision, decision_figures, outcome, reflection,
   * observation, step_reward, api_key. While it waits for the first table it holds no other. In
   * another order the migration and a feedback would deadlock, and the migration would seldom get all its
   * locks under load.
   */
  readonly alone?: string
}

/** Every migration, in order, forward only. A released migration is never edited. */
export const migrations: ReadonlyArray<Migration> = [
  { name: "body", run: baseline },
  { name: "observed_calls", run: runFile("migrations/0002_observed_calls") }
]

/**
 * The migrations that the baseline took the place of. A store that they made is refused; an account that was
 * exported from it is imported.
 */
export const beforeBaseline: ReadonlyArray<string> = ["log"]

/** The last commit whose `sextant account export` reads a store with this first migration. */
export const lastReaders: Readonly<Record<string, string>> = {
  schema: "fbfbbae8", tables: "309dc825", facts: "3c4e14b4", log: "558321fd"
}

/** The store was made before the baseline, and this version cannot read it. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {
  /** Its first migration. */
  first: Schema.String
}) {
  override get message() {
    const { log, [this.first]: commit = "that made it" } = lastReaders
    const between = commit === log ? "" : `import and export each with commit ${log}, `
    return "This store was made by an earlier Sextant, whose tables this one does not read. Check out commit "
      + `${commit}, run \`sextant account export\` for each account there, ${between}and `
      + "`sextant account import` here into an empty store"
  }
}

const table = "sextant_migration"

/**
 * Advisory lock of one migration step, an arbitrary constant: processes that start together take turns on it.
 */
const migrationLock = 5_790_316_251

/**
 * How long a migration waits for a lock on tables in use, ms. While it waits, every later statement on these
 * tables waits behind it, so it gives up well before those do (`databaseSettings.lockMs`) and tries again.
 */
const lockTimeoutMs = 1_000

const run = Migrator.make({})

/** Names of those of `all` that the database lacks, in order. */
const missingOf = (all: ReadonlyArray<Migration>): Effect.Effect<
  ReadonlyArray<string>,
  SqlError.SqlError | SchemaTooOld,
  SqlClient.SqlClient
> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const names = all.map(({ name }) => name)
    const [state] = yield* sql<{ readonly exists: boolean }>`
      select to_regclass(${table}) is not null as exists`
    if (state?.exists !== true) return names
    const [newest] = yield* sql<{ readonly id: number; readonly first: string | null }>`
      select coalesce(max(migration_id), 0) as id, min(name) filter (where migration_id = 1) as first
      from ${sql(table)}`
    const first = newest?.first ?? null
    if (first !== null && first !== migrations[0]?.name) return yield* new SchemaTooOld({ first })
    return names.slice(newest?.id ?? 0)
  })

/** Names of the migrations that the database lacks, in order, and `functions` where those are older. */
export const pendingMigrations = Effect.gen(function*() {
  const missing = yield* missingOf(migrations)
  return (yield* functionsAreOlder(functions)) ? [...missing, "functions"] : missing
})

/**
 * Runs a step in a transaction of its own, under the lock of migrations, which ends with the transaction. A
 * process that is killed half-way has committed the earlier steps and holds no lock, and the next process
 * goes on from there.
 */
const inTurn = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    // No statement timeout: waiting for the lock takes as long as another process's migration.
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
      Effect.andThen(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`),
      Effect.andThen(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`),
      Effect.andThen(step),
      inTransaction(sql)
    ))

/** Locks the tables that a migration needs exclusively, all in one statement. */
const takeTables = ({ alone }: Migration) =>
  Effect.gen(function*() {
    if (alone === undefined) return
    const sql = yield* SqlClient.SqlClient
    yield* sql`select set_config('statement_timeout', ${`${lockTimeoutMs}ms`}, true)`
    yield* sql`lock table ${sql.literal(alone)} in access exclusive mode`
    yield* sql`select set_config('statement_timeout', '0', true)`
  })

/** Applies the last of `all`, the next one, unless another process has just applied it. */
const applyLast = (all: ReadonlyArray<Migration>) =>
  Effect.gen(function*() {
    const [last] = all.slice(-1)
    const missing = yield* missingOf(all)
    if (last === undefined || missing.length === 0) return []
    if (missing.length === all.length) {
      const sql = yield* SqlClient.SqlClient
      // The migrator would make it as well, and hide the reason of a refusal behind a second query's.
      yield* sql`create table if not exists ${sql(table)} (migration_id integer primary key,
        created_at timestamptz not null default now(), name text not null)`
    }
    yield* takeTables(last)
    return yield* run({
      table,
      loader: Effect.succeed(all.map(({ name, run }, index) =>
        [index + 1, name, Effect.succeed(run)] as const))
    })
  })

/**
 * Applies the missing ones of `all` one after the other, and then the functions, which may need all of them;
 * yields the names of what this process applied.
 */
const stepwise = (
  all: ReadonlyArray<Migration>,
  attempted: <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const applied: Array<string> = []
    const missing = yield* attempted(missingOf(all))
    const apply = Effect.gen(function*() {
      for (let count = all.length - missing.length + 1; count <= all.length; count++) {
        const done = yield* attempted(explainRoles(inTurn(applyLast(all.slice(0, count)))))
        applied.push(...done.map(([, name]) => name))
      }
    })
    const what = `Migrating the database: ${counted(missing.length, "step")}`
    if (missing.length > 0) yield* startStep(what, apply)
    const isApplied = yield* attempted(inTurn(Effect.tap(applyFunctions(functions), () =>
      Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true }))))
    return isApplied ? [...applied, "functions"] : applied
  })

/** One attempt at {@link migrateTo}; steps that it committed stay applied. */
export const migrateOnce = (all: ReadonlyArray<Migration> = migrations) =>
  Effect.asVoid(stepwise(all, (step) => step))

/**
 * Brings the schema up to `all`; yields the names of those that this process applied. A step is tried again
 * for about half a minute after a lost connection, a lock wait or a collision.
 */
export const migrateTo = (all: ReadonlyArray<Migration>) =>
  stepwise(all, Effect.retry({
    schedule: Schedule.jittered(Schedule.exponential("200 millis", 1.5)),
    times: 10,
    while: (error) => !(error instanceof SchemaTooOld) && !(error instanceof RolesRefused)
  }))

/** {@link migrateTo} this version's schema. */
export const migrate = migrateTo(migrations)

/** The database lacks migrations that this version needs, and this process may not apply them. */
class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    const names = this.missing.join(", ")
    return `The database lacks the migrations ${names}: run \`sextant migrate\` as its owner`
  }
}

/**
 * Fails unless the schema is this version's or newer: a newer schema serves the version before it as well.
 */
export const requireSchema = Effect.flatMap(pendingMigrations, (missing) =>
  missing.length === 0 ? Effect.void : new SchemaOutdated({ missing }))
