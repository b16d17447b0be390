/* A cache of reports, bounded by what each of them cost. */
import { Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { makeReadCache } from "../resilience/ReadCache.ts"
import { reportSettings } from "./ReportSettings.ts"
import { WriteCounts } from "./WriteCounts.ts"

const { cacheEntriesMax, cacheFactor, cacheMsMax, largeRows } = reportSettings

interface CachedReport<A> {
  readonly report: A
  readonly accountId: AccountId
  /** How many writes of its account it has certainly seen. */
  readonly changes: number
}

/**
 * Keeps reports of one kind for 20 times what they cost and at most 30 s. Callers that come while a report is
 * being made share it. A report over few decisions is made again after every write of its account in this
 * process. Failures are not kept. A running report ends with the scope, not with the caller that started it.
 *
 * @param rowsOf how many decisions a report is over
 */
export const makeReportCache = Effect.fnUntraced(function*<A, E>(rowsOf: (report: A) => number) {
  const changes = yield* WriteCounts
  const reports = yield* makeReadCache<CachedReport<A>, E>({
    capacity: cacheEntriesMax,
    freshMs: (tookMs) => Math.min(cacheMsMax, cacheFactor * tookMs),
    holds: ({ accountId, changes: seen, report }) =>
      seen === changes.of(accountId) || rowsOf(report) >= largeRows,
    staleMs: 0,
    pauseMs: 0,
    isLoad: false
  })
  return (accountId: AccountId, key: string, make: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.map(
      reports.read(key, () => {
        const seen = changes.of(accountId)
        return Effect.map(make, (report) => ({ report, accountId, changes: seen }))
      }),
      ({ report }) => report
    )
})
