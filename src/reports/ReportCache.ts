/* A cache of reports, bounded by what each of them cost. */
import { Deferred, Effect, Exit } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { reportSettings } from "./ReportSettings.ts"
import { WriteCounts } from "./WriteCounts.ts"

const { cacheEntriesMax, cacheFactor, cacheMsMax, largeRows } = reportSettings

/** A report that is being made, or that may be answered again. */
interface CachedReport<A, E> {
  readonly made: Deferred.Deferred<A, E>
  readonly startMs: number
  /** How many writes of its account it has certainly seen. */
  readonly changes: number
  /** How long it took, ms; null while it is being made. */
  costMs: number | null
  /** Whether it is over many decisions; while it is being made, the value of the report before it. */
  isLarge: boolean
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
  const scope = yield* Effect.scope
  const entries = new Map<string, CachedReport<A, E>>()

  const isFresh = (entry: CachedReport<A, E>, accountId: AccountId, nowMs: number): boolean => {
    const { costMs, startMs } = entry
    const keptMs = costMs === null ? Infinity : Math.min(cacheMsMax, cacheFactor * costMs)
    if (nowMs - startMs - (costMs ?? 0) >= keptMs) return false
    return entry.isLarge || entry.changes === changes.of(accountId)
  }

  const begin = Effect.fnUntraced(function*(accountId: AccountId, key: string, make: Effect.Effect<A, E>) {
    const startMs = yield* monotonicMs
    const entry: CachedReport<A, E> = {
      made: Deferred.makeUnsafe(),
      startMs,
      changes: changes.of(accountId),
      costMs: null,
      isLarge: entries.get(key)?.isLarge ?? false
    }
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= cacheEntriesMax) break
      entries.delete(oldest)
    }
    yield* Effect.exit(make).pipe(
      Effect.tap((exit) => Effect.map(monotonicMs, (nowMs) => {
        entry.costMs = nowMs - startMs
        if (Exit.isSuccess(exit)) entry.isLarge = rowsOf(exit.value) >= largeRows
        else if (entries.get(key) === entry) entries.delete(key)
      })),
      Effect.flatMap((exit) => Deferred.done(entry.made, exit)),
      Effect.interruptible,
      Effect.forkIn(scope)
    )
    return entry
    // Uninterruptible up to here: an entry left without a running report would make later callers wait for
    // ever.
  }, Effect.uninterruptible)

  return (accountId: AccountId, key: string, make: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.gen(function*() {
      const kept = entries.get(key)
      const isKept = kept !== undefined && isFresh(kept, accountId, yield* monotonicMs)
      const entry = isKept ? kept : yield* begin(accountId, key, make)
      return yield* Deferred.await(entry.made)
    })
})
