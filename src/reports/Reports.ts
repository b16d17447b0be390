/* The reports of an account, cached. */
import { Clock, Context, Effect, Layer } from "effect"
import type { AdviceResponse } from "../domain/reports/Advice.ts"
import type { CallOutcome, CallsResponse, DashboardResponse } from "../domain/reports/Dashboard.ts"
import type { DecisionResponse } from "../domain/reports/DecisionReport.ts"
import type { PolicyValueResponse } from "../domain/reports/PolicyValue.ts"
import { parse, type RecommendationId } from "../domain/RecommendationId.ts"
import type { CalibrationResponse, GroupBy, SavingsResponse } from "../domain/reports/Report.ts"
import type { RetirementResponse } from "../domain/reports/Retirement.ts"
import { namespaceOf } from "../domain/LaneName.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { variantIdOf, readVariant } from "../domain/model/ModelVariant.ts"
import { dayMs } from "../domain/Time.ts"
import { rangeOf } from "../domain/Units.ts"
import type { UntriedInKind } from "../domain/UntriedCheaper.ts"
import { Ledger, type LedgerUnavailable } from "../ledger/Ledger.ts"
import { readAdvice, readRetirement, type UnknownModel } from "./advice/AdviceReport.ts"
import { Aggregates } from "./Aggregates.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"
import { calibrationOf } from "./Calibration.ts"
import { decisionReport } from "./DecisionReport.ts"
import { columnsOf } from "./OutcomeColumns.ts"
import { decisionsMax, overviewOf } from "./Overview.ts"
import { recentDecision } from "./RecentDecision.ts"
import { ObservedCalls } from "./ObservedCalls.ts"
import { Predictor } from "./Predictor.ts"
import { makePolicyThread } from "./PolicyThread.ts"
import { makeReportCache } from "./ReportCache.ts"
import { reportSettings } from "./ReportSettings.ts"
import type { QualityEstimate } from "./PolicyWorth.ts"
import { comparisonOf, savingsOf } from "./Savings.ts"
import { taskReportOf } from "./Tasks.ts"
import { untriedByKind } from "./advice/Untried.ts"

/** The rows of a report: a null `namespace` is every lane of the account; `days` is in (0, 365]. */
interface ReportQuery {
  readonly accountId: AccountId
  readonly namespace: string | null
  readonly days: number
  /** Calendar dates instead of the days, such as `2026-11-01/2026-11-14`; see `ReportDates`. */
  readonly dates?: string
  /** Of the decisions, those that recommended this model, as a request names it, with this tag or user. */
  readonly model?: string
  readonly tag?: string
  readonly userId?: string
}

/** A null `groupBy` yields no groups. */
interface SavingsQuery extends ReportQuery {
  readonly groupBy?: GroupBy | null
}

/** Narrows the decisions that are listed. */
interface CallsQuery extends ReportQuery {
  readonly outcome?: CallOutcome
  readonly before?: string
}

/** A model, by any of its names. */
interface RetirementQuery extends Omit<ReportQuery, "model"> {
  readonly modelId: string
}

/** Age of the decisions that say what to try, days: the window of a report by default. */
const untriedDays = 30

const judgedRows = ({ report }: PolicyValueResponse): number => report.nTotalReconciled
const rowsIn = ({ health }: Pick<SavingsResponse, "health">): number => health.recommendations
/** Also those that count on no day, because they are read. */
const recommendedRows = ({ clusterModels }: DashboardResponse): number =>
  clusterModels.reduce((rows, { nRecommended }) => rows + nRecommended, 0)

/** The window of a query that is asked at `nowMs`. */
const windowAt = (nowMs: number, query: ReportQuery): LedgerWindow => {
  const { accountId, dates, days, model, namespace, tag, userId } = query
  const variant = model === undefined ? null : readVariant(model)
  return {
    accountId,
    lane: namespace === null ? null : laneOf(namespace),
    ...(dates === undefined ? { since: new Date(nowMs - days * dayMs) } : rangeOf(dates)),
    ...(model === undefined ? {} : { modelId: variant === null ? model : variantIdOf(variant) }),
    ...(tag === undefined ? {} : { tag }),
    ...(userId === undefined ? {} : { userId })
  }
}

/** How many days an answer covers. */
const daysOf = ({ dates, days }: ReportQuery): number => {
  if (dates === undefined) return days
  const { since, until } = rangeOf(dates)
  return (until.getTime() - since.getTime()) / dayMs
}

/** A query without what it is grouped by. */
const plainOf = ({ groupBy: _, ...query }: SavingsQuery): ReportQuery => query

