/* Migration 12 creates the table of outcomes' texts, for a memory without a ledger beside it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * What outcomes were about, kept by a memory that has no ledger beside it: an embeddings endpoint that is
 * switched on later, or changed, asks for the words.
 */
export const observationTexts = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table observation_text (
    account_id text not null check (account_id <> ''),
    lane text not null,
    observation_id uuid not null,
    task text not null,
    primary key (account_id, lane, observation_id)
  )`
  yield* securedTable(sql, "observation_text")
})
