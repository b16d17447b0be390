/* The models, prices and default candidates that an account has of its own. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * One document for an account that has models of its own, in the spelling of the wire. `version` is another
 * one after every write, so that a copy that holds a document can ask whether it is still the account's.
 */
export const accountModels = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table account_models (
    account_id text not null check (account_id <> ''),
    version uuid not null default gen_random_uuid(),
    document jsonb not null,
    updated_at timestamptz not null default now(),
    primary key (account_id)
  )`
  yield* securedTable(sql, "account_models")
})
