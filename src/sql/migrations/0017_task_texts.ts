/* What it takes to keep no task's words, and to know how many bytes of text an account keeps. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"
import { serviceRole } from "../ServiceRole.ts"

/**
 * `task_vectors` is kept instead of a task's words: `[embedder, scale, base64]` of each embedder. A row of
 * `text_bucket` counts the bytes of text that an account was sent between the row before it and `until`, the
 * words of its tasks in a column of their own; 0 once they are deleted. The service may read it over all
 * accounts, as it holds no text: it shows which accounts there are. `kept_at` says how old a memory's text
 * is.
 */
export const taskTexts = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision add column task_vectors jsonb`
  yield* sql`alter table account_setting add column task_text text check (task_text in ('excerpt', 'none'))`
  yield* sql`alter table observation_text add column kept_at timestamptz not null default now()`
  yield* sql`
    create table text_bucket (
      account_id text not null check (account_id <> ''),
      until timestamptz not null,
      task_bytes bigint not null check (task_bytes >= 0),
      other_bytes bigint not null check (other_bytes >= 0),
      primary key (account_id, until)
    )`
  yield* securedTable(sql, "text_bucket")
  const service = sql(serviceRole)
  yield* sql`grant select on text_bucket to ${service}`
  yield* sql`create policy buckets_to_owner on text_bucket for select to current_user using (true)`
  yield* sql`create policy buckets_to_service on text_bucket for select to ${service} using (true)`
})
