/* Reads the sums of each model on each kind of task, and its users and tags, for advice. */
import type { SqlClient, Statement } from "effect/sql"
import { variantIdOf } from "../../domain/model/ModelVariant.ts"
import { adviceSettings } from "../advice/AdviceSettings.ts"
import type { ArmSums, UseSums } from "../advice/ArmSums.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import { condition } from "./AggregateStatements.ts"
import { cost, isFar } from "./CostOutliers.ts"

const weights = Object.entries(adviceSettings.verdictWeight)
  .map(([source, value]) => `when '${source}' then ${value}`)

/** The SQL weight of a verdict by the row's source; null for a source without a weight. */
export const weightBySource = `(case provenance ${weights.join(" ")} end)`

/** The SQL weight of a row's verdict; null if the row has no verdict. */
const weight = `(case when teaches then ${weightBySource} end)`

const isCosted = `${cost} is not null and not ${isFar}`

/** The square of a tiny cost is 0, because PostgreSQL would refuse it as too small. */
export const squareOf = (usd: string): string => `(case when ${usd} > 1e-100 then (${usd}) ^ 2 else 0 end)`
const square = squareOf(cost)

/** The SQL id of the model that ran; without a report the recommended model, or in shadow the baseline. */
const ran = "coalesce(chosen_model_id, "
  + "case when is_shadow then baseline_model_id else recommended_model_id end)"

export const readArms = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<ArmSums>`
    select lane, cluster, ${sql.literal(ran)} as "modelId", count(*)::int as "nCalls",
      (extract(epoch from min(created_at)) * 1000)::float8 as "firstMs",
      count(${sql.literal(weight)})::int as "nVerdicts",
      coalesce(sum(${sql.literal(weight)}), 0)::float8 as weight,
      coalesce(sum(${sql.literal(weight)} * success), 0)::float8 as "successWeight",
      coalesce(sum(${sql.literal(weight)}) filter (where taught_prediction is not null), 0)::float8
        as "predictedWeight",
      coalesce(sum(${sql.literal(weight)} * taught_prediction), 0)::float8 as predicted,
      (count(*) filter (where ${sql.literal(isCosted)}))::int as "nCosted",
      coalesce(sum(${sql.literal(cost)}) filter (where ${sql.literal(isCosted)}), 0) as "costUsd",
      coalesce(sum(${sql.literal(square)}) filter (where ${sql.literal(isCosted)}), 0) as "costSquares",
      sum(cost_recommended_usd) as "estimatedUsd",
      max(recommendation_id::text collate "C") filter (where coalesce(attempt_number, 1) = 1) as "newestId"
    from decision_figures where ${condition(sql, window)} and ${sql.literal(ran)} is not null
    group by 1, 2, 3
    order by count(*) desc, lane collate "C", cluster collate "C", min(${sql.literal(ran)} collate "C")
    limit ${adviceSettings.armsMax}`

/** Returns the SQL condition that the model id in a column is `modelId`, at any effort. */
export const isOfModel = (sql: SqlClient.SqlClient, column: string, modelId: string) =>
  sql`(${sql.literal(column)} = ${modelId} or starts_with(${sql.literal(column)}, ${variantIdOf({
    modelId, effort: ""
  })}))`

/** Reads calls and costs in total, by user and by tag, from a relation with `usd`, `user_id` and `tags`. */
export const usesOf = (sql: SqlClient.SqlClient, used: Statement.Fragment) => sql<UseSums>`
  with used as (${used}), named as (
    select 'user' as by, user_id as name, usd from used where user_id is not null
    union all select 'tag', tag, usd from used, unnest(tags) as tag),
  sums as (
    select by, name, count(*) as calls, sum(usd) as usd,
      row_number() over (partition by by order by count(*) desc, name collate "C") as place
    from named group by by, name)
  select 'all' as by, '' as name, count(*)::int as "nCalls", coalesce(sum(usd), 0) as "spentUsd" from used
  union all (
    select by, name, calls::int, coalesce(usd, 0) from sums where place <= ${adviceSettings.usesMax}
    order by by, place)`

export const readUses = (sql: SqlClient.SqlClient, window: LedgerWindow, modelId: string) => usesOf(sql, sql`
  select user_id, tags, usd from (
    select account_id, created_at, recommendation_id,
      case when ${sql.literal(isCosted)} then ${sql.literal(cost)} else cost_recommended_usd end as usd
    from decision_figures where ${condition(sql, window)} and ${isOfModel(sql, ran, modelId)}) as ran
  join decision using (account_id, created_at, recommendation_id)`)
