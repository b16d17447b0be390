import { Clock, Effect } from "effect"
import { dayMs } from "../../domain/Time.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { Recalled } from "../../memory/Memory.ts"
import { type AskedTask, type RepeatCounts, RecentTasks } from "../../memory/RecentTasks.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"

/** What of this recommendation shows whether its lane still learns. */
export type RepeatQuery = Omit<AskedTask, "atMs" | "entryIds" | "laneSize">

/**
 * Signs that memory has stopped moving (design section 5): tasks that repeat while no outcome of one of them
 * arrives, and recommendations that recall the same entries while the lane gets nothing new.
 */
export const repeatWarnings = (
  settings: typeof defaults,
  { alike, alikeSinceMs, sameRecalls }: RepeatCounts,
  { neighbours }: Recalled,
  nowMs: number
): ReadonlyArray<RecommendWarning> => {
  const isFollowedUp = () => neighbours.some(({ ageDays, similarity }) =>
    similarity >= settings.driftSimilarityMin && nowMs - ageDays * dayMs > alikeSinceMs)
  return [
    ...(alike >= settings.driftRepeats && !isFollowedUp() ? ["memory_drift:repeated" as const] : []),
    ...(sameRecalls > settings.driftRecalls ? ["memory_drift:stagnant" as const] : [])
  ]
}

/** Notes what was asked and recalled; yields the warnings that its repetition deserves. */
export const detectRepeats = Effect.fnUntraced(function*(
  asked: RepeatQuery,
  recalled: Recalled
): Effect.fn.Return<ReadonlyArray<RecommendWarning>, never, RecentTasks | Settings> {
  const settings = yield* Settings
  const nowMs = yield* Clock.currentTimeMillis
  const precedent = yield* (yield* RecentTasks).note({
    ...asked,
    atMs: nowMs,
    entryIds: recalled.neighbours.map(({ entryId }) => entryId),
    laneSize: recalled.laneSize
  }, { similarityMin: settings.driftSimilarityMin, windowMs: settings.driftDays * dayMs })
  return repeatWarnings(settings, precedent, recalled, nowMs)
}, stage("drift"))
