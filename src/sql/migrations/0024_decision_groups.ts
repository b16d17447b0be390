/* Migration 24 adds functions that write an account's decisions, and read what recommendations poll. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { appendDecisions } from "../functions/AppendDecisions.ts"
import { keepDecisionFigures } from "./0009_decision_figures.ts"

/**
 * Tables of which recommendations look up one row again and again, with the key's columns beside the account.
 * `<table>_of` yields the row as the table has it, columns that are added later included.
 */
const polled = { lane: ["lane"], lane_numbers: ["lane"], account_setting: [], account_models: [] }

/** Passes over the rows of the function below, which writes their figures itself. */
export const unlessWritten = `
      if current_setting('app.figures', true) = 'written' then return null; end if;`

export const decisionGroups = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`${sql.literal(keepDecisionFigures("create or replace", unlessWritten))}`
  yield* accountFunction(sql, appendDecisions())
  for (const [table, keys] of Object.entries(polled)) {
    yield* accountFunction(sql, {
      name: `${table}_of`,
      parameters: keys.map((key) => `of_${key} text`).join(", "),
      returns: `setof ${table}`,
      body: `return query select * from ${table} as t
        where t.account_id = account${keys.map((key) => ` and t.${key} = of_${key}`).join("")};`
    })
  }
})
