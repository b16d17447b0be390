/* Aggregates in SQL, from PostgreSQL or the embedded engine. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { costOutlierRule } from "../../domain/CostOutlier.ts"
import type { GroupBy } from "../../domain/Report.ts"
import { runCooperatively } from "../../resilience/CooperativeYield.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import {
  decisionColumns, type DecisionRow, feedbackColumns, type FeedbackRow, toLedgerRow
} from "../../ledger/sql/DecisionRow.ts"
import {
  cellsIn,
  type CellRow,
  healthIn,
  type OutlierRow,
  savingsIn,
  type SavingsRow
} from "./AggregateRows.ts"
import { reportSettings } from "../ReportSettings.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Aggregates, type ReportWindow } from "../Aggregates.ts"
import { readable } from "../../ledger/sql/RowCompatibility.ts"
import { type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import { seriesIn, type TrialRow } from "./TrialRows.ts"
import { decodeTrusted, packedOutcome, type LabelledRow } from "./LabelledRows.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"

/** Columns of health, of `decision_figures`. */
const healthColumns = `count(*)::int as n, count(feedback_at)::int as n_feedback,
  (count(*) filter (where is_late))::int as n_late,
  (count(*) filter (where is_escalated))::int as n_escalated,
  (count(*) filter (where is_exploration))::int as n_explored,
  (count(*) filter (where is_epsilon))::int as n_epsilon`

/** The condition of `domain/CostOutlier` on a bill. */
const isFar =
  `(cost_premium_usd > 0 and actual_cost_usd > ${costOutlierRule.costOutlierRatio} * cost_premium_usd)`
const agreement = costOutlierRule.costOutlierAgreement

/** Columns of the outliers that no other bill confirms. */
const outlierColumns = `count(*)::int as n, sum(actual_cost_usd) as usd,
  sum(cost_recommended_usd) as recommended, sum(cost_premium_usd) as premium,
  count(cost_declared_usd)::int as n_declared, sum(cost_declared_usd) as declared,
  sum(actual_cost_usd) filter (where cost_declared_usd is not null) as usd_of_declared`

/** Columns of savings. A sum without rows is null. */
const savingsColumns = `sum(cost_recommended_usd) as recommended, sum(cost_premium_usd) as premium,
  count(cost_declared_usd)::int as n_declared, sum(cost_declared_usd) as declared,
  sum(cost_recommended_usd) filter (where cost_declared_usd is not null) as recommended_of_declared,
  count(actual_cost_usd)::int as n_billed, sum(actual_cost_usd) as billed,
  sum(cost_recommended_usd) filter (where actual_cost_usd is not null) as recommended_of_billed,
  sum(cost_premium_usd) filter (where actual_cost_usd is not null) as premium_of_billed,
  count(actual_cost_usd + cost_declared_usd)::int as n_billed_declared,
  sum(cost_declared_usd) filter (where actual_cost_usd is not null) as declared_of_billed,
  sum(actual_cost_usd) filter (where cost_declared_usd is not null) as billed_of_declared,
  sum(reasoner_cost_usd) as reasoner, (count(*) filter (where ${isFar}))::int as n_far`

/** Columns of a cell, grouped by the model that ran. */
const cellColumns = `(count(*) filter (where teaches))::int as n_outcomes,
  sum(success) filter (where teaches) as successes,
  count(taught_prediction)::int as n_predicted, sum(taught_prediction) as predicted`

const dayOf = "to_char((created_at at time zone 'UTC')::date, 'YYYY-MM-DD')"

const keyOf: { readonly [By in GroupBy]: string } = {
  cluster: "cluster",
  task_type: "split_part(cluster, ':', 1)",
  lane: "lane"
}

/** The values of a group as one value, in the order of its rows, only of rows that meet `where`. */
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

