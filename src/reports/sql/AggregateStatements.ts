/* The SQL statements of the aggregates, over `decision_figures` and `decision`. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { createdAtOf, type RecommendationId } from "../../domain/RecommendationId.ts"
import { decisionColumns, type DecisionRow } from "../../ledger/sql/DecisionColumns.ts"
import type { OutcomesCell } from "../../ledger/sql/StoredOutcomes.ts"
import type { CallFilter } from "../Aggregates.ts"
import type { BilledSums, Keyed } from "../savings/SavingsSums.ts"
import { type LedgerWindow, monthsOf } from "../LedgerWindow.ts"
import { reportSettings } from "../ReportSettings.ts"
import type { SavingsKey } from "../savings/Savings.ts"
import {
  billedColumn, type CellOutlierRow, type CellRow, healthColumn, outcomesColumn, savingsColumns,
  type SavingsRow
} from "./AggregateRows.ts"
import { costedIn, outliersAmong } from "./CostOutliers.ts"
import { type LabelledRow, packedOutcome } from "./LabelledRows.ts"
import type { TrialRow } from "./TrialRows.ts"

/** SQL arrays of the labels that callers give to a decision: its tags, and its user. */
const labelsIn = { tag: "tags", user_id: "array_remove(array[user_id], null)" } as const
type LabelKey = keyof typeof labelsIn

/** The columns by which decisions are grouped and that may have any number of values. */
const columnsIn = { lane: "lane", model: "recommended_model_id" } as const

const keyOf: { readonly [By in Exclude<SavingsKey, LabelKey | keyof typeof columnsIn>]: string } = {
  cluster: "cluster",
  task_type: "split_part(cluster, ':', 1)",
  day: "to_char((created_at at time zone 'UTC')::date, 'YYYY-MM-DD')"
}

/** Returns the SQL that joins the packed values of a group's rows that meet `where` into one value. */
const column = (value: string, as: string, where: string): string =>
  `string_agg(${value}, ''::bytea) filter (where ${where}) as ${as}`

const isTrial = "taught_prediction is not null"
const trialColumns = [
  column("timestamptz_send(feedback_at)", "reported", isTrial),
  column("timestamptz_send(created_at)", "decided", isTrial),
  column("float8send(taught_prediction)", "predicted", isTrial),
  column("float8send(success)", "success", isTrial),
  column("float8send(quality)", "quality", isTrial)
].join(", ")

const trustedColumns = [
  "count(*)::int as n_reconciled",
  "(count(*) filter (where is_trusted and is_first))::int as rows",
  "cluster",
  column(packedOutcome, "packed", "is_trusted and is_first")
].join(", ")

/** The SQL condition of a recommendation that advised no attempt and got no report. */
export const isNoAttempt = "attempt_number is not distinct from 0 and feedback_at is null"

/**
 * Returns the SQL condition of a task's first attempt. Later attempts are left out, because they are made at
 * tasks at which earlier attempts failed.
 */
const isFirst = (sql: SqlClient.SqlClient, rows: ReturnType<typeof condition>) => sql`
  coalesce(attempt_number, 1) = 1 and (task_key is null or recommendation_id not in (
    select recommendation_id from (
      select recommendation_id,
        row_number() over (partition by lane, task_key order by created_at, recommendation_id) as place
      from decision_figures where ${rows} and task_key is not null and not (${sql.literal(isNoAttempt)})
    ) as placed where place > 1))`

/** Returns SQL conditions for a window's lane, model, tag and user, each of which begins with `and`. */
const narrowing = (sql: SqlClient.SqlClient, window: LedgerWindow) => {
  const { accountId, lane, modelId, since, tag, userId } = window
  const all = sql.literal("")
  return sql`${lane === null ? all : sql`and lane = ${lane}`}
    ${modelId === undefined ? all : sql`and recommended_model_id = ${modelId}`}
    ${tag === undefined && userId === undefined ? all : sql`and recommendation_id in (
      select recommendation_id from decision where account_id = ${accountId} and created_at >= ${since}
        ${tag === undefined ? all : sql`and ${tag}::text = any(tags)`}
        ${userId === undefined ? all : sql`and user_id = ${userId}`})`}`
}

export const condition = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql`account_id = ${window.accountId} and created_at >= ${window.since}
      ${window.until === undefined ? sql.literal("") : sql`and created_at < ${window.until}`}
      ${narrowing(sql, window)}`

const isCounted = "not is_shadow"

/** Returns SQL conditions for the filter of a list of decisions, each of which begins with `and`. */
const matching = (sql: SqlClient.SqlClient, { before, outcome }: CallFilter) => {
  const all = sql.literal("")
  return sql`${outcome === undefined
    ? all
    : outcome === "none" ? sql`and feedback_at is null` : sql`and success = success_of(${outcome})`}
    ${before === undefined ? all : sql`and (created_at, recommendation_id)
      < (${createdAtOf(before)}::timestamptz, ${before}::uuid)`}`
}

export const counted = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql`${condition(sql, window)} and ${sql.literal(isCounted)}`

const frequentIn = (sql: SqlClient.SqlClient, window: LedgerWindow, relation: ReturnType<typeof condition>) =>
  Effect.map(
    sql<{ readonly label: string }>`
      select label from ${relation} where ${counted(sql, window)}
      group by label order by count(*) desc, label collate "C" limit ${reportSettings.groupsMax}`,
    (frequent) => frequent.map(({ label }) => label)
  )

