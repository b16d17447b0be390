/* The index by which a memory's texts are found by their age. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * In a migration of its own, since that of the column locks `decision`: while a large table is indexed here,
 * only outcomes wait whose words a memory keeps, and no decision does.
 */
export const textIndex = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index if not exists observation_text_kept on observation_text (account_id, kept_at)`
})
