/* Reads the costs of followed decisions, and all costs of the months with their estimates. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { CostSource } from "../../domain/feedback/Feedback.ts"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import type { BySource, FollowedSums, Keyed, SavingsFigures } from "../savings/SavingsSums.ts"
import { bySource, sum, usdMin } from "../savings/Followed.ts"
import { type LedgerWindow, monthsOf } from "../LedgerWindow.ts"
import { condition, counted, type GroupKey } from "./AggregateStatements.ts"
import { cost, monthOf, outliersAmong } from "./CostOutliers.ts"

/**
 * Sums over decisions whose recommended model ran, for one group, source of cost, baseline, cluster and
 * month. `isSame` tells whether the baseline ran, and `isFurther` tells whether the decision is a further
 * attempt at its task.
 */
interface FollowedRow extends UnrunCell {
  readonly isFollowed: true
  readonly key: string
  /** True for bills, false for list prices; null if no cost is known. */
  readonly isBill: boolean | null
  readonly isSame: boolean
  readonly isFurther: boolean
  readonly bills: number
}

interface CostCellRow extends BilledCell {
  readonly isFollowed: false
  readonly isBill: boolean
}

/** The SQL estimate for the model that ran, USD; null if there is none above `usdMin`. */
const estimate = `(case
  when chosen_model_id = recommended_model_id
    then case when cost_recommended_usd > ${usdMin} then cost_recommended_usd end
  when chosen_model_id = baseline and cost_declared_usd > ${usdMin} then cost_declared_usd end)`

/**
 * Returns the SQL table `known`: decisions with a cost, without unconfirmed outliers and broken calls. In the
 * column `counted`, a cost up to `usdMin` is 0. The SQL also defines the tables `costed` and `outliers`.
 */
export const knownCosts = (sql: SqlClient.SqlClient, rows: ReturnType<typeof condition>) => sql`
  costed as materialized (
    select account_id, created_at, recommendation_id, lane, cluster, recommended_model_id, chosen_model_id,
      is_shadow, actual_cost_usd, computed_cost_usd, usd, cost_premium_usd, cost_recommended_usd,
      cost_declared_usd, attempt_number, baseline, ${sql.literal(monthOf)} as month,
      ${sql.literal(estimate)} as estimate, is_broken
    from (
      select *, baseline_model_id as baseline, ${sql.literal(cost)} as usd
      from decision_figures where ${rows} and ${sql.literal(cost)} is not null
    ) as figures
  ),
  outliers as materialized (
    select recommendation_id as id from (${outliersAmong(sql, sql.literal("costed"))}) as far),
  known as not materialized (
    select *, actual_cost_usd is not null as is_bill, chosen_model_id as chosen,
      case when usd > ${usdMin} then usd else 0 end as counted,
      ${sql.literal(isFollowed)} as followed
    from costed where not is_broken and recommendation_id not in (select id from outliers)
  )`

/** The SQL month of a row in `known`, as year · 12 + month, UTC. */
export const monthNumber = `(extract(year from month at time zone 'UTC') * 12
  + extract(month from month at time zone 'UTC'))::int as month`

/** The SQL condition that the recommended model ran, and that a baseline with a price was declared. */
const isFollowed = `chosen_model_id = recommended_model_id and cost_declared_usd is not null
  and baseline is not null`

/** Returns the SQL of decisions without a cost whose recommended model ran, for {@link followedColumns}. */
const uncosted = (sql: SqlClient.SqlClient, rows: ReturnType<typeof condition>) => sql`
  select *, null::boolean as is_bill, chosen_model_id as chosen, null::float8 as usd
  from (
    select *, baseline_model_id as baseline, ${sql.literal(monthOf)} as month
    from decision_figures where ${rows} and ${sql.literal(cost)} is null
  ) as figures where ${sql.literal(isFollowed)} and not is_broken`

