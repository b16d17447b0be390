/* Migration 14 creates the table of the prices that copies of the service share. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * Prices that one copy read and all copies use, in the one row of the service's own account, and which copy
 * reads them next. All times are this database's; no copy's clock is used.
 */
export const sharedPrices = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table shared_prices (
    account_id text not null check (account_id <> ''),
    content text,
    revision bigint not null default 0,
    due_at timestamptz not null,
    turn uuid,
    leased_until timestamptz,
    primary key (account_id)
  )`
  yield* securedTable(sql, "shared_prices")
})
