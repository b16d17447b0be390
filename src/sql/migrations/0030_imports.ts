/* Migration 30 adds imports of other programs' logs, and the mark of the outcomes that came with one. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * A row of `import` is one run of `sextant import` for a lane: how far it read each of its files, what it
 * added, and what it left out by reason. `command` is a SHA-256 of files and options, by which the same
 * command goes on where an earlier one ended. `claim` is the process that writes; a later one takes its
 * place.
 *
 * `observation.import_id` is null for an outcome that was reported here. It has no index: an import's
 * outcomes are found in the order of their ids, which the primary key has, and an index would lock the table
 * for long.
 */
export const imports = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table import (
    account_id text not null check (account_id <> ''),
    import_id uuid not null,
    lane text not null,
    command text not null,
    claim uuid not null,
    state text not null check (state in ('running', 'done', 'undoing')),
    files jsonb not null,
    rows_read bigint not null default 0 check (rows_read >= 0),
    added bigint not null default 0 check (added >= 0),
    left_out jsonb not null default '{}',
    started_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    primary key (account_id, import_id)
  )`
  yield* securedTable(sql, "import")
  yield* sql`alter table observation add column import_id uuid`
})
