/* Migration 32 adds an index of the ends of keys. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Every process reads each few seconds which keys have ended lately; the table has a row per key alone. */
export const keyEnds = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index api_key_end on api_key (least(revoked_at, expires_at)) -- contract: small, so briefly locked`
})
