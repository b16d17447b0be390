/* The list of migrations, and how a process applies those that the database lacks. */
import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { counted } from "../domain/text/Words.ts"
import { startStep } from "../telemetry/StartSteps.ts"
import { partitionedTables } from "./LedgerTables.ts"
import { foundation } from "./migrations/0001_foundation.ts"
import { memoryTables } from "./migrations/0002_memory.ts"
import { ledgerTables } from "./migrations/0003_ledger.ts"
import { laneNumbers } from "./migrations/0004_lane_numbers.ts"
import { lessons } from "./migrations/0005_lessons.ts"
import { externalMemory } from "./migrations/0006_external_memory.ts"
import { votes } from "./migrations/0007_votes.ts"
import { outboxAnswers } from "./migrations/0008_outbox_answers.ts"
import { decisionFigures } from "./migrations/0009_decision_figures.ts"
import { reasonerCost } from "./migrations/0010_reasoner.ts"
import { undo } from "./migrations/0011_undo.ts"
import { observationTexts } from "./migrations/0012_observation_texts.ts"
import { operations } from "./migrations/0013_operations.ts"
import { sharedPrices } from "./migrations/0014_shared_prices.ts"
import { reports } from "./migrations/0015_reports.ts"
import { replacedOutcomes } from "./migrations/0016_replaced_outcomes.ts"
import { taskTexts } from "./migrations/0017_task_texts.ts"
import { keyRoles } from "./migrations/0018_key_roles.ts"
import { retentionClock } from "./migrations/0019_retention_clock.ts"
import { textIndex } from "./migrations/0020_text_index.ts"
import { accountModels } from "./migrations/0021_account_models.ts"
import { usage } from "./migrations/0022_usage.ts"
import { declaredBaseline } from "./migrations/0023_declared_baseline.ts"
import { decisionGroups } from "./migrations/0024_decision_groups.ts"
import { settlements } from "./migrations/0025_settlements.ts"
import { keyedSettlements } from "./migrations/0026_keyed_settlements.ts"
import { shadow } from "./migrations/0027_shadow.ts"
import { firstToken } from "./migrations/0028_first_token.ts"
import { budgets } from "./migrations/0029_budgets.ts"
import { imports } from "./migrations/0030_imports.ts"
import { guarantee } from "./migrations/0031_guarantee.ts"
import { keyEnds } from "./migrations/0032_key_ends.ts"
import { budgetHours } from "./migrations/0033_budget_hours.ts"
import { computedCost } from "./migrations/0034_computed_cost.ts"
import { modelIdentities } from "./migrations/0035_model_identities.ts"
import { budgetReserves } from "./migrations/0036_budget_reserves.ts"
import { ensureMonthlyPartitions } from "./retention/MonthlyPartitions.ts"
import { rollbacksFail } from "./Rollback.ts"

/** Every migration, in order, forward only. A released migration is never edited. */
const all: ReadonlyArray<readonly [name: string, run: Effect.Effect<void, unknown, SqlClient.SqlClient>]> = [
  ["foundation", foundation],
  ["memory", memoryTables],
  ["ledger", ledgerTables],
  ["lane_numbers", laneNumbers],
  ["lessons", lessons],
  ["external_memory", externalMemory],
  ["votes", votes],
  ["outbox_answers", outboxAnswers],
  ["decision_figures", decisionFigures],
  ["reasoner", reasonerCost],
  ["undo", undo],
  ["observation_texts", observationTexts],
  ["operations", operations],
  ["shared_prices", sharedPrices],
  ["reports", reports],
  ["replaced_outcomes", replacedOutcomes],
  ["task_texts", taskTexts],
  ["key_roles", keyRoles],
  ["retention_clock", retentionClock],
  ["text_index", textIndex],
  ["account_models", accountModels],
  ["usage", usage],
  ["declared_baseline", declaredBaseline],
  ["decision_groups", decisionGroups],
  ["settlements", settlements],
  ["keyed_settlements", keyedSettlements],
  ["shadow", shadow],
  ["first_token", firstToken],
  ["budgets", budgets],
  ["imports", imports],
  ["guarantee", guarantee],
  ["key_ends", keyEnds],
  ["budget_hours", budgetHours],
  ["computed_cost", computedCost],
  ["model_identities", modelIdentities],
  ["budget_reserves", budgetReserves]
]

