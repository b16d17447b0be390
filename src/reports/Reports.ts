import { Clock, Context, Effect, Layer } from "effect"
import type { DashboardResponse } from "../domain/Dashboard.ts"
import type { CalibrationResponse, GroupBy, PolicyValueResponse, SavingsResponse } from "../domain/Report.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"
import { Ledger, type LedgerUnavailable } from "../ledger/Ledger.ts"
import { calibration } from "./Calibration.ts"
import { overview } from "./Overview.ts"
import { policyValue } from "./PolicyValue.ts"
import { savings } from "./Savings.ts"

/** What a report looks at: a null `namespace` is every lane of the account; `days` is in (0, 365]. */
export interface ReportQuery {
  readonly accountId: AccountId
  readonly namespace: string | null
  readonly days: number
}

/** How well it went, read from the ledger. Each report fails only when the ledger cannot be read. */
export class Reports extends Context.Service<Reports, {
  readonly savings: (
    query: ReportQuery & { readonly groupBy?: GroupBy | null }
  ) => Effect.Effect<SavingsResponse, LedgerUnavailable>
  readonly calibration: (query: ReportQuery) => Effect.Effect<CalibrationResponse, LedgerUnavailable>
  readonly policyValue: (query: ReportQuery) => Effect.Effect<PolicyValueResponse, LedgerUnavailable>
  readonly dashboard: (query: ReportQuery) => Effect.Effect<DashboardResponse, LedgerUnavailable>
}>()("sextant/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function*() {
      const ledger = yield* Ledger

      const windowOf = Effect.fn("Reports.window")(function*({ accountId, namespace, days }: ReportQuery) {
        const since = new Date((yield* Clock.currentTimeMillis) - days * dayMs)
        const lane = namespace === null ? null : laneOf(namespace)
        const rows = yield* ledger.window({ accountId, lane, since })
        yield* Effect.annotateCurrentSpan("reports.rows", rows.length)
        return { since, rows }
      })

      return Reports.of({
        savings: ({ groupBy = null, ...query }) =>
          Effect.map(windowOf(query), ({ rows }) => ({
            namespace: query.namespace,
            days: query.days,
            groupBy,
            ...savings(rows, groupBy)
          })),
        calibration: (query) =>
          Effect.map(windowOf(query), ({ rows }) => ({
            namespace: query.namespace,
            days: query.days,
            ...calibration(rows)
          })),
        policyValue: (query) =>
          Effect.map(windowOf(query), ({ since, rows }) => ({
            orgId: query.accountId,
            since: since.toISOString(),
            days: query.days,
            namespace: query.namespace,
            report: policyValue(rows)
          })),
        dashboard: (query) =>
          Effect.map(windowOf(query), ({ rows }) => ({
            namespace: query.namespace,
            days: query.days,
            ...overview(rows)
          }))
      })
    })
  )
}
