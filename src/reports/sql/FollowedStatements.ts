/* Reads what the followed decisions were billed, and the bills of each model beside its estimates. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import { usdMin } from "../Followed.ts"
import type { FollowedSums, Keyed, LedgerWindow, SavingsFigures } from "../Aggregates.ts"
import type { SavingsRow } from "./AggregateRows.ts"
import { besides, billsWindow, condition, isAlone, isFar } from "./AggregateStatements.ts"

/** The sums of one group, baseline and cluster; those that ran the baseline itself are apart. */
interface FollowedRow extends UnrunCell {
  readonly key: string
  readonly isSame: boolean
  readonly bills: number
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
const baseline = `coalesce(baseline_model_id, case when cost_declared_usd is not null then (
  select d.baseline_model_id from decision d where d.account_id = f.account_id
    and d.created_at = f.created_at and d.recommendation_id = f.recommendation_id) end)`

const bill = `(case when actual_cost_usd > ${usdMin} then actual_cost_usd else 0 end)`
const ratio = `(${bill} / ${estimate})`
const log = `(case when ${bill} > 0 then ln(${ratio}) end)`

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
 * The followed decisions per group, and all bills beside their estimates, without bills that are outliers.
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
  const billed = sql`(
    select * from (
      select *, ${sql.literal(baseline)} as baseline ${sql.literal(hasFar ? `, ${besides}` : "")}
      from decision_figures f where ${condition(sql, window)} and actual_cost_usd is not null
      ${sql.literal(hasFar ? `window ${billsWindow}` : "")}
    ) as ordered ${sql.literal(hasFar ? `where not (${isFar} and ${isAlone})` : "")}
  ) as billed`
  const followed = yield* sql<FollowedRow>`
    select ${sql.literal(key)} as key, baseline as model, cluster, baseline = chosen_model_id as "isSame",
      count(*)::int as n, sum(cost_declared_usd) as estimates, coalesce(sum(cost_declared_usd ^ 2)
        filter (where cost_declared_usd > ${usdMin}), 0) as "squaredEstimates",
      sum(actual_cost_usd) as bills
    from ${billed}
    where chosen_model_id = recommended_model_id and cost_declared_usd is not null and baseline is not null
    group by 1, 2, 3, 4`
  const bills = yield* sql<BilledCell>`
    select chosen_model_id as model, cluster, count(*)::int as n, sum(${sql.literal(estimate)}) as estimates,
      sum(${sql.literal(estimate)} ^ 2) as "squaredEstimates", sum(${sql.literal(bill)}) as bills,
      sum(${sql.literal(bill)} ^ 2) as "squaredBills",
      sum(${sql.literal(bill)} * ${sql.literal(estimate)}) as products,
      sum(${sql.literal(ratio)}) as ratios, sum(${sql.literal(ratio)} ^ 2) as "squaredRatios",
      count(${sql.literal(log)})::int as positive, coalesce(sum(${sql.literal(log)}), 0) as logs,
      coalesce(sum(${sql.literal(log)} ^ 2), 0) as "squaredLogs"
    from ${billed} where ${sql.literal(estimate)} is not null group by 1, 2`
  return { bills, followed: sumsOf(followed) }
})
