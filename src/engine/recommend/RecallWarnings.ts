/** Stage: warns of a degraded or empty recall, and of a lane that has stopped learning. */
import { Clock, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../../domain/model/ModelIdentity.ts"
import { dayMs } from "../../domain/Time.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { Recalled } from "../../memory/Memory.ts"
import { ageDaysOf } from "../../memory/MemorySettings.ts"
import type { Neighbours } from "../../memory/Neighbours.ts"
import { type AskedTask, type RepeatCounts, RecentTasks } from "../../memory/RecentTasks.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { type EngineSettings, Settings } from "../Settings.ts"
import type { Candidate, Predicted } from "./candidates/Candidate.ts"

type RepeatQuery = Omit<AskedTask, "atMs" | "fingerprint" | "laneSize">

type RepeatRule = Pick<EngineSettings, "repeatSimilarityMin" | "repeatsMin" | "sameRecallsMax">

const repeatWarnings = (
  settings: RepeatRule,
  { alike, alikeSinceMs, sameRecalls }: RepeatCounts,
  { neighbours }: Recalled,
  nowMs: number
): ReadonlyArray<RecommendWarning> => {
  const isFollowedUp = (): boolean => {
    for (let row = 0; row < neighbours.length; row++) {
      const isAlike = neighbours.similarity(row) >= settings.repeatSimilarityMin
      if (isAlike && nowMs - neighbours.ageDays(row) * dayMs > alikeSinceMs) return true
    }
    return false
  }
  return [
    ...(alike >= settings.repeatsMin && !isFollowedUp() ? ["memory_drift:repeated" as const] : []),
    ...(sameRecalls > settings.sameRecallsMax ? ["memory_drift:stagnant" as const] : [])
  ]
}

/** Adds the request to the recent tasks of the lane, and returns warnings about repeated tasks. */
export const detectRepeats = Effect.fnUntraced(function*(
  query: RepeatQuery,
  recalled: Recalled
): Effect.fn.Return<ReadonlyArray<RecommendWarning>, never, RecentTasks | Settings> {
  const settings = yield* Settings
  const nowMs = yield* Clock.currentTimeMillis
  const counts = yield* (yield* RecentTasks).note({
    ...query,
    atMs: nowMs,
    fingerprint: recalled.neighbours.fingerprint,
    laneSize: recalled.laneSize
  }, { similarityMin: settings.repeatSimilarityMin, windowMs: settings.repeatWindowDays * dayMs })
  return repeatWarnings(settings, counts, recalled, nowMs)
}, stage("drift")) // The span keeps its earlier name, because dashboards use it.

/**
 * Counts candidates with neighbours from a time when their id named another model.
 *
 * @param askedAtMs a moment before the recall, ms since 1970
 */
const formerOutcomes = (
  restarts: ModelRestarts,
  candidates: ReadonlyArray<Candidate>,
  neighbours: Neighbours,
  askedAtMs: number
): ReadonlyArray<RecommendWarning> => {
  const changed = candidates.filter(({ card: { modelId } }) => {
    const atMs = restartOf(restarts, modelId)
    const { from, to } = atMs === 0 ? { from: 0, to: 0 } : neighbours.rowsOf(modelId)
    const ageDays = ageDaysOf(atMs, askedAtMs)
    for (let row = from; row < to; row++) {
      if (neighbours.currentShare(row) < 1 && neighbours.ageDays(row) > ageDays) return true
    }
    return false
  }).length
  return changed === 0 ? [] : [`models_changed:${changed}`]
}

interface RecallResult {
  readonly isRecalled: boolean
  readonly recalled: Recalled
  readonly predicted: ReadonlyArray<Predicted>
  readonly restarts: ModelRestarts
  /** A moment before the recall, ms since 1970. */
  readonly askedAtMs: number
}

/** Returns no warnings if the recall failed, because the failure has its own warning. */
export const recallWarnings = Effect.fnUntraced(function*(
  query: RepeatQuery,
  { askedAtMs, isRecalled, predicted, recalled, restarts }: RecallResult
): Effect.fn.Return<ReadonlyArray<RecommendWarning>, never, RecentTasks | Settings> {
  if (!isRecalled) return []
  const { neighbours } = recalled
  // An actor without outcomes gets no `cold_start` if other actors have outcomes of this task type.
  const isCold = neighbours.length === 0 && predicted.every(({ decisionBasis }) => decisionBasis === "prior")
  return [
    ...(recalled.embedderFailed === true ? ["embedder_failed" as const] : []),
    ...(isCold ? ["cold_start" as const] : []),
    ...formerOutcomes(restarts, predicted, neighbours, askedAtMs),
    ...yield* detectRepeats(query, recalled)
  ]
})
