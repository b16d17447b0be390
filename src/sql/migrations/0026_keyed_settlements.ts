/* Migration 26 has the functions that settle feedbacks look up every row by its key. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { settlementFunctions } from "./0025_settlements.ts"

/**
 * The functions of migration 25 again, planned without scans of tables. A plan is made when a connection
 * first calls a function and kept until the table is analysed: with tables that were small by then, each
 * group of feedbacks read all votes, keys and outcomes of every account. Callers see no difference.
 */
export const keyedSettlements = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const each of settlementFunctions) yield* accountFunction(sql, { ...each, isByKey: true })
})
