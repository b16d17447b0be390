import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { partitionedTables } from "./LedgerTables.ts"
import { foundation } from "./migrations/0001_foundation.ts"
import { ensureMonthlyPartitions } from "./retention/MonthlyPartitions.ts"
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

/** Forward only, in this order; a released migration is never edited. */
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
  ["text_index", textIndex]
]

/** How many there are: the number of the newest. */
export const newestMigration = all.length

const table = "sextant_migration"

/** An arbitrary constant: processes that start together take turns on this lock, one migration at a time. */
const migrationLock = 5_790_316_251

/**
 * How long a migration waits for tables that are in use, ms. While it waits, all who come after it wait
 * behind it: it gives up, and tries again, well before they do (`databaseSettings.lockMs`).
 */
const lockTimeoutMs = 1_000

/**
 * Tables in use that a migration needs for itself, by its name, in the order in which a feedback and then a
 * reflection take them: who waits for the first of them holds none of the others. Locked in another order the
 * two would wait for each other, and the migration would seldom get them all under load.
 */
const alone: Readonly<Record<string, string>> = {
  operations: [
    "feedback_key", "decision", "reflection", "observation", "step_reward", "reinforcement", "outbox",
    "api_key"
  ].map((name) => `only ${name}`).join(", "),
  // With their partitions, which get the new columns too.
  reports: "feedback_key, decision",
  retention_clock: "decision"
}

const run = Migrator.make({})

/** Migrations that this version has and the database has not, by name, in their order. */
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
 * A step in a transaction of its own, so that a process which is killed half-way has done the earlier ones,
 * holds nothing, and the next one goes on from there. The lock is the transaction's too.
 */
const inTurn = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    // Waiting for one's turn takes as long as the other's migration, and a migration as long as its table is.
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
      Effect.andThen(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`),
      Effect.andThen(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`),
      Effect.andThen(step),
      sql.withTransaction
    ))

/** Takes the tables that the migration needs for itself, all within one wait. */
const takeTables = (name: string) =>
  Effect.gen(function*() {
    const tables = alone[name]
    if (tables === undefined) return
    const sql = yield* SqlClient.SqlClient
    yield* sql`select set_config('statement_timeout', ${`${lockTimeoutMs}ms`}, true)`
    yield* sql`lock table ${sql.literal(tables)} in access exclusive mode`
    yield* sql`select set_config('statement_timeout', '0', true)`
  })

/** Up to the given migration, which is the next one unless another process has just done it. */
const upTo = (count: number) =>
  Effect.gen(function*() {
    const missing = yield* pendingMigrations
    if (missing.length <= all.length - count) return []
    yield* takeTables(missing[0] ?? "")
    return yield* run({
      table,
      loader: Effect.succeed(all.slice(0, count).map(([name, effect], index) =>
        [index + 1, name, Effect.succeed(effect)] as const))
    })
  })

/** Brings the schema up to date, one migration after the other, and yields the names of those it applied. */
const stepwise = (
  attempted: <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  last = all.length
) =>
  Effect.gen(function*() {
    const applied: Array<string> = []
    const missing = yield* attempted(pendingMigrations)
    for (let count = all.length - missing.length + 1; count <= last; count++) {
      const done = yield* attempted(inTurn(upTo(count)))
      applied.push(...done.map(([, name]) => name))
    }
    yield* attempted(inTurn(Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true })))
    return applied
  })

/** One attempt at {@link migrate}; what it has done of it stays done. */
export const migrateOnce = Effect.asVoid(stepwise((step) => step))

/** The schema as it was when that migration was the newest; for tests of those after it. */
export const migrateUpTo = (name: string) =>
  Effect.asVoid(stepwise((step) => step, all.findIndex(([each]) => each === name) + 1))

/** A lost connection, a table in use or a collision is tried again, for about half a minute. */
export const migrate = stepwise(Effect.retry({
  schedule: Schedule.jittered(Schedule.exponential("200 millis", 1.5)),
  times: 10
}))

/** The database has not the schema that this version needs, and this process is not to make it. */
export class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    const names = this.missing.join(", ")
    return `The database lacks the migrations ${names}: run \`sextant migrate\` as its owner`
  }
}

/** Fails unless the schema is this version's or newer: newer ones serve the version before them too. */
export const requireSchema = Effect.flatMap(pendingMigrations, (missing) =>
  missing.length === 0 ? Effect.void : new SchemaOutdated({ missing }))
