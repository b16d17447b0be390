/**
 * The success and cost of "first one model, then another when it fails" on a foreign log, by the tasks that
 * it began with the first and by those of them that it sent to the second.
 */
import { normal975 } from "../../../../src/stats/Normal.ts"
import { interval95 } from "../../../../src/stats/Wilson.ts"
import type { Estimate } from "./LogEstimates.ts"

/** Least outcomes of a second model after a failure of the first, from which their plan is judged, count. */
export const planOutcomesMin = 30

/** An attempt whose result was labelled. */
interface LabelledAttempt {
  /** In [0, 1]. */
  readonly quality: number
  /** Whether the label is a failed verdict, upon which a plan goes on. */
  readonly hasFailed: boolean
  /** NaN unknown. */
  readonly costUsd: number
}

/** What a log says of one plan. Its estimates are null where the log cannot tell. */
export interface PlanFigures {
  /** Indices among the models. */
  readonly first: number
  readonly then: number
  /** Tasks that the log began with the first model, failures among them, and outcomes of the second then. */
  readonly begun: number
  readonly failed: number
  readonly outcomes: number
  /** Share of tasks that end well, in [0, 1], and mean cost of a task in US dollars. */
  readonly success: Estimate | null
  readonly costUsd: Estimate | null
}

/** Takes attempts one at a time. */
export interface LogPlans {
  readonly begin: (model: number, attempt: LabelledAttempt) => void
  /** The next attempt at a task whose first one failed. */
  readonly goOn: (first: number, then: number, attempt: LabelledAttempt) => void
  /** Plans that the log shows at least once, those that it shows most before others. */
  readonly finish: () => ReadonlyArray<PlanFigures>
}

/** Sums over attempts; those of cost are over the attempts whose cost is known. */
interface AttemptSums {
  n: number
  failed: number
  quality: number
  /** Quality of the attempts that did not fail: a plan ends with them. */
  kept: number
  costed: number
  costedFailed: number
  usd: number
  squares: number
  usdOfFailed: number
}

const noSums = (): AttemptSums => ({
  n: 0, failed: 0, quality: 0, kept: 0, costed: 0, costedFailed: 0, usd: 0, squares: 0, usdOfFailed: 0
})

const add = (sums: AttemptSums, { costUsd, hasFailed, quality }: LabelledAttempt): void => {
  sums.n += 1
  sums.quality += quality
  if (hasFailed) sums.failed += 1
  else sums.kept += quality
  if (Number.isNaN(costUsd)) return
  sums.costed += 1
  sums.usd += costUsd
  sums.squares += costUsd * costUsd
  if (!hasFailed) return
  sums.costedFailed += 1
  sums.usdOfFailed += costUsd
}

/**
 * The mean of kept + failed * s over the tasks begun, s being the second's mean quality after a failure. Its
 * interval joins those of both means.
 *
 * @see Zou and Donner, Construction of confidence limits about effect measures (2008)
 */
const successOf = (begun: AttemptSums, second: AttemptSums): Estimate => {
  const after = second.quality / second.n
  const failed = begun.failed / begun.n
  const value = Math.min(1, begun.kept / begun.n + failed * after)
  const [whole, own] = [interval95(value, begun.n), interval95(after, second.n)]
  return {
    value,
    low: Math.max(0, value - Math.hypot(value - whole.low, failed * (after - own.low))),
    high: Math.min(1, value + Math.hypot(whole.high - value, failed * (own.high - after)))
  }
}

/** The variance of a mean, from the sum of squares of n values. */
const varianceOf = (n: number, mean: number, squares: number): number =>
  Math.max(0, squares / n - mean * mean) / (n - 1)

/** The mean of cost + failed * c over the tasks begun, c being the second's mean cost after a failure. */
const costOf = (begun: AttemptSums, second: AttemptSums): Estimate | null => {
  if (begun.costed < planOutcomesMin || second.costed < planOutcomesMin) return null
  const after = second.usd / second.costed
  const failed = begun.failed / begun.n
  const spent = begun.squares + 2 * after * begun.usdOfFailed + after * after * begun.costedFailed
  const mean = (begun.usd + after * begun.costedFailed) / begun.costed
  const variance = varianceOf(begun.costed, mean, spent)
    + failed * failed * varianceOf(second.costed, after, second.squares)
  const value = begun.usd / begun.costed + failed * after
  const half = normal975 * Math.sqrt(variance)
  return { value, low: Math.max(0, value - half), high: value + half }
}

/** Judges all plans of two attempts. @param models their number */
export const makeLogPlans = (models: number): LogPlans => {
  const begun = Array.from({ length: models }, noSums)
  const second = Array.from({ length: models * models }, noSums)
  return {
    begin: (model, attempt) => add(begun[model]!, attempt),
    goOn: (first, then, attempt) => add(second[first * models + then]!, attempt),
    finish: () =>
      second.map((sums, i): PlanFigures => {
        const [first, then] = [Math.floor(i / models), i % models]
        const tasks = begun[first]!
        const isTold = sums.n >= planOutcomesMin
        return {
          first, then,
          begun: tasks.n,
          failed: tasks.failed,
          outcomes: sums.n,
          success: isTold ? successOf(tasks, sums) : null,
          costUsd: isTold ? costOf(tasks, sums) : null
        }
      }).filter(({ outcomes }) => outcomes > 0).toSorted((a, b) => b.outcomes - a.outcomes)
  }
}
