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

/** Each file comes after the files to which it refers. */
const baselineFiles = [
  "schema/roles", "functions/access", "schema/accounts", "schema/memory", "schema/ledger", "schema/reports",
  "schema/budgets", "schema/health"
] as const

const baseline = Effect.forEach(baselineFiles, runFile, { discard: true })

export interface Migration {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, SqlClient.SqlClient>
  /**
   * The tables to lock exclusively, as `lock table` names them. Tables must be locked in the order that
   * feedback and reflection use, or deadlocks are possible: account_log, report, decision, decision_figures,
   * outcome, reflection, observation, step_reward, api_key.
   */
  readonly alone?: string
}

/** A migration cannot be reversed, and a released migration is never edited. */
export const migrations: ReadonlyArray<Migration> = [
  { name: "body", run: baseline },
  { name: "observed_calls", run: runFile("migrations/0002_observed_calls") }
]

/** Former first migrations; a database that began with one is refused, but its export can be imported. */
export const beforeBaseline: ReadonlyArray<string> = ["log"]

/** Maps a database's first migration to the last commit whose `sextant account export` reads the database. */
export const lastReaders: Readonly<Record<string, string>> = {
  schema: "fbfbbae8", tables: "309dc825", facts: "3c4e14b4", log: "558321fd"
}

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

/** The advisory lock of a step, freely chosen, which lets only one process migrate at a time. */
const migrationLock = 5_790_316_251

/**
 * Maximum time that a migration waits for a lock on tables in use, ms. Statements that queue behind a
 * waiting migration fail after `databaseSettings.lockMs`, so the migration gives up sooner.
 */
const lockTimeoutMs = 1_000

const run = Migrator.make({})

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

/** The missing migrations, in order; lastly `functions` if the database's functions are older. */
export const pendingMigrations = Effect.gen(function*() {
  const missing = yield* missingOf(migrations)
  return (yield* functionsAreOlder(functions)) ? [...missing, "functions"] : missing
})

/** Runs a step in its own transaction under the lock of migrations. */
const inTurn = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    // Timeouts are turned off, because another process may hold the lock for as long as its migration runs.
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
      Effect.andThen(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`),
      Effect.andThen(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`),
      Effect.andThen(step),
      inTransaction(sql)
    ))

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
      // Effect's migrator would hide why PostgreSQL refuses the table of migrations.
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

/** Applies migrations and then functions, which may need all migrations. Yields the applied names. */
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

/** If a step fails, the steps before it stay applied. */
export const migrateOnce = (all: ReadonlyArray<Migration> = migrations) =>
  Effect.asVoid(stepwise(all, (step) => step))

/**
 * Applies the missing migrations and the functions, and yields their names. A failed step is tried up to ten
 * more times, unless the schema is too old to be migrated or the database refuses the roles.
 */
export const migrateTo = (all: ReadonlyArray<Migration>) =>
  stepwise(all, Effect.retry({
    schedule: Schedule.jittered(Schedule.exponential("200 millis", 1.5)),
    times: 10,
    while: (error) => !(error instanceof SchemaTooOld) && !(error instanceof RolesRefused)
  }))

export const migrate = migrateTo(migrations)

class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    const names = this.missing.join(", ")
    return `The database lacks the migrations ${names}: run \`sextant migrate\` as its owner`
  }
}

/** Fails if the schema is older than this version's; a newer schema is accepted. */
export const requireSchema = Effect.flatMap(pendingMigrations, (missing) =>
  missing.length === 0 ? Effect.void : new SchemaOutdated({ missing }))
