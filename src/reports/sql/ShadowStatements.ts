/* Reads the sums over decisions in shadow: their bills, and the estimates of their recommended models. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { BilledCell } from "../../stats/BillRatio.ts"
import type { PickCell, ShadowSums } from "../savings/SavingsSums.ts"
import { type LedgerWindow, monthsOf } from "../LedgerWindow.ts"
import { sum, usdMin } from "../savings/Followed.ts"
import { reportSettings } from "../ReportSettings.ts"
import { noShadow } from "../savings/Shadow.ts"
import { condition } from "./AggregateStatements.ts"
import { cellColumns, knownCosts, monthNumber } from "./FollowedStatements.ts"

/** Counts over the decisions in shadow of one lane; if the lane is null, of all lanes that are not listed. */
interface CountRow extends Pick<ShadowSums, "n" | "nFeedback" | "nOutcomes" | "successes"> {
  readonly lane: string | null
}

/** Sums over billed decisions in shadow, by recommended model, cluster, month, and whether that model ran. */
interface PickRow extends PickCell {
  readonly isPick: true
  readonly isSame: boolean
  readonly bills: number
}

interface BilledCellRow extends BilledCell {
  readonly isPick: false
}

const pickColumns = `true as "isPick", recommended_model_id as model, cluster, ${monthNumber},
  recommended_model_id = chosen as "isSame",
  count(*)::int as n, sum(cost_recommended_usd) as estimates,
  coalesce(sum(cost_recommended_usd ^ 2) filter (where cost_recommended_usd > ${usdMin}), 0)
    as "squaredEstimates",
  sum(usd) as bills, null::float8 as "squaredBills", null::float8 as products, null::float8 as ratios,
  null::float8 as "squaredRatios", null::int as positive, null::float8 as logs,
  null::float8 as "squaredLogs",
  coalesce(sum(cost_recommended_usd * coalesce(counted / estimate, 1))
    filter (where cost_recommended_usd > ${usdMin}), 0) as "scaledUsd"`

/** The sums of cost leave out unconfirmed outliers and calls that the infrastructure broke. */
export const readShadow = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow
): Effect.fn.Return<ShadowSums, SqlError.SqlError> {
  const within = condition(sql, window)
  const billed = sql`${condition(sql, monthsOf(window))} and actual_cost_usd is not null`
  const counts = yield* sql<CountRow>`
    select listed.lane, sum(n)::int as n, sum("nFeedback")::int as "nFeedback",
      sum("nOutcomes")::int as "nOutcomes", sum(successes) as successes
    from (
      select lane, count(*) as n, count(feedback_at) as "nFeedback",
        count(*) filter (where teaches) as "nOutcomes",
        coalesce(sum(success) filter (where teaches), 0) as successes,
        row_number() over (order by count(*) desc, lane collate "C") as place
      from decision_figures where ${within} and is_shadow group by lane
    ) as own,
      lateral (select case when place <= ${reportSettings.groupsMax} then own.lane end as lane) as listed
    group by listed.lane order by listed.lane collate "C"`
  if (counts.length === 0) return noShadow
  const found = yield* sql<PickRow | BilledCellRow>`
    with ${knownCosts(sql, billed)}
    select ${sql.literal(pickColumns)} from known where is_shadow and ${within}
    group by recommended_model_id, cluster, month, "isSame"
    union all
    select false, ${sql.literal(cellColumns)}, null from known
    where estimate is not null group by chosen, cluster, month`
  const picks = found.filter((row): row is PickRow => row.isPick)
  const total = (isSame: boolean, of: "bills" | "n") =>
    sum(picks, (row) => row.isSame === isSame ? row[of] : 0)
  return {
    n: sum(counts, ({ n }) => n),
    lanes: counts.flatMap(({ lane, n }) => lane === null ? [] : [{ lane, n }]),
    nFeedback: sum(counts, ({ nFeedback }) => nFeedback),
    nOutcomes: sum(counts, ({ nOutcomes }) => nOutcomes),
    successes: sum(counts, ({ successes }) => successes),
    nSame: total(true, "n"),
    sameUsd: total(true, "bills"),
    billedUsd: total(false, "bills"),
    picks: picks.filter(({ isSame }) => !isSame).map(
      ({ cluster, estimates, model, month, n, scaledUsd, squaredEstimates }) =>
        ({ model, cluster, month, n, estimates, squaredEstimates, scaledUsd })
    ),
    bills: found.flatMap((row) => {
      if (row.isPick) return []
      const { isPick: _, ...cell } = row
      return [cell]
    })
  }
})
