import { Effect, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { foundation } from "./migrations/0001_foundation.ts"
import { ensureMonthlyPartitions } from "./MonthlyPartitions.ts"
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

/** Forward only, in this order; a released migration is never edited. */
const loader = Migrator.fromRecord({
  "0001_foundation": foundation,
  "0002_memory": memoryTables,
  "0003_ledger": ledgerTables,
  "0004_lane_numbers": laneNumbers,
  "0005_lessons": lessons,
  "0006_external_memory": externalMemory,
  "0007_votes": votes,
  "0008_outbox_answers": outboxAnswers,
  "0009_decision_figures": decisionFigures,
  "0010_reasoner": reasonerCost,
  "0011_undo": undo,
  "0012_observation_texts": observationTexts
})

/** An arbitrary constant: two processes that start together take turns on this lock. */
const migrationLock = 5_790_316_251

const run = Migrator.make({})({ loader, table: "sextant_migration" })

/** Brings the schema up to date in one transaction, however long it or another process' turn takes. */
export const migrateOnce = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A service's own connections have short patience, which is for requests.
  yield* sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
    Effect.andThen(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`),
    Effect.andThen(run),
    Effect.andThen(ensureMonthlyPartitions("decision")),
    Effect.andThen(ensureMonthlyPartitions("decision_figures")),
    sql.withTransaction
  )
})

/** {@link migrateOnce}; a lost connection or a collision is tried again, a few times. */
export const migrate = Effect.retry(migrateOnce, {
  schedule: Schedule.jittered(Schedule.exponential("200 millis")),
  times: 4
})
