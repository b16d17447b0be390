/* Budgets of accounts, and what they have spent, by hours. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { applicationRole } from "../AccountScope.ts"
import { budgetSpend, decisionSpend, keepSpend, spendColumns } from "../functions/BudgetSpend.ts"
import { securedTable } from "../RowSecurity.ts"
import { serviceRole } from "../ServiceRole.ts"

const columns = Object.entries(spendColumns).map(([name, type]) => `${name} ${type} not null`).join(", ")

/**
 * `account_setting` gets a budget. Accounts that have one get a row of `spend_change` for each decision and
 * each report, written by a trigger and thus by every version: rows without locks, so that settlements wait
 * for none. `budget_spend` folds them into `spend_hour`, so that reading a month's spending adds up hours.
 * Neither table refers to decisions: a month that retention drops was spent all the same.
 */
export const budgets = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table account_setting
    add column budget_usd float8 check (budget_usd >= 0 and budget_usd < 'Infinity'),
    add column budget_period text check (budget_period in ('day', 'month'))`
  yield* sql`create table spend_change (
    account_id text not null check (account_id <> ''),
    change_id bigint generated always as identity,
    hour timestamptz not null,
    ${sql.literal(columns)},
    primary key (account_id, change_id)
  )`
  yield* securedTable(sql, "spend_change")
  yield* sql`create table spend_hour (
    account_id text not null check (account_id <> ''),
    hour timestamptz not null,
    ${sql.literal(columns)},
    shift float8,
    primary key (account_id, hour)
  )`
  yield* securedTable(sql, "spend_hour")
  for (const text of [decisionSpend, keepSpend("create", false)]) yield* sql`${sql.literal(text)}`
  yield* sql`grant execute on function decision_spend to ${sql(applicationRole)}, ${sql(serviceRole)}`
  yield* accountFunction(sql, budgetSpend(false))
  yield* sql`create trigger keep_spend after insert on decision for each row execute function keep_spend()`
  yield* sql`create trigger keep_spend_reported
    after update of outcomes, feedback_at, actual_cost_usd, computed_cost_usd on decision for each row
    when (new.outcomes is distinct from old.outcomes or new.feedback_at is distinct from old.feedback_at)
    execute function keep_spend()`
})
