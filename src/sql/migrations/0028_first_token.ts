/* Migration 28 keeps the time to the first token with an outcome, so that recommendations can go by it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { teachOutcomes } from "../functions/TeachOutcomes.ts"

/**
 * The column has no check, since a check would read the whole table under the lock. Earlier outcomes have
 * none, nor have those of copies that do not know it.
 */
export const firstToken = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table observation add column time_to_first_token_ms float8`
  const added = teachOutcomes([{ name: "time_to_first_token_ms", type: "float8" }])
  yield* accountFunction(sql, { ...added, isByKey: true })
})
