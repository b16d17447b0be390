/* The list of migrations. A process applies the missing migrations in order, and then the functions. */
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

/** The files of the baseline. Each file comes after the files to which it refers. */
const baselineFiles = [
  "schema/roles", "functions/access", "schema/accounts", "schema/memory", "schema/ledger", "schema/reports",
  "schema/budgets", "schema/health"
] as const

/** Makes all tables, and the functions that the definitions of the tables call. */
const baseline = Effect.forEach(baselineFiles, runFile, { discard: true })

export interface Migration {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, SqlClient.SqlClient>
  /**
   * The tables that the migration locks exclusively, as the statement `lock table` names them. Feedback and
   * reflection lock in the following order, so a migration with another order would deadlock with them:
   * account_log, report, decision, decision_figures, outcome, reflection, observation, step_reward, api_key.
   */
  readonly alone?: string
}

/** All migrations, in order. A migration cannot be reversed, and a released migration is never edited. */
export const migrations: ReadonlyArray<Migration> = [
  { name: "body", run: baseline },
  { name: "observed_calls", run: runFile("migrations/0002_observed_calls") }
]

/**
 * The first migrations of older databases, which the baseline replaced. This version refuses a database older
 * than the baseline, and imports accounts that were exported from it.
 */
export const beforeBaseline: ReadonlyArray<string> = ["log"]

/**
 * For the first migration of a database: the last commit whose `sextant account export` reads that database.
 */
export const lastReaders: Readonly<Record<string, string>> = {
  schema: "fbfbbae8", tables: "309dc825", facts: "3c4e14b4", log: "558321fd"
}

/** The error if the database was made before this baseline, so that this version cannot read it. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {
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
 * Number of the advisory lock of a migration step, which was chosen freely. The lock lets only one process
 * migrate at a time.
 */
const migrationLock = 5_790_316_251

/**
 * Maximum time that a migration waits for a lock on tables in use, ms. Every later statement on these tables
 * waits behind the migration. So this time is shorter than `databaseSettings.lockMs`, and the migration tries
 * again.
 */
const lockTimeoutMs = 1_000

const run = Migrator.make({})

/** Returns the names of the migrations in `all` that the database does not have, in order. */
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

/**
 * Returns the names of the missing migrations, in order. The last name is `functions` if the functions of the
 * database are older.
 */
export const pendingMigrations = Effect.gen(function*() {
  const missing = yield* missingOf(migrations)
  return (yield* functionsAreOlder(functions)) ? [...missing, "functions"] : missing
})

/**
 * Runs a step in a separate transaction, which holds the lock of migrations. If the process is killed, its
 * earlier steps are committed and the lock is free. Another process then continues with the next step.
 */
const inTurn = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    // There are no timeouts, because another process may hold the lock for as long as its migration runs.
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
      Effect.andThen(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`),
      Effect.andThen(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`),
      Effect.andThen(step),
      inTransaction(sql)
    ))

/** Locks all tables of `alone` exclusively, with one statement. */
const takeTables = ({ alone }: Migration) =>
  Effect.gen(function*() {
    if (alone === undefined) return
    const sql = yield* SqlClient.SqlClient
    yield* sql`select set_config('statement_timeout', ${`${lockTimeoutMs}ms`}, true)`
    yield* sql`lock table ${sql.literal(alone)} in access exclusive mode`
    yield* sql`select set_config('statement_timeout', '0', true)`
  })

/** Applies the last migration of `all`, unless another process has just applied it. */
const applyLast = (all: ReadonlyArray<Migration>) =>
  Effect.gen(function*() {
    const [last] = all.slice(-1)
    const missing = yield* missingOf(all)
    if (last === undefined || missing.length === 0) return []
    if (missing.length === all.length) {
      const sql = yield* SqlClient.SqlClient
      // If the database refused this table to Effect's migrator, the migrator would hide PostgreSQL's reason.
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
 * Applies the missing migrations of `all` in order, and then the functions, which may need all migrations.
 * Yields the names of everything that this process applied.
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

/** Like {@link migrateTo}, but fails at the first error. Steps that were committed stay applied. */
export const migrateOnce = (all: ReadonlyArray<Migration> = migrations) =>
  Effect.asVoid(stepwise(all, (step) => step))

/**
 * Applies the missing migrations of `all` and the functions. Yields the names of everything that this process
 * applied. After a lost connection, a lock wait or a collision, a step is tried again for about half a
 * minute.
 */
export const migrateTo = (all: ReadonlyArray<Migration>) =>
  stepwise(all, Effect.retry({
    schedule: Schedule.jittered(Schedule.exponential("200 millis", 1.5)),
    times: 10,
    while: (error) => !(error instanceof SchemaTooOld) && !(error instanceof RolesRefused)
  }))

/** Brings the database to the schema of this version, as {@link migrateTo} does. */
export const migrate = migrateTo(migrations)

/** The error if migrations that this version needs are missing, and this process may not apply them. */
class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    const names = this.missing.join(", ")
    return `The database lacks the migrations ${names}: run \`sextant migrate\` as its owner`
  }
}

/** The error if the role of this connection does not have the rights of the service yet. */
class RightsMissing extends Schema.TaggedError<RightsMissing>()("RightsMissing", { role: Schema.String }) {
  override get message() {
    return `The role ${this.role} may not run the service: run \`sextant migrate --service-role `
      + `${this.role}\` as the owner of the tables`
  }
}

/**
 * Fails if the schema is older than the schema of this version, or if the role may not write to it yet. A
 * newer schema also works with this version.
 */
export const requireSchema = Effect.gen(function*() {
  const missing = yield* pendingMigrations
  if (missing.length > 0) return yield* new SchemaOutdated({ missing })
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly role: string; readonly may: boolean }>`
    select current_user::text as role, has_table_privilege('api_key', 'insert') as may`
  if (row?.may === false) return yield* new RightsMissing({ role: row.role })
})
