/* Migration 35 adds what the ids of an account's models stood for, and when that changed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Beside the document, which says what they stand for now; older copies neither read nor write it. */
export const modelIdentities = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table account_models add column identities jsonb not null default '[]'`
})