/** How many migrations there are, which is the number of the newest. */
export const newestMigration = all.length

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

/**
 * Tables that a migration locks exclusively, by its name, in the order in which feedback and then reflection
 * take them: while it waits for the first table it holds no other. In another order the migration and a
 * feedback would deadlock, and the migration would seldom get all its locks under load.
 */
const alone: Readonly<Record<string, string>> = {
  operations: [
    "feedback_key", "decision", "reflection", "observation", "step_reward", "reinforcement", "outbox",
    "api_key"
  ].map((name) => `only ${name}`).join(", "),
  // With their partitions, which get the new columns as well.
  reports: "feedback_key, decision",
  retention_clock: "decision",
  usage: "decision",
  declared_baseline: "decision_figures",
  shadow: "decision, decision_figures",
  first_token: "observation",
  budgets: "decision",
  imports: "observation",
  guarantee: "decision, decision_figures, account_setting",
  computed_cost: "decision_figures"
}

const run = Migrator.make({})

/** Names of the migrations that the database lacks, in order. */
export const pendingMigrations: Effect.Effect<
  ReadonlyArray<string>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* sql<{ readonly exists: boolean }>`
    select to_regclass(${table}) is not null as exists`
  if (state?.exists !== true) return all.map(([name]) => name)
  const [newest] = yield* sql<{ readonly id: number }>`
    select coalesce(max(migration_id), 0) as id from ${sql(table)}`
  return all.slice(newest?.id ?? 0).map(([name]) => name)
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
      sql.withTransaction,
      rollbacksFail
    ))

/** Locks the tables that a migration needs exclusively, all in one statement. */
const takeTables = (name: string) =>
  Effect.gen(function*() {
    const tables = alone[name]
    if (tables === undefined) return
    const sql = yield* SqlClient.SqlClient
    yield* sql`select set_config('statement_timeout', ${`${lockTimeoutMs}ms`}, true)`
    yield* sql`lock table ${sql.literal(tables)} in access exclusive mode`
    yield* sql`select set_config('statement_timeout', '0', true)`
  })

/** Applies the migration number `count`, the next one, unless another process has just applied it. */
const upTo = (count: number) =>
  Effect.gen(function*() {
    const missing = yield* pendingMigrations
    if (missing.length <= all.length - count) return []
    const sql = yield* SqlClient.SqlClient
    if (missing.length === all.length) {
      // The migrator would make it as well, and hide the reason of a refusal behind a second query's.
      yield* sql`create table if not exists ${sql(table)} (migration_id integer primary key,
        created_at timestamptz not null default now(), name text not null)`
    }
    yield* takeTables(missing[0] ?? "")
    return yield* run({
      table,
      loader: Effect.succeed(all.slice(0, count).map(([name, effect], index) =>
        [index + 1, name, Effect.succeed(effect)] as const))
    })
  })

/**
 * Applies the missing migrations one after the other; yields the names of those that this process applied.
 */
const stepwise = (
  attempted: <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  last = all.length
) =>
  Effect.gen(function*() {
    const applied: Array<string> = []
    const missing = yield* attempted(pendingMigrations)
    const apply = Effect.gen(function*() {
      for (let count = all.length - missing.length + 1; count <= last; count++) {
        const done = yield* attempted(inTurn(upTo(count)))
        applied.push(...done.map(([, name]) => name))
      }
    })
    const what = `Migrating the database: ${counted(missing.length, "step")}`
    if (missing.length > 0) yield* startStep(what, apply)
    yield* attempted(inTurn(Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true })))
    return applied
  })

/** One attempt at {@link migrate}; steps that it committed stay applied. */
export const migrateOnce = Effect.asVoid(stepwise((step) => step))

/** The schema as it was when that migration was the newest, for tests of later migrations. */
export const migrateUpTo = (name: string) =>
  Effect.asVoid(stepwise((step) => step, all.findIndex(([each]) => each === name) + 1))

/**
 * {@link migrateOnce}, tried again for about half a minute after a lost connection, a lock wait or a
 * collision.
 */
export const migrate = stepwise(Effect.retry({
  schedule: Schedule.jittered(Schedule.exponential("200 millis", 1.5)),
  times: 10
}))

/** The database lacks migrations that this version needs, and this process may not apply them. */
export class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
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
