/* A cache of reports. A report that takes longer to make is cached longer. */
import { Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { makeReadCache } from "../resilience/ReadCache.ts"
import { reportSettings } from "./ReportSettings.ts"
import { WriteCounts } from "./WriteCounts.ts"

const { cacheEntriesMax, cacheFactor, cacheMsMax, largeRows } = reportSettings

interface CachedReport<A> {
  readonly report: A
  readonly accountId: AccountId
  readonly changes: number
}

/**
 * A report is cached for 20 times the time that it took to make, and for at most 30 s. Callers that ask for a
 * report while it is made share it. A report on few decisions is not reused after a write of its account in
 * this process. A running report is cancelled with the scope, not with the caller that started it.
 * @param rowsOf returns the number of decisions that a report covers
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
