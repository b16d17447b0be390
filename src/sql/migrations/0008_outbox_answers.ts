/* Migration 8 adds how often a backend that worked could not take a waiting write. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How often a working backend could do nothing with a write: unlike `attempts`, which an outage raises too,
 * this says something of the write.
 */
export const outboxAnswers = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outbox add column bad_answers int not null default 0 check (bad_answers >= 0)`
})
