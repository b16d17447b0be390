/* The index by which a memory's texts are found by their age. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Apart from the column, whose migration holds `decision`: while a large table is indexed here, only outcomes
 * that a memory keeps the words of wait, and no decision does.
 */
export const textIndex = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index if not exists observation_text_kept on observation_text (account_id, kept_at)`
})
