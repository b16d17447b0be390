import { Effect } from "effect"
import { SqlClient } from "effect/sql"
export const ledgerTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select 1`
})
