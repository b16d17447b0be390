/* Reads the bills of decisions in shadow, and the estimates of their recommended models. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { BilledCell } from "../../stats/BillRatio.ts"
import type { LedgerWindow, PickCell, ShadowSums } from "../Aggregates.ts"
import { sum, usdMin } from "../Followed.ts"
import { noShadow } from "../Shadow.ts"
import { condition } from "./AggregateStatements.ts"
import { cellColumns, knownCosts } from "./FollowedStatements.ts"

/** Counts over the decisions in shadow of one lane in a window. */
interface CountRow extends Pick<ShadowSums, "nFeedback" | "nOutcomes"> {
  readonly lane: string
  readonly n: number
  readonly successes: number | null
}

/** The billed decisions in shadow of one recommended model and cluster, split by whether it ran. */
interface PickRow extends PickCell {
  readonly isPick: true
  readonly isSame: boolean
  readonly bills: number
}

interface BilledCellRow extends BilledCell {
  readonly isPick: false
}

const pickedColumns = "is_shadow, recommended_model_id as picked, cost_recommended_usd as picked_usd"
const pickColumns = `true as "isPick", picked as model, cluster,
  picked = chosen as "isSame",
  count(*)::int as n, sum(picked_usd) as estimates,
  coalesce(sum(picked_usd ^ 2) filter (where picked_usd > ${usdMin}), 0) as "squaredEstimates",
  sum(usd) as bills, null::float8 as "squaredBills", null::float8 as products, null::float8 as ratios,
  null::float8 as "squaredRatios", null::int as positive, null::float8 as logs,
  null::float8 as "squaredLogs",
  sum(case when picked_usd > ${usdMin} then picked_usd * coalesce(counted / estimate, 1) else 0 end)
    as "scaledUsd"`

/**
 * The sums over the decisions in shadow, and all bills of the window beside their estimates, without bills
 * that are unconfirmed outliers and calls that the infrastructure broke. One small statement where there is
 * no decision in shadow.
 */
export const readShadow = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow
): Effect.fn.Return<ShadowSums, SqlError.SqlError> {
  const within = condition(sql, window)
  const counts = yield* sql<CountRow>`
    select lane, count(*)::int as n, count(feedback_at)::int as "nFeedback",
      (count(*) filter (where teaches))::int as "nOutcomes", sum(success) filter (where teaches) as successes
    from decision_figures where ${within} and is_shadow group by lane order by lane collate "C"`
  if (counts.length === 0) return noShadow
  const found = yield* sql<PickRow | BilledCellRow>`
    with ${knownCosts(sql, sql`${within} and actual_cost_usd is not null`, pickedColumns, true)}
    select ${sql.literal(pickColumns)} from known where is_shadow group by picked, cluster, "isSame"
    union all
    select false, ${sql.literal(cellColumns)}, null from known
    where estimate is not null group by chosen, cluster`
  const picks = found.filter((row): row is PickRow => row.isPick)
  const total = (isSame: boolean, of: "bills" | "n") =>
    sum(picks, (row) => row.isSame === isSame ? row[of] : 0)
  return {
    lanes: counts.map(({ lane, n }) => ({ lane, n })),
    nFeedback: sum(counts, ({ nFeedback }) => nFeedback),
    nOutcomes: sum(counts, ({ nOutcomes }) => nOutcomes),
    successes: sum(counts, ({ successes }) => successes ?? 0),
    nSame: total(true, "n"),
    sameUsd: total(true, "bills"),
    billedUsd: total(false, "bills"),
    picks: picks.filter(({ isSame }) => !isSame).map(
      ({ cluster, estimates, model, n, scaledUsd, squaredEstimates }) =>
        ({ model, cluster, n, estimates, squaredEstimates, scaledUsd })
    ),
    bills: found.flatMap((row) => {
      if (row.isPick) return []
      const { isPick: _, ...cell } = row
      return [cell]
    })
  }
})
