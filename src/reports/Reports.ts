/* The reports of an account, cached. */
import { Clock, Context, Effect, Layer } from "effect"
import { parse, type RecommendationId } from "../domain/RecommendationId.ts"
import type { AdviceResponse } from "../domain/reports/Advice.ts"
import type { CallsResponse, DashboardResponse } from "../domain/reports/Dashboard.ts"
import type { DecisionResponse } from "../domain/reports/DecisionReport.ts"
import type { PolicyValueResponse } from "../domain/reports/PolicyValue.ts"
import type { CalibrationResponse, SavingsResponse } from "../domain/reports/Report.ts"
import type { RetirementResponse } from "../domain/reports/Retirement.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"
import type { UntriedInKind } from "../domain/UntriedCheaper.ts"
import { Ledger, type LedgerUnavailable } from "../ledger/Ledger.ts"
import { readAdvice, readRetirement, type UnknownModel } from "./advice/AdviceReport.ts"
import { untriedByKind } from "./advice/Untried.ts"
import { Aggregates } from "./Aggregates.ts"
import { calibrationOf } from "./Calibration.ts"
import { decisionReport } from "./DecisionReport.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"
import { ObservedCalls } from "./ObservedCalls.ts"
import { columnsOf } from "./OutcomeColumns.ts"
import { decisionsMax, overviewOf } from "./Overview.ts"
import { makePolicyThread } from "./PolicyThread.ts"
import type { QualityEstimate } from "./PolicyWorth.ts"
import { Predictor } from "./Predictor.ts"
import { recentDecision } from "./RecentDecision.ts"
import { makeReportCache } from "./ReportCache.ts"
import {
  type CallsQuery, daysOf, type ReportQuery, type RetirementQuery, type SavingsQuery, ungrouped, windowAt
} from "./ReportQuery.ts"
import { savingsReport } from "./savings/SavingsReport.ts"

/** Maximum age of the decisions from which `untried` is made, days. */
const untriedDays = 30

const judgedRows = ({ report }: PolicyValueResponse): number => report.nTotalReconciled
const rowsIn = ({ health }: Pick<SavingsResponse, "health">): number => health.recommendations
/** Returns the number of decisions in the dashboard's table, including those made in shadow mode. */
const recommendedRows = ({ clusterModels }: DashboardResponse): number =>
  clusterModels.reduce((rows, { nRecommended }) => rows + nRecommended, 0)

interface Judged {
  readonly answer: PolicyValueResponse
  readonly quality: QualityEstimate
}

const judgedBy = (aggregates: Aggregates["Service"], judge: Effect.Success<typeof makePolicyThread>) =>
  (window: LedgerWindow, query: ReportQuery) =>
    Effect.gen(function*() {
      const outcomes = yield* aggregates.trusted(window)
      const { quality, report } = yield* judge(columnsOf(outcomes))
      const judged: Judged = {
        quality,
        answer: {
          orgId: query.accountId,
          since: window.since.toISOString(),
          days: daysOf(query),
          namespace: query.namespace,
          report: { nTrusted: outcomes.rows, nTotalReconciled: outcomes.nReconciled, ...report }
        }
      }
      return judged
    })

