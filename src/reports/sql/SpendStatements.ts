/* Reads spending by day and model, latencies and failures by model, and the declared baselines. */
import type { SqlClient } from "effect/sql"
import type { BaselineSums, CallSums, SpendSums } from "../Aggregates.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import { reportSettings } from "../ReportSettings.ts"
import { condition, counted } from "./AggregateStatements.ts"

export const readSpend = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<SpendSums>`
    select to_char((created_at at time zone 'UTC')::date, 'YYYY-MM-DD') as day, chosen_model_id as "modelId",
      count(*)::int as n, coalesce(sum(actual_cost_usd), 0) as "billedUsd",
      coalesce(sum(computed_cost_usd) filter (where actual_cost_usd is null), 0) as "listedUsd"
    from decision_figures where ${counted(sql, window)}
      and (actual_cost_usd is not null or computed_cost_usd is not null)
    group by 1, 2 order by 1, chosen_model_id collate "C"`

export const readBaselines = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<BaselineSums>`
    select baseline_model_id as "modelId", count(*)::int as n
    from decision_figures where ${counted(sql, window)} and baseline_model_id is not null
    group by 1 order by n desc, baseline_model_id collate "C" limit ${reportSettings.baselinesMax}`

/** Reads failures and latencies by model, over the newest reported calls. */
export const readCalls = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<CallSums>`
    select "modelId", count(*)::int as n, (count(*) filter (where is_broken))::int as "nBroken",
      percentile_cont(0.5) within group (order by latency) as "latencyMsP50",
      percentile_cont(0.95) within group (order by latency) as "latencyMsP95"
    from (
      select chosen_model_id as "modelId", is_broken, (
        select (each -> 'billed' ->> 'latencyMs')::float8 from jsonb_array_elements(outcomes) as each
        where each ->> 'modelId' = chosen_model_id
      ) as latency
      from (
        select account_id, created_at, recommendation_id, chosen_model_id, is_broken from decision_figures
        where ${condition(sql, window)} and feedback_at is not null
        order by created_at desc, recommendation_id desc limit ${reportSettings.timedCallsMax}
      ) as newest join outcome using (account_id, created_at, recommendation_id)
    ) as timed group by 1 order by n desc, "modelId" collate "C" limit ${reportSettings.timedModelsMax}`
