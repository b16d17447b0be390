/* Reads what the followed decisions were billed, and the bills of each model beside its estimates. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import type { FollowedSums, Keyed, LedgerWindow, SavingsFigures } from "../Aggregates.ts"
import { usdMin } from "../Followed.ts"
import type { SavingsRow } from "./AggregateRows.ts"
import { besides, billsWindow, condition, isAlone, isCounted, isFar } from "./AggregateStatements.ts"

/** The followed decisions of one group, baseline and cluster; those that ran the baseline are apart. */
interface FollowedRow extends UnrunCell {
  readonly isFollowed: true
  readonly key: string
  readonly isSame: boolean
  readonly bills: number
}

/** The bills of one model and cluster beside its estimates. */
interface BilledCellRow extends BilledCell {
  readonly isFollowed: false
}

/** The estimate of the model that ran, USD: of the pick and the declared baseline, else null. */
const estimate = `(case
  when chosen_model_id = recommended_model_id
    then case when cost_recommended_usd > ${usdMin} then cost_recommended_usd end
  when chosen_model_id = baseline and cost_declared_usd > ${usdMin} then cost_declared_usd end)`

/**
 * The baseline that a decision named. Decisions that were made before the figures had it are looked up, one
 * by one by their key, and only where a bill is compared with it.
 */
export const baseline = `coalesce(baseline_model_id, case when cost_declared_usd is not null then (
  select d.baseline_model_id from decision d where d.account_id = f.account_id
    and d.created_at = f.created_at and d.recommendation_id = f.recommendation_id) end)`

/**
 * The condition of `domain/ReportPrecedence` on a call that the infrastructure broke. The figures lack the
 * cause, so it is looked up for the few calls that did not succeed and do not teach.
 */
export const isBroken = `(success < 1 and not teaches and exists (
  select from decision d where d.account_id = figures.account_id and d.created_at = figures.created_at
    and d.recommendation_id = figures.recommendation_id and d.error_cause = 'infra'))`

/** What both sums are made of. A bill that is next to nothing counts as 0 beside its estimate. */
export const billColumns = `cluster, chosen_model_id as chosen, baseline, actual_cost_usd as bill,
  cost_declared_usd as declared,
  case when actual_cost_usd > ${usdMin} then actual_cost_usd else 0 end as counted, ${estimate} as estimate,
  chosen_model_id = recommended_model_id and cost_declared_usd is not null
    and baseline is not null as followed`

/** The columns of both kinds of rows; a sum that a kind does not have is null. */
const followedColumns = `true as "isFollowed", key, baseline as model, cluster, baseline = chosen as "isSame",
  count(*)::int as n, sum(declared) as estimates,
  coalesce(sum(declared ^ 2) filter (where declared > ${usdMin}), 0) as "squaredEstimates",
  sum(bill) as bills, null::float8 as "squaredBills", null::float8 as products, null::float8 as ratios,
  null::float8 as "squaredRatios", null::int as positive, null::float8 as logs,
  null::float8 as "squaredLogs"`
const log = "case when counted > 0 then ln(counted / estimate) end"
export const billedColumns = `false, null, chosen, cluster, null,
  count(*)::int, sum(estimate), sum(estimate ^ 2), sum(counted),
  sum(counted ^ 2), sum(counted * estimate), sum(counted / estimate),
  sum((counted / estimate) ^ 2), (count(*) filter (where counted > 0))::int, coalesce(sum(${log}), 0),
  coalesce(sum((${log}) ^ 2), 0)`

const sumsOf = (rows: ReadonlyArray<FollowedRow>): ReadonlyArray<Keyed<FollowedSums>> => {
  const keys = new Map<string, Array<FollowedRow>>()
  for (const row of rows) {
    const own = keys.get(row.key) ?? []
    own.push(row)
    keys.set(row.key, own)
  }
  const total = (own: ReadonlyArray<FollowedRow>, of: "bills" | "n", isSame: boolean) =>
    own.reduce((sum, row) => row.isSame === isSame ? sum + row[of] : sum, 0)
  return [...keys].map(([key, own]) => ({
    key,
    sums: {
      nSame: total(own, "n", true),
      sameUsd: total(own, "bills", true),
      billedUsd: total(own, "bills", false),
      unrun: own.filter(({ isSame }) => !isSame).map(({ cluster, estimates, model, n, squaredEstimates }) =>
        ({ model, cluster, n, estimates, squaredEstimates }))
    }
  }))
}

/**
 * The followed decisions per group, and all bills beside their estimates, without bills that are outliers
 * and calls that the infrastructure broke.
 *
 * @param key the SQL expression of the group
 * @param rows savings of the same window, which say whether a bill may be an outlier: only then are bills put
 *   in order
 */
export const readFollowed = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow,
  key: string,
  rows: ReadonlyArray<SavingsRow>
): Effect.fn.Return<Pick<SavingsFigures, "bills" | "followed">, SqlError.SqlError> {
  if (!rows.some(({ n_billed }) => n_billed > 0)) return { bills: [], followed: [] }
  const hasFar = rows.some(({ n_far }) => n_far > 0)
  const [ordered, order, believed] = hasFar
    ? [`, ${besides}`, `window ${billsWindow}`, `and not (${isFar} and ${isAlone})`]
    : ["", "", ""]
  const found = yield* sql<FollowedRow | BilledCellRow>`
    with billed as materialized (
      select ${sql.literal(key)} as key, ${sql.literal(billColumns)} from (
        select *, ${sql.literal(baseline)} as baseline ${sql.literal(ordered)}
        from decision_figures f where ${condition(sql, window)} and ${sql.literal(isCounted)}
          and actual_cost_usd is not null
        ${sql.literal(order)}
      ) as figures where not ${sql.literal(isBroken)} ${sql.literal(believed)}
    )
    select ${sql.literal(followedColumns)} from billed where followed group by 2, 3, 4, 5
    union all
    select ${sql.literal(billedColumns)} from billed where estimate is not null group by chosen, cluster`
  return {
    bills: found.flatMap((row) => {
      if (row.isFollowed) return []
      const { isFollowed: _, ...cell } = row
      return [cell]
    }),
    followed: sumsOf(found.filter((row): row is FollowedRow => row.isFollowed))
  }
})
