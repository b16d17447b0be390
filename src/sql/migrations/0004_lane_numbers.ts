/* Migration 4 adds what a lane learns about its own predictions. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * What a lane learns about its own predictions, and what a decision must keep so that it can: what was said
 * of every candidate, and how near its task was to the lane. Cosines may pass 1 by a rounding.
 */
export const laneNumbers = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cosine = sql.literal("between -1.01 and 1.01")
  const amount = (column: string) => sql.literal(`${column} >= 0 and ${column} < 'Infinity'`)
  yield* sql`
    alter table decision
      add column forecasts jsonb not null default '[]',
      add column mean_similarity float8 check (mean_similarity ${cosine}),
      add column high_similarity float8 check (high_similarity ${cosine})`
  yield* sql`
    create table lane_numbers (
      account_id text not null check (account_id <> ''),
      lane text not null,
      outcomes bigint not null check (outcomes >= 0),
      similarity_low float8 not null check (similarity_low ${cosine}),
      similarity_high float8 not null check (similarity_high ${cosine}),
      local_share float8 not null check (local_share between 0 and 1),
      cells_error float8 not null check (${amount("cells_error")}),
      mixed_error float8 not null check (${amount("mixed_error")}),
      primary key (account_id, lane)
    )`
  yield* securedTable(sql, "lane_numbers")
})
