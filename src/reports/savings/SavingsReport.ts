/* The answer of `GET /v1/savings`: the savings, and the estimated quality of each part. */
import { Effect } from "effect"
import { namespaceOf } from "../../domain/LaneName.ts"
import type { SavingsResponse } from "../../domain/reports/Report.ts"
import type { LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { Aggregates } from "../Aggregates.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import type { QualityEstimate } from "../PolicyWorth.ts"
import { daysOf, type SavingsQuery } from "../ReportQuery.ts"
import { reportSettings } from "../ReportSettings.ts"
import { comparisonOf, savingsOf } from "./Savings.ts"
import { taskReportOf } from "./Tasks.ts"

/** Returns the query for one lane, user or tag; null for other keys, or if the query has another tag. */
const groupQuery = (query: SavingsQuery, key: string): SavingsQuery | null => {
  const { groupBy, tag = key } = query
  if (key === "") return null
  if (groupBy === "lane") return { ...query, namespace: namespaceOf(key) }
  if (groupBy === "user_id") return { ...query, userId: key }
  return groupBy === "tag" && tag === key ? { ...query, tag } : null
}

const dearest = (groups: SavingsResponse["groups"]): ReadonlySet<string> =>
  new Set(groups.toSorted((one, other) =>
    other.summary.realized.realizedCostUsd - one.summary.realized.realizedCostUsd
  ).slice(0, reportSettings.comparedGroupsMax).map(({ key }) => key))

/** @param qualityIn returns a query's estimated quality; null if its outcomes cannot be read */
export const savingsReport = (
  aggregates: Aggregates["Service"],
  qualityIn: (query: SavingsQuery) => Effect.Effect<QualityEstimate | null>
) =>
(window: LedgerWindow, query: SavingsQuery): Effect.Effect<SavingsResponse, LedgerUnavailable> =>
  Effect.gen(function*() {
    const { groupBy = null, namespace } = query
    const [figures, quality] = yield* Effect.all(
      [aggregates.savings(window, groupBy), qualityIn(query)], { concurrency: 2 }
    )
    const found = savingsOf(figures, groupBy)
    const compared = dearest(found.groups)
    const groups = yield* Effect.forEach(found.groups, (group) => {
      const alone = compared.has(group.key) ? groupQuery(query, group.key) : null
      return alone === null ? Effect.succeed(group) : Effect.map(qualityIn(alone), (own) =>
        ({ ...group, comparison: comparisonOf(own, group.summary) }))
    }, { concurrency: 2 })
    return {
      namespace, days: daysOf(query), groupBy, ...found, groups,
      comparison: comparisonOf(quality, found.summary),
      tasks: taskReportOf(figures.tasks)
    }
  })
