/* Migration 33 replaces `budget_spend`: a clock that was wrong for a while changes no period's spending. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { budgetSpend } from "../functions/BudgetSpend.ts"

/**
 * It counted hours to come in every period before them, and a clock that was weeks ahead deleted the hours of
 * the running one.
 */
export const budgetHours = Effect.gen(function*() {
  yield* accountFunction(yield* SqlClient.SqlClient, budgetSpend(false))
})
