/* Migration 13 adds settings of accounts, the service's own role, and the rights of a purge. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applicationRole } from "../AccountScope.ts"
import { retentionDaysMin, retainedTables } from "../retention/RetainedTables.ts"
import { securedTable } from "../RowSecurity.ts"
import { serviceRole } from "../ServiceRole.ts"

/**
 * What operators need. `account_setting`: what an account has of its own, null where it follows the service.
 * The service's role: all that a running service does and a migration is not, so that the service can run as
 * a member of it. And what the owner may see of all accounts while it purges: only what is old, and only in a
 * transaction that says so.
 */
export const operations = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table account_setting (
      account_id text not null check (account_id <> ''),
      selection_policy text check (selection_policy in ('argmin', 'epsilon_softmax')),
      updated_at timestamptz not null default now(),
      primary key (account_id)
    )`
  yield* securedTable(sql, "account_setting")

  const service = sql(serviceRole)
  // Like the application role: shared by a server's databases, and perhaps being made for another one now.
  yield* sql`
    do $$
    begin
      if not exists (select from pg_roles where rolname = 'sextant_service') then
        begin
          create role sextant_service nologin;
        exception when duplicate_object or unique_violation then null;
        end;
      end if;
      begin
        if not pg_has_role('sextant_service', 'sextant_app', 'member') then
          grant sextant_app to sextant_service;
        end if;
      -- Another database's migration grants it at this moment.
      exception when unique_violation or internal_error then null;
      end;
      execute format('grant usage on schema %I to sextant_service', current_schema());
    end
    $$`
  yield* sql`grant select on sextant_migration to ${service}`
  yield* sql`grant select, insert, update on api_key to ${service}`
  yield* sql`create policy keys_to_service on api_key to ${service} using (true) with check (true)`
  yield* sql`grant select on reflection to ${service}`
  yield* sql`create policy due_to_service_role on reflection for select to ${service}
    using (reflected_at is null)`

  for (const { table, time } of retainedTables) {
    yield* sql`create policy old_to_owner on ${sql(table)} for select to current_user using (
      current_setting('app.retention', true) = 'on'
      and ${sql(time)} < now() - ${sql.literal(`interval '${retentionDaysMin} days'`)})`
  }
  yield* sql`grant select on sextant_migration to ${sql(applicationRole)}`
})
