/* Migration 11 adds what deleting outcomes needs: votes down, and when a lane was last rewritten. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What deleting outcomes needs: which entries a reinforcement voted down, as it is known which it voted up,
 * and the version at which outcomes were last deleted from a lane, from which an index of it must start
 * again.
 */
export const undo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table reinforcement add column voted_down uuid[] not null default '{}'`
  yield* sql`alter table lane add column rewritten_version bigint not null default 0`
})
