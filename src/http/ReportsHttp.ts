/* Handles the reports: savings, calibration, policy value, and the dashboard's data. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { GroupBy } from "../domain/reports/Report.ts"
import { Reports } from "../reports/Reports.ts"
import { unavailable } from "./limits/Retry.ts"

interface WindowQuery {
  readonly namespace?: string
  readonly days: number
  readonly dates?: string
  readonly model?: string
  readonly tag?: string
  readonly group_by?: GroupBy
}

/** The caller's window of the ledger, as the reports take it. */
const windowOf = ({ group_by: groupBy, namespace, ...window }: WindowQuery) =>
  CurrentCaller.use(({ accountId }) =>
    Effect.succeed({ accountId, namespace: namespace ?? null, ...window, groupBy: groupBy ?? null }))

export const layer = HttpApiBuilder.group(Api, "reports", Effect.fnUntraced(function*(handlers) {
  const reports = yield* Reports
  return handlers.handleAll({
    savings: ({ query }) =>
      windowOf(query).pipe(Effect.flatMap(reports.savings), Effect.catch(unavailable("The ledger"))),
    calibration: ({ query }) =>
      windowOf(query).pipe(Effect.flatMap(reports.calibration), Effect.catch(unavailable("The ledger"))),
    policyValue: ({ query }) =>
      windowOf(query).pipe(Effect.flatMap(reports.policyValue), Effect.catch(unavailable("The ledger"))),
    dashboard: ({ query }) =>
      windowOf(query).pipe(Effect.flatMap(reports.dashboard), Effect.catch(unavailable("The ledger"))),
    decision: ({ query }) =>
      CurrentCaller.use(({ accountId }) => {
        // The schema admits capitals, which ids of the ledger have none of.
        const id = RecommendationId.parse(query.recommendation_id)
        return id === null ? Effect.succeed({ decision: null }) : reports.decision(accountId, id)
      }).pipe(Effect.catch(unavailable("The ledger")))
  })
}))