/** Per cluster and in no order, because sorting takes the server as long as reading. */
const trustedColumns = [
  "count(*)::int as n_reconciled",
  "(count(*) filter (where is_trusted))::int as rows",
  "cluster",
  column(packedOutcome, "packed", "is_trusted")
].join(", ")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const within = ({ accountId, lane, since }: ReportWindow) =>
    sql`account_id = ${accountId} and created_at >= ${since}
      ${lane === null ? sql.literal("") : sql`and lane = ${lane}`}`

  /**
   * Runs statements of a report with a time limit and memory to sort in, without just-in-time compilation,
   * which takes longer than it saves.
   */
  const reading = <A, E>({ accountId }: ReportWindow, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    sql`select set_config('statement_timeout', ${String(reportSettings.statementMs)}, true),
      set_config('work_mem', ${`${reportSettings.workMemoryKb}kB`}, true),
      set_config('jit', 'off', true)`.pipe(
      Effect.andThen(work),
      withAccount(accountId),
      Effect.provideService(SqlClient.SqlClient, sql),
      withStatementDeadline(reportSettings.reportMs),
      Effect.mapError((cause) => new LedgerUnavailable({ reason: reasonOf(cause) }))
    )

  const overview = (window: ReportWindow) =>
    sql<SavingsRow & CellRow>`
      select grouping(recommended_model_id) = 0 as is_recommended, to_char(day, 'YYYY-MM-DD') as key,
        cluster, coalesce(recommended_model_id, chosen_model_id) as model_id,
        ${sql.literal(healthColumns)}, ${sql.literal(savingsColumns)}, ${sql.literal(cellColumns)}
      from (select *, (created_at at time zone 'UTC')::date as day from decision_figures
        where ${within(window)}) as figures
      group by grouping sets ((day), (cluster, recommended_model_id), (cluster, chosen_model_id))`

  /** Bills in order, each beside the next ones; read only for keys that have outliers. */
  const outliers = (window: ReportWindow, key: string, rows: ReadonlyArray<SavingsRow>) =>
    !rows.some(({ n_far }) => n_far > 0) ? Effect.succeed([]) : sql<OutlierRow>`
      select ${sql.literal(key)} as key, ${sql.literal(outlierColumns)} from (
        select *, lag(actual_cost_usd) over bills as below, lead(actual_cost_usd) over bills as above
        from decision_figures
        where ${within(window)} and actual_cost_usd is not null and (cluster, chosen_model_id) in (
          select cluster, chosen_model_id from decision_figures
          where ${within(window)} and ${sql.literal(isFar)})
        window bills as (partition by cluster, chosen_model_id order by actual_cost_usd)
      ) as figures
      where ${sql.literal(isFar)}
        and coalesce(actual_cost_usd > ${agreement}::float8 * below, true)
        and coalesce(above > ${agreement}::float8 * actual_cost_usd, true)
      group by 1`

  const newest = (window: ReportWindow, count: number) =>
    sql<DecisionRow & FeedbackRow>`
      select ${sql.literal(decisionColumns)}, ${sql.literal(feedbackColumns)} from decision
      where ${within(window)} order by created_at desc, recommendation_id desc limit ${count}`

  /** The ids of the models that ran, by recommendation. */
  const namesOf = Effect.fnUntraced(function*(window: ReportWindow, ids: ReadonlyArray<RecommendationId>) {
    // The time in an id is its decision's, so the primary key finds the row.
    const times = ids.map((id) => timeOf(id).toISOString())
    if (times.length === 0) return new Map<RecommendationId, string>()
    const rows = yield* sql<{ readonly id: RecommendationId; readonly model_id: string }>`
      select recommendation_id::text as id, chosen_model_id as model_id from decision_figures
      where account_id = ${window.accountId} and created_at = any(${times}::timestamptz[])
        and recommendation_id = any(${ids}::uuid[])`
    return new Map(rows.map((row) => [row.id, row.model_id]))
  })

  return Aggregates.of({
    savings: (window, groupBy) =>
      reading(window, Effect.gen(function*() {
        const key = groupBy === null ? "''" : keyOf[groupBy]
        const rows = yield* sql<SavingsRow>`
          select ${sql.literal(key)} as key, ${sql.literal(healthColumns)}, ${sql.literal(savingsColumns)}
          from decision_figures where ${within(window)} group by 1`
        return savingsIn(rows, yield* outliers(window, key, rows))
      })),
    trials: (window) =>
      reading(window, sql<TrialRow>`
        select cluster, chosen_model_id as model_id,
          ${sql.literal(healthColumns)}, ${sql.literal(trialColumns)}
        from decision_figures where ${within(window)} group by cluster, chosen_model_id`).pipe(
        Effect.flatMap((rows) =>
          Effect.map(runCooperatively(seriesIn(rows)), (series) => ({ health: healthIn(rows), series })))
      ),
    trusted: (window) =>
      reading(window, Effect.gen(function*() {
        const parts = yield* sql<LabelledRow>`
          select ${sql.literal(trustedColumns)} from decision_figures
          where ${within(window)} and feedback_at is not null group by cluster`
        const { outcomes, runs } = yield* runCooperatively(decodeTrusted(parts))
        return outcomes(yield* namesOf(window, [...runs.values()]))
      })),
    overview: (window, count) =>
      reading(window, Effect.gen(function*() {
        const rows = yield* overview(window)
        const days = rows.filter(({ key }) => key !== null)
        const last = yield* readable(yield* newest(window, count))
        return {
          days: savingsIn(days, yield* outliers(window, dayOf, days)),
          cells: cellsIn(rows.filter(({ key }) => key === null)),
          newest: last.map(toLedgerRow)
        }
      }))
  })
})

/** Sums and columns from the service's own database, on either engine. */
export const layer: Layer.Layer<Aggregates, never, SqlClient.SqlClient> = Layer.effect(Aggregates, make)
