/*
 * Recognises later attempts at a task: rows of a task's name that came before, and rows of one user and text
 * that soon follow a failed one and no success. A session is a conversation, and joins nothing.
 */
import { outcomeByQuality } from "../../../src/domain/feedback/Feedback.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { LogRow } from "./Rehearsal.ts"

type Attempt = Pick<LogRow, "atMs" | "isTaskNamed" | "latencyMs" | "quality" | "task">

/** Takes rows in the order of time, and says of each whether it is a later attempt. */
export const makeAttempts = ({ qualityBand }: Pick<EngineSettings, "qualityBand">) => {
  /** By task that may go on, when its last attempt had ended: an earlier row of its text ran beside it. */
  const endedMs = new Map<string, number>()
  return ({ atMs, isTaskNamed, latencyMs, quality, task }: Attempt): boolean => {
    if (task === null) return false
    const ended = endedMs.get(task) ?? Infinity
    const isRetry = atMs > ended && atMs <= ended + backtestSettings.retriedWithinMs
    const isLater = isRetry || (isTaskNamed && endedMs.has(task))
    const outcome = quality === null ? null : outcomeByQuality(quality, qualityBand)
    // A text that did not fail is asked anew.
    if (isTaskNamed || outcome === "failure" || (isLater && outcome !== "success")) {
      endedMs.set(task, atMs + (latencyMs ?? 0))
    } else if (isLater || outcome === "success") endedMs.delete(task)
    return isLater
  }
}
