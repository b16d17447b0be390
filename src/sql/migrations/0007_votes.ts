/* Migration 7 adds the votes of each actor per day, so that they can be limited. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * How often an actor has voted on an entry in a day, so that one actor cannot move an entry without bound.
 * `actor` is a user's id, and empty without one. `voted_up` of a reinforcement is the answer to a repeat of
 * it.
 */
export const votes = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table vote (
      account_id text not null check (account_id <> ''),
      lane text not null,
      observation_id uuid not null,
      actor text not null,
      day date not null,
      votes int not null check (votes > 0),
      primary key (account_id, lane, observation_id, actor, day)
    )`
  yield* sql`create index vote_day on vote (account_id, lane, day)`
  yield* securedTable(sql, "vote")
  yield* sql`alter table reinforcement add column voted_up uuid[] not null default '{}'`
})