/** The query of one group alone; null where its key names none, or beside another tag. */
const partOf = (query: SavingsQuery, key: string): SavingsQuery | null => {
  const { groupBy, tag = key } = query
  if (key === "") return null
  if (groupBy === "lane") return { ...query, namespace: namespaceOf(key) }
  if (groupBy === "user_id") return { ...query, userId: key }
  return groupBy === "tag" && tag === key ? { ...query, tag } : null
}

/** The groups with the largest bills. */
const dearest = (groups: SavingsResponse["groups"]): ReadonlySet<string> =>
  new Set(groups.toSorted((one, other) =>
    other.summary.realized.realizedCostUsd - one.summary.realized.realizedCostUsd
  ).slice(0, reportSettings.comparedGroupsMax).map(({ key }) => key))

/** The report on policies, and the quality beside a saving, which are judged together. */
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

/**
 * Reports from the ledger; those of a large account may be some seconds old. A report fails only when the
 * ledger cannot be read.
 */
export class Reports extends Context.Service<Reports, {
  readonly savings: (query: SavingsQuery) => Effect.Effect<SavingsResponse, LedgerUnavailable>
  readonly calibration: (query: ReportQuery) => Effect.Effect<CalibrationResponse, LedgerUnavailable>
  readonly policyValue: (query: ReportQuery) => Effect.Effect<PolicyValueResponse, LedgerUnavailable>
  readonly dashboard: (query: ReportQuery) => Effect.Effect<DashboardResponse, LedgerUnavailable>
  /** Decisions as they are now, newest first. */
  readonly calls: (query: CallsQuery) => Effect.Effect<CallsResponse, LedgerUnavailable>
  /** What to change, and how sure that is. */
  readonly advice: (query: ReportQuery) => Effect.Effect<AdviceResponse, LedgerUnavailable>
  /** Where a model is used, and what may replace it. */
  readonly retirement: (
    query: RetirementQuery
  ) => Effect.Effect<RetirementResponse, LedgerUnavailable | UnknownModel>
  /** What to try in a namespace, by a month's newest decisions on outcomes; null is `sextant:default`. */
  readonly untried: (
    accountId: AccountId,
    namespace: string | null
  ) => Effect.Effect<ReadonlyArray<UntriedInKind>, LedgerUnavailable>
  /** One decision and what was reported of it, as they are now; an id of another account has none. */
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

      /** A cached report of one name, made by `make` from the query's window. */
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
      /** The advice against the baseline in the window of a query; null while outcomes cannot be read. */
      const qualityIn = (query: SavingsQuery) =>
        judged(plainOf(query)).pipe(
          Effect.map(({ quality }) => quality),
          Effect.catch((failure) =>
            Effect.as(Effect.logWarning("Savings are reported without their quality", failure), null))
        )

      return Reports.of({
        savings: yield* report("savings", rowsIn, (window, query: SavingsQuery) => {
          const { groupBy = null, namespace } = query
          const days = daysOf(query)
          return Effect.gen(function*() {
            const [figures, quality] = yield* Effect.all(
              [aggregates.savings(window, groupBy), qualityIn(query)], { concurrency: 2 }
            )
            const found = savingsOf(figures, groupBy)
            const compared = dearest(found.groups)
            const groups = yield* Effect.forEach(found.groups, (group) => {
              const part = compared.has(group.key) ? partOf(query, group.key) : null
              return part === null ? Effect.succeed(group) : Effect.map(qualityIn(part), (own) =>
                ({ ...group, comparison: comparisonOf(own, group.summary) }))
            }, { concurrency: 2 })
            const comparison = comparisonOf(quality, found.summary)
            const answer: SavingsResponse = {
              namespace, days, groupBy, ...found, groups, comparison, tasks: taskReportOf(figures.tasks)
            }
            return answer
          })
        }),
        calibration: yield* report("calibration", rowsIn, (window, query: ReportQuery) =>
          Effect.map(aggregates.trials(window), (trials): CalibrationResponse =>
            ({ namespace: query.namespace, days: daysOf(query), ...calibrationOf(trials) }))),
        policyValue: (query) => Effect.map(judged(plainOf(query)), ({ answer }) => answer),
        dashboard: yield* report("dashboard", recommendedRows, (window, query: ReportQuery) =>
          Effect.map(aggregates.overview(window, decisionsMax), (sums): DashboardResponse => {
            const days = daysOf(query)
            return { namespace: query.namespace, days, ...overviewOf(sums, { since: window.since, days }) }
          })),
        calls: Effect.fn("Reports.calls")(function*(query) {
          const { before, outcome } = query
          const window = windowAt(yield* Clock.currentTimeMillis, query)
          const last = before === undefined ? null : parse(before)
          // One more than is shown says whether there are others.
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
          // Where nothing was learned yet, everything is untried.
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
