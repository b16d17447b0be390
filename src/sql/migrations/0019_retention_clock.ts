/* Migration 19 adds what retention remembers of the database's clock, and when decisions were recorded. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * `retention_state` holds what retention remembers between two sweeps, in the one row of the service's own
 * account: the database's time at the last sweep, when that time last made a step that retention does not
 * trust, and what it last refused to do. `decision.recorded_at` is the database's time when a decision was
 * recorded, since the time in its id is that of the process; it is null for decisions older than the column.
 */
export const retentionClock = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table retention_state (
    account_id text not null check (account_id <> ''),
    seen_at timestamptz not null,
    jumped_at timestamptz,
    refused_at timestamptz,
    refusal text,
    primary key (account_id)
  )`
  yield* securedTable(sql, "retention_state")
  // Two steps: a default given with the column would date every row that is there already as of now.
  yield* sql`alter table decision add column recorded_at timestamptz`
  yield* sql`alter table decision alter column recorded_at set default now()`
})
