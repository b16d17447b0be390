/* Migration 22 adds what a feedback says of the usage of its call. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The parts of a call's tokens, the time to its first token, and its cost by list prices where no bill was
 * reported, in USD. The columns have no checks, since a check would read the whole table under the lock.
 */
export const usage = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision
    add column computed_cost_usd float8,
    add column cached_input_tokens bigint,
    add column reasoning_tokens bigint,
    add column time_to_first_token_ms float8`
})
