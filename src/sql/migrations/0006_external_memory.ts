/* Migration 6 adds what redelivery to an external memory needs: ids of reinforcements, and an order. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * What redelivery needs: the ids of reinforcements, so that a repeat changes nothing, and an outbox in order
 * of arrival. `position` is assigned when a row is written, so of two rows written one after the other the
 * later has the higher. A row with `refused_at` is one that the backend will never take; it is kept, and
 * blocks no other.
 */
export const externalMemory = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table reinforcement (
      account_id text not null check (account_id <> ''),
      lane text not null,
      reinforcement_id uuid not null,
      told_at timestamptz not null default now(),
      primary key (account_id, lane, reinforcement_id)
    )`
  yield* securedTable(sql, "reinforcement")
  yield* sql`
    alter table outbox
      add column position bigint not null generated always as identity,
      add column refused_at timestamptz`
  yield* sql`create index outbox_order on outbox (account_id, lane, position) where refused_at is null`
})
