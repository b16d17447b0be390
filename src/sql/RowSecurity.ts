import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { applicationRole } from "./AccountScope.ts"

/**
 * Puts a table with an `account_id text` column under row-level security, its owner included, and lets the
 * application role use it. Without an account in force no row is visible and none may be written. Run it in
 * the migration that creates the table. Partitions are reached through their parent only, and get no grant.
 */
export const securedTable = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, name: string) {
  const table = sql(name)
  const policy = sql.literal("account_id = nullif(current_setting('app.account', true), '')")
  yield* sql`alter table ${table} enable row level security`
  yield* sql`alter table ${table} force row level security`
  yield* sql`create policy account_only on ${table} using (${policy}) with check (${policy})`
  yield* sql`grant select, insert, update, delete on ${table} to ${sql(applicationRole)}`
})
