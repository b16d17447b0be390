/* The ledger's tables, and what their triggers need to be told. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"

/** The tables in monthly partitions by `created_at`. `decision` comes first: its trigger writes the other. */
export const partitionedTables: ReadonlyArray<string> = ["decision", "decision_figures"]

/**
 * Says that the updates of the account's decisions that follow in the open transaction change none of their
 * figures, which a trigger would write again row by row. Inserts and deletes need that trigger.
 */
export const figuresStay = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select ledger_triggers(${accountId}, 'written')`)
