/* Recognises later attempts: a named task's further rows. Without a name, a row is later if the same user
   sent the same text and it failed at most a day before. */
import { outcomeByQuality } from "../../../src/domain/feedback/Feedback.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { LogRow } from "./Rehearsal.ts"

type Attempt = Pick<LogRow, "atMs" | "isTaskNamed" | "latencyMs" | "quality" | "task">

/** Returns a function that takes rows in the order of time, and is true for a later attempt at a task. */
export const makeAttempts = ({ qualityBand }: Pick<EngineSettings, "qualityBand">) => {
  /** End of the last attempt at each task that may have a later attempt, ms since 1970. */
  const endedMs = new Map<string, number>()
  return ({ atMs, isTaskNamed, latencyMs, quality, task }: Attempt): boolean => {
    if (task === null) return false
    const ended = endedMs.get(task) ?? Infinity
    const isRetry = atMs > ended && atMs <= ended + backtestSettings.retriedWithinMs
    const isLater = isRetry || (isTaskNamed && endedMs.has(task))
    const outcome = quality === null ? null : outcomeByQuality(quality, qualityBand)
    // After a success, the same text without a task's name is a new task.
    if (isTaskNamed || outcome === "failure" || (isLater && outcome !== "success")) {
      endedMs.set(task, atMs + (latencyMs ?? 0))
    } else if (isLater || outcome === "success") endedMs.delete(task)
    return isLater
  }
}
