/* Migration 36 reserves the upper quartile of a decision's cost, and adds hard budgets. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { appendDecisions } from "../functions/AppendDecisions.ts"
import { appendWithinBudget } from "../functions/AppendWithinBudget.ts"
import { budgetSpend, keepSpend, marginColumn } from "../functions/BudgetSpend.ts"

/**
 * `cost_margin_usd` is what a decision reserves above its estimate. Earlier rows have none, nor have those of
 * accounts without a budget and of older copies, which also write past a hard budget. Figures do not need it:
 * they are read for the hours before a budget was set.
 */
export const budgetReserves = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table account_setting add column budget_is_hard boolean not null default false`
  yield* sql`alter table decision add column cost_margin_usd float8`
  for (const table of ["spend_change", "spend_hour"]) {
    yield* sql`alter table ${sql(table)} add column ${sql(marginColumn)} float8 not null default 0`
  }
  yield* sql`${sql.literal(keepSpend("create or replace", true))}`
  yield* accountFunction(sql, budgetSpend(true))
  yield* accountFunction(sql, appendDecisions([
    { name: "is_shadow", type: "boolean", otherwise: "false" },
    { name: "guarantee_baseline_id", type: "text", otherwise: "null" },
    { name: "guarantee_candidate_id", type: "text", otherwise: "null" },
    { name: "cost_margin_usd", type: "float8", otherwise: "null", isFigure: false }
  ]))
  yield* accountFunction(sql, appendWithinBudget)
})
