/* Migration 34 adds the cost of reported tokens at list prices to a decision's figures. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { keepDecisionFigures } from "./0009_decision_figures.ts"
import { unlessWritten } from "./0024_decision_groups.ts"

/**
 * The cost that the service computed where tokens and no bill were reported, in USD, as the decision has it.
 * The trigger that keeps the figures writes it, whichever version reports. The figures of feedback that came
 * earlier stay null: filling them would hold locks that feedback waits for.
 */
export const computedCost = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision_figures add column computed_cost_usd float8`
  const text = keepDecisionFigures("create or replace", unlessWritten, ["computed_cost_usd"])
  yield* sql`${sql.literal(text)}`
})