/** Returns the SQL key of decisions by labels: a JSON array of the labels that are most frequent. */
const labelKey = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, window: LedgerWindow, by: LabelKey) {
  const labels = sql.literal(labelsIn[by])
  const known = yield* frequentIn(sql, window, sql`decision_figures
    join decision using (account_id, created_at, recommendation_id), unnest(${labels}) as label`)
  return sql`coalesce((
    select jsonb_agg(distinct label)::text from (
      select account_id as account, created_at as at, recommendation_id as id, ${labels} as labels
      from decision) as labelled, unnest(labels) as label
    where account = account_id and at = created_at and id = recommendation_id
      and label = any(${known}::text[])), '[]')`
})

/** Returns the SQL key by a column: its value, or empty if the value is not among the most frequent. */
const columnKey = (sql: SqlClient.SqlClient, window: LedgerWindow, column: string) => {
  const value = sql.literal(column)
  return Effect.map(
    frequentIn(sql, window, sql`decision_figures, lateral (select ${value} as label) as own`),
    (known) => sql`case when ${value} = any(${known}::text[]) then ${value} else '' end`
  )
}

/** Returns the SQL expression of a group's key. If `by` is null, all rows form one group. */
export const keyIn = (sql: SqlClient.SqlClient, window: LedgerWindow, by: SavingsKey | null) =>
  by === "tag" || by === "user_id"
    ? labelKey(sql, window, by)
    : by === "lane" || by === "model"
    ? columnKey(sql, window, columnsIn[by])
    : Effect.succeed(by === null ? sql`''` : sql`${sql.literal(keyOf[by])}`)

export type GroupKey = Effect.Success<ReturnType<typeof keyIn>>

export const makeStatements = (sql: SqlClient.SqlClient) => {
  const within = (window: LedgerWindow) => condition(sql, window)
  return {
    savings: (window: LedgerWindow, key: GroupKey) =>
      sql<SavingsRow>`
        select ${key} as key, ${sql.literal(savingsColumns)}
        from decision_figures where ${counted(sql, window)} group by 1`,
    trials: (window: LedgerWindow) =>
      sql<TrialRow>`
        select cluster, chosen_model_id as "modelId",
          ${sql.literal(healthColumn)} as health, ${sql.literal(trialColumns)}
        from decision_figures where ${within(window)} group by cluster, chosen_model_id`,
    trusted: (window: LedgerWindow) =>
      sql<LabelledRow>`
        select ${sql.literal(trustedColumns)}
        from (select *, ${isFirst(sql, within(window))} as is_first from decision_figures
          where ${within(window)} and feedback_at is not null) as figures group by cluster`,
    /** Reads sums by day, by recommended model and by model that ran. No day counts shadow decisions. */
    overview: (window: LedgerWindow) =>
      sql<SavingsRow & CellRow>`
        select grouping(recommended_model_id) = 0 as "isRecommended", to_char(day, 'YYYY-MM-DD') as key,
          cluster, coalesce(recommended_model_id, chosen_model_id) as "modelId",
          ${sql.literal(savingsColumns)}, ${sql.literal(outcomesColumn)} as outcomes
        from (select *, case when ${sql.literal(isCounted)} then (created_at at time zone 'UTC')::date end
          as day from decision_figures where ${within(window)}) as figures
        group by grouping sets ((day), (cluster, recommended_model_id), (cluster, chosen_model_id))`,
    /** Reads bills that are unconfirmed outliers; reads nothing if `rows` count no possible outlier. */
    outliers: (window: LedgerWindow, key: GroupKey, rows: ReadonlyArray<SavingsRow>) =>
      !rows.some(({ nFar }) => nFar > 0) ? Effect.succeed([]) : sql<Keyed<BilledSums>>`
        select ${key} as key, ${sql.literal(billedColumn)} as sums
        from (${outliersAmong(sql, costedIn(sql, counted(sql, monthsOf(window))))}) as figures
        where actual_cost_usd is not null and ${within(window)} group by 1`,
    /** Reads unconfirmed outliers among bills, also of shadow decisions, by cluster and model. */
    cellOutliers: (window: LedgerWindow, rows: ReadonlyArray<SavingsRow>) =>
      !rows.some(({ nFar }) => nFar > 0) ? Effect.succeed([]) : sql<CellOutlierRow>`
        select cluster, chosen_model_id as "modelId", count(*)::int as "nOutliers",
          sum(actual_cost_usd) as "outliersUsd"
        from (${outliersAmong(sql, costedIn(sql, within(monthsOf(window))))}) as figures
        where actual_cost_usd is not null and ${within(window)} group by 1, 2`,
    newest: (window: LedgerWindow, count: number, filter: CallFilter) =>
      sql<DecisionRow & OutcomesCell>`
        select ${sql.literal(decisionColumns)}, outcomes from (
          select account_id, created_at, recommendation_id from decision_figures
          where ${within(window)} ${matching(sql, filter)}
          order by created_at desc, recommendation_id desc limit ${count}
        ) as newest join decision using (account_id, created_at, recommendation_id)
          left join outcome using (account_id, created_at, recommendation_id)
        order by created_at desc, recommendation_id desc`,
    namesOf: Effect.fnUntraced(function*(window: LedgerWindow, ids: ReadonlyArray<RecommendationId>) {
      const times = ids.map(createdAtOf)
      if (times.length === 0) return new Map<RecommendationId, string>()
      // A condition `= any(ids)` would search the whole array of ids for each row of the table.
      const rows = yield* sql<{ readonly id: RecommendationId; readonly modelId: string }>`
        select wanted.id::text as id, figures."modelId"
        from unnest(${times}::timestamptz[], ${ids}::uuid[]) as wanted (at, id), lateral (
          select chosen_model_id as "modelId" from decision_figures where account_id = ${window.accountId}
            and created_at = wanted.at and recommendation_id = wanted.id offset 0) as figures`
      return new Map(rows.map(({ id, modelId }) => [id, modelId]))
    })
  }
}
