/* Row-level security for the tables of accounts. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { applicationRole } from "./AccountScope.ts"

/**
 * Puts a table with a column `account_id text` under row-level security, for its owner too, and grants the
 * application role its use. Without a current account no row is visible and none can be written. Call it in
 * the migration that creates the table. Partitions are reached through their parent and get no grant.
 */
export const securedTable = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, name: string) {
  const table = sql(name)
  const policy = sql.literal("account_id = nullif(current_setting('app.account', true), '')")
  yield* sql`alter table ${table} enable row level security`
  yield* sql`alter table ${table} force row level security`
  yield* sql`create policy account_only on ${table} using (${policy}) with check (${policy})`
  yield* sql`grant select, insert, update, delete on ${table} to ${sql(applicationRole)}`
})
