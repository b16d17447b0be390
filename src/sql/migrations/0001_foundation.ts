/* Migration 1 creates the application role and the table of account keys. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The application role, shared by all databases of a server and so perhaps made already, or being made now,
 * for another one; and the keys. `api_key` is read before an account is known, so only the owner may read it.
 */
export const foundation = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    do $$
    begin
      if not exists (select from pg_roles where rolname = 'sextant_app') then
        begin
          create role sextant_app nologin;
        exception when duplicate_object or unique_violation then null;
        end;
      end if;
      if not (select rolsuper from pg_roles where rolname = current_user) then
        execute format('grant sextant_app to %I', current_user);
      end if;
      execute format('grant usage on schema %I to sextant_app', current_schema());
    end
    $$`
  yield* sql`
    create table api_key (
      account_id text not null check (account_id <> ''),
      key_id text not null,
      salt bytea not null,
      key_hash bytea not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      primary key (account_id, key_id)
    )`
  yield* sql`alter table api_key enable row level security`
})
