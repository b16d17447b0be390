/* The costs of decisions, and those among them that no other cost confirms, as SQL. */
import type { SqlClient, Statement } from "effect/sql"
import { costOutlierAgreement, costOutlierRatio } from "../../domain/CostOutlier.ts"

/** What the call of a row cost, USD: its bill, or without one its tokens at list prices; else null. */
export const cost = "coalesce(actual_cost_usd, computed_cost_usd)"

/** The condition of `domain/CostOutlier` on a cost. */
export const isFar = `(cost_premium_usd > 0 and ${cost} > ${costOutlierRatio} * cost_premium_usd)`

/** The condition that neither of the costs beside it, in their order, confirms it. */
const isAlone = `(coalesce(${cost} > ${costOutlierAgreement}::float8 * below, true)
  and coalesce(above > ${costOutlierAgreement}::float8 * ${cost}, true))`

/** The start of the month of a decision, UTC. */
export const monthOf = "date_trunc('month', created_at, 'UTC')"

/**
 * The outliers among rows that no other cost of the same source, model, cluster and month confirms.
 *
 * @param costed the table of the rows, each of which has a cost
 */
export const outliersAmong = (sql: SqlClient.SqlClient, costed: Statement.Fragment) => sql`
  select * from (
    select *, lag(${sql.literal(cost)}) over costs as below, lead(${sql.literal(cost)}) over costs as above
    from ${costed} as every where (cluster, chosen_model_id) in (
      select cluster, chosen_model_id from ${costed} as every where ${sql.literal(isFar)})
    window costs as (
      partition by ${sql.literal(monthOf)}, actual_cost_usd is null, cluster, chosen_model_id
      order by ${sql.literal(cost)})
  ) as beside where ${sql.literal(isFar)} and ${sql.literal(isAlone)}`

/** The rows of a condition that have a cost, as a table. */
export const costedIn = (sql: SqlClient.SqlClient, rows: Statement.Fragment) =>
  sql`(select * from decision_figures where ${rows} and ${sql.literal(cost)} is not null)`
