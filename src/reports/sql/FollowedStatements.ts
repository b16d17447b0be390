/* Reads the costs of followed decisions, and the costs of each model beside its estimates. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { CostSource } from "../../domain/Feedback.ts"
import * as Groups from "../../stats/GroupBy.ts"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import {
  type BySource, type FollowedSums, isPart, type Keyed, type LedgerWindow, type SavingsFigures, wholeOf
} from "../Aggregates.ts"
import { bySource, sum, usdMin } from "../Followed.ts"
import type { SavingsRow } from "./AggregateRows.ts"
import { type condition, cost, counted, narrowing, outliersAmong } from "./AggregateStatements.ts"
import { declaredBaseline } from "./DeclaredBaseline.ts"

/** Followed decisions of one group, source, baseline and cluster, split by whether the baseline ran. */
interface FollowedRow extends UnrunCell {
  readonly isFollowed: true
  readonly key: string
  readonly isBill: boolean
  readonly isSame: boolean
  readonly bills: number
}

/** The costs of one source, model and cluster beside their estimates. */
interface CostCellRow extends BilledCell {
  readonly isFollowed: false
  readonly isBill: boolean
}

/** The estimate of the model that ran, USD: of the pick and the declared baseline, else null. */
const estimate = `(case
  when chosen_model_id = recommended_model_id
    then case when cost_recommended_usd > ${usdMin} then cost_recommended_usd end
  when chosen_model_id = baseline and cost_declared_usd > ${usdMin} then cost_declared_usd end)`

/** What groups and parts of a window are told by. */
const ofKnown = "created_at, lane, recommended_model_id, recommendation_id"

/**
 * The condition of `domain/FeedbackPrecedence` on a call that the infrastructure broke. The figures lack the
 * cause, so it is looked up for the few calls that did not succeed and do not teach.
 */
const isBroken = `(success < 1 and not teaches and exists (
  select from decision d where d.account_id = figures.account_id and d.created_at = figures.created_at
    and d.recommendation_id = figures.recommendation_id and d.error_cause = 'infra'))`

/**
 * The rows whose cost is known and can be believed, as the table `known`: their cost, whether it is a bill,
 * and their estimates. A cost that is next to nothing counts as 0 beside its estimate.
 *
 * @param columns others of `decision_figures`
 * @param hasFar whether a cost may be an outlier; finding these reads all rows once more
 */
export const knownCosts = (
  sql: SqlClient.SqlClient,
  rows: ReturnType<typeof condition>,
  columns: string,
  hasFar: boolean
) => sql`
  outliers as materialized (
    select recommendation_id as id from (${
      hasFar ? outliersAmong(sql, rows) : sql.literal("select null::uuid as recommendation_id where false")
    }) as far),
  known as materialized (
    select ${sql.literal(columns)}, actual_cost_usd is not null as is_bill, cluster,
      chosen_model_id as chosen, baseline, usd, cost_declared_usd as declared,
      case when usd > ${usdMin} then usd else 0 end as counted, ${sql.literal(estimate)} as estimate,
      chosen_model_id = recommended_model_id and cost_declared_usd is not null
        and baseline is not null as followed
    from (
      select *, ${sql.literal(declaredBaseline("f"))} as baseline, ${sql.literal(cost)} as usd
      from decision_figures f where ${rows} and ${sql.literal(cost)} is not null
    ) as figures
    where not ${sql.literal(isBroken)} and recommendation_id not in (select id from outliers)
  )`

/** The columns of both kinds of rows; a sum that a kind does not have is null. */
const followedColumns = `true as "isFollowed", is_bill as "isBill", baseline as model, cluster,
  baseline = chosen as "isSame", count(*)::int as n, sum(declared) as estimates,
  coalesce(sum(declared ^ 2) filter (where declared > ${usdMin}), 0) as "squaredEstimates",
  sum(usd) as bills, null::float8 as "squaredBills", null::float8 as products, null::float8 as ratios,
  null::float8 as "squaredRatios", null::int as positive, null::float8 as logs,
  null::float8 as "squaredLogs"`
const log = "case when counted > 0 then ln(counted / estimate) end"
/** The columns of a {@link BilledCell}, from its model on. */
export const cellColumns = `chosen, cluster, null, count(*)::int, sum(estimate), sum(estimate ^ 2),
  sum(counted), sum(counted ^ 2), sum(counted * estimate), sum(counted / estimate),
  sum((counted / estimate) ^ 2), (count(*) filter (where counted > 0))::int, coalesce(sum(${log}), 0),
  coalesce(sum((${log}) ^ 2), 0)`

const isOf = (source: CostSource) => ({ isBill }: { readonly isBill: boolean }): boolean =>
  isBill === (source === "reported")

const sumsOf = (rows: ReadonlyArray<FollowedRow>): FollowedSums => {
  const [same, others] = [rows.filter(({ isSame }) => isSame), rows.filter(({ isSame }) => !isSame)]
  return {
    nSame: sum(same, ({ n }) => n),
    sameUsd: sum(same, ({ bills }) => bills),
    costUsd: sum(others, ({ bills }) => bills),
    unrun: others.map(({ cluster, estimates, model, n, squaredEstimates }) =>
      ({ model, cluster, n, estimates, squaredEstimates }))
  }
}

const keyedSums = (rows: ReadonlyArray<FollowedRow>): ReadonlyArray<Keyed<BySource<FollowedSums>>> =>
  [...Groups.groupBy(rows, ({ key }) => key)].map(([key, own]) =>
    ({ key, sums: bySource((source) => sumsOf(own.filter(isOf(source)))) }))

/**
 * The followed decisions per group, and the costs of all lanes beside their estimates, without costs that are
 * outliers and calls that the infrastructure broke.
 *
 * @param key the SQL expression of the group
 * @param rows savings of the same window, which say whether a cost of its lane may be an outlier
 */
export const readFollowed = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow,
  key: string,
  rows: ReadonlyArray<SavingsRow>
): Effect.fn.Return<Pick<SavingsFigures, "costs" | "followed">, SqlError.SqlError> {
  const hasFar = isPart(window) || rows.some(({ n_far }) => n_far > 0)
  const found = yield* sql<FollowedRow | CostCellRow>`
    with ${knownCosts(sql, counted(sql, wholeOf(window)), ofKnown, hasFar)}
    select ${sql.literal(followedColumns)}, ${sql.literal(key)} as key from known
    where followed ${narrowing(sql, window)}
    group by is_bill, baseline, cluster, "isSame", key
    union all
    select false, is_bill, ${sql.literal(cellColumns)}, null from known
    where estimate is not null group by is_bill, chosen, cluster`
  const cells = found.flatMap((row) => row.isFollowed ? [] : [row])
  return {
    costs: bySource((source) =>
      cells.filter(isOf(source)).map(({ isBill: _bill, isFollowed: _followed, ...cell }) => cell)),
    followed: keyedSums(found.flatMap((row) => row.isFollowed ? [row] : []))
  }
})
