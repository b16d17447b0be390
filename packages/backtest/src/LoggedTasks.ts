/*
 * Joins the rows of a log into tasks. Rows of one task's name are attempts at it, and so are rows of one user
 * and text that soon follow a failed one and no success. A session is a conversation, and joins nothing.
 */
import { outcomeByQuality } from "../../../src/domain/Feedback.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import type { RatioSums } from "../../../src/stats/RatioOfSums.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { LogRow } from "./LogRow.ts"
import type { JudgedAttempt } from "./RehearsedOutcome.ts"
import { makeLogPlans, type PlanFigures } from "./stats/LogPlans.ts"

/** What the log's tasks came to. Tasks of which no attempt was labelled count nowhere. */
export interface TaskFigures {
  readonly tasks: number
  /** Those with more than one attempt. */
  readonly retried: number
  readonly attempts: number
  readonly finished: number
  /** Cost by finished task, over the tasks whose every attempt's cost is known. */
  readonly costed: RatioSums
  readonly plans: ReadonlyArray<PlanFigures>
}

/** What ran: the model's id, its index among the candidates, and its cost; NaN unknown. */
interface Ran {
  readonly modelId: string
  /** The number of candidates for a model that is none. */
  readonly arm: number
  readonly costUsd: number
}

/** Takes rows in the order of time. */
export interface LoggedTasks {
  /** Adds a row; yields the judged attempts at its task before it, and null for a first attempt. */
  readonly take: (row: LogRow, ran: Ran) => ReadonlyArray<JudgedAttempt> | null
  /** Ends all tasks. */
  readonly finish: () => TaskFigures
}

/** A task that may go on. */
interface Task {
  attempts: number
  judged: Array<JudgedAttempt>
  usd: number
  isLabelled: boolean
  isFinished: boolean
  /** The model of its first attempt while that is the only one and failed; null otherwise. */
  failedFirst: number | null
  /** When its last attempt had ended, ms since 1970: an earlier row of its text ran beside it. */
  endedMs: number
}

const noTask = (): Task => ({
  attempts: 0, judged: [], usd: 0, isLabelled: false, isFinished: false, failedFirst: null, endedMs: -Infinity
})

/** Sums over ended tasks. */
const makeTaskSums = () => {
  const sums = { tasks: 0, retried: 0, attempts: 0, finished: 0 }
  const costed = { n: 0, denominator: 0, numerator: 0, squares: 0, both: 0 }
  return {
    sums, costed,
    end: ({ attempts, isFinished, isLabelled, usd }: Task): void => {
      if (!isLabelled) return
      sums.tasks += 1
      sums.attempts += attempts
      if (attempts > 1) sums.retried += 1
      if (isFinished) sums.finished += 1
      if (Number.isNaN(usd)) return
      costed.n += 1
      costed.numerator += usd
      costed.squares += usd * usd
      if (!isFinished) return
      costed.denominator += 1
      costed.both += usd
    }
  }
}

/** Whether a row of a failed task's text tries it again: it began after the failure, and soon. */
const isRetry = ({ endedMs }: Task, atMs: number): boolean =>
  atMs > endedMs && atMs <= endedMs + backtestSettings.retriedWithinMs

/** @param candidates their number */
export const makeLoggedTasks = (
  settings: Pick<EngineSettings, "qualityBand">,
  candidates: number
): LoggedTasks => {
  // In the order in which they went on last.
  const open = new Map<number, Task>()
  const { costed, end, sums } = makeTaskSums()
  const plans = makeLogPlans(candidates)

  const forget = (key: number): void => {
    const task = open.get(key)
    if (task === undefined) return
    open.delete(key)
    end(task)
  }

  const plan = ({ attempts, failedFirst }: Task, row: LogRow, { arm, costUsd }: Ran, hasFailed: boolean) => {
    if (arm >= candidates) return
    const attempt = { quality: row.quality, hasFailed, costUsd }
    if (attempts === 0) plans.begin(arm, attempt)
    else if (failedFirst !== null) plans.goOn(failedFirst, arm, attempt)
  }

  /** Adds an attempt to its task; yields what its label says, null without one. */
  const attempt = (task: Task, row: LogRow, ran: Ran) => {
    const outcome = row.provenance === "none" ? null : outcomeByQuality(row.quality, settings.qualityBand)
    const hasFailed = outcome === "failure"
    if (outcome !== null) {
      plan(task, row, ran, hasFailed)
      task.isLabelled = true
    }
    if (outcome === "success") task.isFinished = true
    task.failedFirst = task.attempts === 0 && hasFailed && ran.arm < candidates ? ran.arm : null
    task.attempts += 1
    task.usd += ran.costUsd
    task.endedMs = row.atMs + Math.max(0, row.latencyMs || 0)
    if (outcome !== null && outcome !== "partial" && task.judged.length < backtestSettings.taskVerdictsMax) {
      task.judged.push({ modelId: ran.modelId, passed: !hasFailed, provenance: row.provenance })
    }
    return outcome
  }

  /** Whether later rows may be attempts at the task. A text that did not fail is asked anew. */
  const mayGoOn = (isTaskNamed: boolean, outcome: ReturnType<typeof attempt>, isLater: boolean): boolean =>
    isTaskNamed || outcome === "failure" || (isLater && outcome !== "success")

  return {
    take: (row, ran) => {
      const { atMs, isTaskNamed, task: key } = row
      const known = key === 0 ? undefined : open.get(key)
      const isLater = known !== undefined && (isTaskNamed || isRetry(known, atMs))
      const task = isLater ? known : noTask()
      const before = isLater ? [...task.judged] : null
      const outcome = attempt(task, row, ran)
      if (key !== 0 && mayGoOn(isTaskNamed, outcome, isLater)) {
        if (isLater) open.delete(key)
        else forget(key)
        open.set(key, task)
        if (open.size > backtestSettings.openTasksMax) forget(open.keys().next().value ?? key)
        return before
      }
      if (isLater) open.delete(key)
      else if (outcome === "success") forget(key)
      end(task)
      return before
    },
    finish: () => {
      for (const task of open.values()) end(task)
      open.clear()
      return { ...sums, costed, plans: plans.finish() }
    }
  }
}
