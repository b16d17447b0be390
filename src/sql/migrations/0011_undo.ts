import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What it takes to undo outcomes: which entries a reinforcement voted down, as it is known which it voted up,
 * and the version at which outcomes were last taken out of a lane, from which an index of it must begin anew.
 */
export const undo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table reinforcement add column voted_down uuid[] not null default '{}'`
  yield* sql`alter table lane add column rewritten_version bigint not null default 0`
})