/** A report may be about half a minute old. */
export class Reports extends Context.Service<Reports, {
  readonly savings: (query: SavingsQuery) => Effect.Effect<SavingsResponse, LedgerUnavailable>
  readonly calibration: (query: ReportQuery) => Effect.Effect<CalibrationResponse, LedgerUnavailable>
  readonly policyValue: (query: ReportQuery) => Effect.Effect<PolicyValueResponse, LedgerUnavailable>
  readonly dashboard: (query: ReportQuery) => Effect.Effect<DashboardResponse, LedgerUnavailable>
  readonly calls: (query: CallsQuery) => Effect.Effect<CallsResponse, LedgerUnavailable>
  /** Returns the changes of model that may save money, and the certainty of each change. */
  readonly advice: (query: ReportQuery) => Effect.Effect<AdviceResponse, LedgerUnavailable>
  readonly retirement: (
    query: RetirementQuery
  ) => Effect.Effect<RetirementResponse, LedgerUnavailable | UnknownModel>
  /**
   * Returns the cheaper models to try that a namespace's newest decisions of the last 30 days name. A null
   * namespace means the lane `sextant:default`.
   */
  readonly untried: (
    accountId: AccountId,
    namespace: string | null
  ) => Effect.Effect<ReadonlyArray<UntriedInKind>, LedgerUnavailable>
  readonly decision: (
    accountId: AccountId,
    recommendationId: RecommendationId
  ) => Effect.Effect<DecisionResponse, LedgerUnavailable>
}>()("sextant/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function*() {
      const aggregates = yield* Aggregates
      const ledger = yield* Ledger
      const judge = yield* makePolicyThread
      const sources = { aggregates, ledger, observed: yield* ObservedCalls, predictor: yield* Predictor }

      const report = Effect.fnUntraced(function*<Query extends ReportQuery, A, E>(
        name: string,
        rowsOf: (report: A) => number,
        make: (window: LedgerWindow, query: Query) => Effect.Effect<A, E | LedgerUnavailable>
      ) {
        const cached = yield* makeReportCache<A, E | LedgerUnavailable>(rowsOf)
        return (query: Query): Effect.Effect<A, E | LedgerUnavailable> =>
          cached(query.accountId, JSON.stringify(query), Effect.gen(function*() {
            const window = windowAt(yield* Clock.currentTimeMillis, query)
            return yield* make(window, query)
          })).pipe(Effect.withSpan(`Reports.${name}`))
      })

      const judged = yield* report(
        "policyValue", ({ answer }: Judged) => judgedRows(answer), judgedBy(aggregates, judge)
      )
      /** Estimates the quality of savings; logs a warning and returns null if the outcomes cannot be read. */
      const qualityIn = (query: SavingsQuery) =>
        judged(ungrouped(query)).pipe(
          Effect.map(({ quality }) => quality),
          Effect.catch((failure) =>
            Effect.as(Effect.logWarning("Savings are reported without their quality", failure), null))
        )

      return Reports.of({
        savings: yield* report("savings", rowsIn, savingsReport(aggregates, qualityIn)),
        calibration: yield* report("calibration", rowsIn, (window, query: ReportQuery) =>
          Effect.map(aggregates.trials(window), (trials): CalibrationResponse =>
            ({ namespace: query.namespace, days: daysOf(query), ...calibrationOf(trials) }))),
        policyValue: (query) => Effect.map(judged(ungrouped(query)), ({ answer }) => answer),
        dashboard: yield* report("dashboard", recommendedRows, (window, query: ReportQuery) =>
          Effect.map(aggregates.overview(window, decisionsMax), (sums): DashboardResponse => {
            const days = daysOf(query)
            return { namespace: query.namespace, days, ...overviewOf(sums, { since: window.since, days }) }
          })),
        calls: Effect.fn("Reports.calls")(function*(query) {
          const { before, outcome } = query
          const window = windowAt(yield* Clock.currentTimeMillis, query)
          const last = before === undefined ? null : parse(before)
          // One decision more than the page shows is read, to find out whether there is a next page.
          const found = yield* aggregates.newest(window, decisionsMax + 1, {
            ...(outcome === undefined ? {} : { outcome }), ...(last === null ? {} : { before: last })
          })
          const shown = found.slice(0, decisionsMax)
          return {
            namespace: query.namespace, days: daysOf(query), decisions: shown.map(recentDecision),
            next: found.length > decisionsMax ? shown.at(-1)?.decision.recommendationId ?? null : null
          }
        }),
        advice: yield* report("advice", ({ n }: AdviceResponse) => n, (window, query: ReportQuery) =>
          readAdvice(sources, window, { ...query, days: daysOf(query) })),
        retirement: yield* report(
          "retirement", ({ nCalls }: RetirementResponse) => nCalls,
          (window, query: RetirementQuery) =>
            readRetirement(sources, window, { ...query, days: daysOf(query) })
        ),
        untried: Effect.fn("Reports.untried")(function*(accountId, namespace) {
          const since = new Date((yield* Clock.currentTimeMillis) - untriedDays * dayMs)
          const window = { accountId, lane: laneOf(namespace), since }
          const newest = yield* aggregates.newest(window, decisionsMax)
          // Only decisions based on outcomes count, because without outcomes every model is untried.
          return untriedByKind(newest.filter(({ decision }) => decision.decisionBasis === "memory"))
        }),
        decision: Effect.fn("Reports.decision")(function*(accountId, recommendationId) {
          const found = yield* ledger.find(accountId, recommendationId)
          return { decision: found === null ? null : decisionReport(found.decision, found.outcomes) }
        })
      })
    })
  )
}
