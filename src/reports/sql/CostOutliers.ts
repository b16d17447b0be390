/* SQL for the costs of decisions, and for the outliers among these costs that no other cost confirms. */
import type { SqlClient, Statement } from "effect/sql"
import { costOutlierAgreement, costOutlierRatio } from "../../domain/CostOutlier.ts"

/** The SQL cost of a row's call, USD: the bill, otherwise the tokens at list prices; null if unknown. */
export const cost = "coalesce(actual_cost_usd, computed_cost_usd)"

/** The SQL condition that a cost is an outlier, as defined in `domain/CostOutlier`. */
export const isFar = `(cost_premium_usd > 0 and ${cost} > ${costOutlierRatio} * cost_premium_usd)`

/** The SQL condition that neither the next lower nor the next higher cost confirms a cost. */
const isAlone = `(coalesce(${cost} > ${costOutlierAgreement}::float8 * below, true)
  and coalesce(above > ${costOutlierAgreement}::float8 * ${cost}, true))`

export const monthOf = "date_trunc('month', created_at, 'UTC')"

/**
 * A cost can be confirmed only by a cost of the same source, model, cluster and month.
 * @param costed a table of rows that all have a cost
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

/** Returns the SQL table of the rows that meet a condition and have a cost. */
export const costedIn = (sql: SqlClient.SqlClient, rows: Statement.Fragment) =>
  sql`(select * from decision_figures where ${rows} and ${sql.literal(cost)} is not null)`
