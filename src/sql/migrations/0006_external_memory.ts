import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * What a redelivery needs: reinforcements told once, and an outbox in order of arrival. `position` is taken
 * when a row is written, so that of two that were not at once the later has the higher. A `refused_at` row is
 * one that the backend will never take; it is kept, and no longer in anyone's way.
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
