import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What asking the reasoner cost, in USD: null where it was not asked, as in all earlier decisions. */
export const reasonerCost = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision add column reasoner_cost_usd float8 check (reasoner_cost_usd >= 0)`
})