/** SQL columns of a {@link FollowedRow}, with null for columns that only {@link CostCellRow} has. */
const followedColumns = `true as "isFollowed", is_bill as "isBill", baseline as model, cluster,
  ${monthNumber}, baseline = chosen as "isSame", count(*)::int as n, sum(cost_declared_usd) as estimates,
  coalesce(sum(cost_declared_usd ^ 2) filter (where cost_declared_usd > ${usdMin}), 0) as "squaredEstimates",
  sum(usd) as bills, null::float8 as "squaredBills", null::float8 as products, null::float8 as ratios,
  null::float8 as "squaredRatios", null::int as positive, null::float8 as logs,
  null::float8 as "squaredLogs"`

const isFurther = `coalesce(attempt_number, 1) > 1 as "isFurther"`

const log = "case when counted > 0 then ln(counted / estimate) end"
/** The SQL columns of a {@link BilledCell}; the first is the model that ran. */
export const cellColumns = `chosen, cluster, ${monthNumber}, null, count(*)::int, sum(estimate),
  sum(estimate ^ 2), sum(counted), sum(counted ^ 2), sum(counted * estimate), sum(counted / estimate),
  sum((counted / estimate) ^ 2), (count(*) filter (where counted > 0))::int, coalesce(sum(${log}), 0),
  coalesce(sum((${log}) ^ 2), 0)`

const isOf = (source: CostSource) => ({ isBill }: { readonly isBill: boolean | null }): boolean =>
  isBill === (source === "reported")

const cellOf = ({ cluster, estimates, model, month, n, squaredEstimates }: FollowedRow): UnrunCell =>
  ({ model, cluster, month, n, estimates, squaredEstimates })

/**
 * For a further attempt the baseline's sums are 0, because without Sextant the baseline would run once per
 * task.
 */
const unrunOf = (row: FollowedRow): UnrunCell =>
  row.isFurther ? { ...cellOf(row), estimates: 0, squaredEstimates: 0 } : cellOf(row)

const isOfBaseline = ({ isFurther, isSame }: FollowedRow): boolean => isSame && !isFurther

const sumsOf = (source: CostSource, all: ReadonlyArray<FollowedRow>): FollowedSums => {
  const rows = all.filter(isOf(source))
  const missing = all.filter(({ isBill }) => isBill === null || !isBill && source === "reported")
  const same = rows.filter(isOfBaseline)
  const others = rows.filter((row) => !isOfBaseline(row))
  return {
    nSame: sum(same, ({ n }) => n),
    sameUsd: sum(same, ({ bills }) => bills),
    costUsd: sum(others, ({ bills }) => bills),
    unrun: others.map(unrunOf),
    nMissing: sum(missing, ({ n }) => n),
    // A further attempt of unknown cost keeps its baseline's estimate, to limit the unknown cost.
    missing: missing.filter((row) => !isOfBaseline(row)).map(cellOf)
  }
}

const keyedSums = (rows: ReadonlyArray<FollowedRow>): ReadonlyArray<Keyed<BySource<FollowedSums>>> =>
  [...Map.groupBy(rows, ({ key }) => key)].map(([key, own]) =>
    ({ key, sums: bySource((source) => sumsOf(source, own)) }))

export const readFollowed = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow,
  key: GroupKey
): Effect.fn.Return<Pick<SavingsFigures, "costs" | "followed">, SqlError.SqlError> {
  const found = yield* sql<FollowedRow | CostCellRow>`
    with ${knownCosts(sql, counted(sql, monthsOf(window)))}
    select ${sql.literal(followedColumns)}, ${sql.literal(isFurther)}, ${key} as key from known
    where followed and ${condition(sql, window)}
    group by is_bill, baseline, cluster, month, "isSame", "isFurther", key
    union all
    select ${sql.literal(followedColumns)}, ${sql.literal(isFurther)}, ${key} as key
    from (${uncosted(sql, counted(sql, window))}) as uncosted
    group by is_bill, baseline, cluster, month, "isSame", "isFurther", key
    union all
    select false, is_bill, ${sql.literal(cellColumns)}, null, null from known
    where estimate is not null group by is_bill, chosen, cluster, month`
  const cells = found.flatMap((row) => row.isFollowed ? [] : [row])
  return {
    costs: bySource((source) =>
      cells.filter(isOf(source)).map(({ isBill: _bill, isFollowed: _followed, ...cell }) => cell)),
    followed: keyedSums(found.flatMap((row) => row.isFollowed ? [row] : []))
  }
})
