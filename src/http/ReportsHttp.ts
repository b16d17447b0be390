/* Handles the reports: savings, calibration, policy value, and the dashboard's data. */
import { Clock, Effect } from "effect"
import type { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import { InvalidRequest } from "../api/Problems.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { CallOutcome } from "../domain/reports/Dashboard.ts"
import type { GroupBy } from "../domain/reports/Report.ts"
import { nameOf } from "../domain/text/Text.ts"
import { dayMs } from "../domain/Time.ts"
import { rangeOf } from "../domain/Units.ts"
import { ObservedCalls } from "../reports/ObservedCalls.ts"
import { Reports } from "../reports/Reports.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Handlers } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"
import { refuseUnknownParameters } from "./body/UnknownFields.ts"

interface WindowQuery {
  readonly outcome?: CallOutcome
  readonly before?: string
  readonly namespace?: string
  readonly days: number
  readonly dates?: string
  readonly model?: string
  readonly tag?: string
  readonly user_id?: string
  readonly group_by?: GroupBy
}

type ReportRequest<Query> = Parameters<typeof refuseUnknownParameters>[0] & { readonly query: Query }

/** Reads the account and the window of a report. Refuses unknown parameters of the query. */
const windowOf = (asked: ReportRequest<WindowQuery>) => {
  const { group_by: groupBy, namespace, user_id: userId, ...window } = asked.query
  return refuseUnknownParameters(asked).pipe(
    Effect.andThen(CurrentCaller),
    Effect.map(({ accountId }) => ({
      accountId, namespace: namespace ?? null, ...window, ...(userId === undefined ? {} : { userId }),
      groupBy: groupBy ?? null
    }))
  )
}

export const handlers = Effect.gen(function*() {
  const reports = yield* Reports
  const observed = yield* ObservedCalls
  const reporting = <A>(report: (window: Effect.Success<ReturnType<typeof windowOf>>) =>
    Effect.Effect<A, LedgerUnavailable>) =>
  (asked: ReportRequest<WindowQuery>) =>
    windowOf(asked).pipe(
      Effect.flatMap(report), Effect.catchTag("LedgerUnavailable", unavailable("The ledger"))
    )
  return {
    savings: reporting(reports.savings),
    calibration: reporting(reports.calibration),
    policyValue: reporting(reports.policyValue),
    dashboard: reporting(reports.dashboard),
    calls: reporting(reports.calls),
    observedCalls: (asked) =>
      Effect.gen(function*() {
        yield* refuseUnknownParameters(asked)
        const { accountId } = yield* CurrentCaller
        const { dates, days } = asked.query
        const nowMs = yield* Clock.currentTimeMillis
        const range = dates === undefined ? { since: new Date(nowMs - days * dayMs) } : rangeOf(dates)
        return yield* observed.sums({ accountId, ...range })
      }).pipe(Effect.catchTag("LedgerUnavailable", unavailable("The ledger"))),
    advice: reporting(reports.advice),
    retirement: (asked) =>
      Effect.gen(function*() {
        const { model_id: modelId, ...query } = asked.query
        const { groupBy: _, ...window } = yield* windowOf({ ...asked, query })
        return yield* reports.retirement({ ...window, modelId })
      }).pipe(
        Effect.catchTag("LedgerUnavailable", unavailable("The ledger")),
        Effect.catchTag("UnknownModel", ({ modelId }) =>
          new InvalidRequest({
            detail: `model_id: neither the catalog nor a call of the window has a model ${nameOf(modelId)}`
          }))
      ),
    decision: (asked) =>
      Effect.andThen(refuseUnknownParameters(asked), CurrentCaller.use(({ accountId }) => {
        // `parse` makes the id's letters small, as they are in the ledger.
        const id = RecommendationId.parse(asked.query.recommendation_id)
        return id === null ? Effect.succeed({ decision: null }) : reports.decision(accountId, id)
      })).pipe(Effect.catchTag("LedgerUnavailable", unavailable("The ledger")))
  } satisfies Handlers<typeof Api.groups.reports>
})
