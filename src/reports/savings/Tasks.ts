/* The report on tasks: how many were finished, in how many attempts, and at what cost. */
import type { TaskReport } from "../../domain/reports/Report.ts"
import * as Rounding from "../../domain/Rounding.ts"
import { ratioOf } from "../../stats/RatioOfSums.ts"
import { interval95 } from "../../stats/Wilson.ts"
import type { TaskSums } from "./SavingsSums.ts"

export const taskReportOf = (sums: TaskSums | null): TaskReport | null => {
  if (sums === null) return null
  const { abandoned, finished } = sums
  const ended = finished + abandoned
  const { high, low } = interval95(ended === 0 ? 0 : finished / ended, ended)
  const whereEnded = (figure: number) => ended === 0 ? null : Rounding.figure(figure)
  const cost = ratioOf(sums.costed)
  return {
    n: sums.tasks,
    nFinished: finished,
    nFinishedAtFirst: sums.finishedAtFirst,
    nAbandoned: abandoned,
    nOpen: sums.tasks - ended,
    nUnknown: sums.unknown,
    finishedShare: whereEnded(finished / ended),
    finishedLow: whereEnded(low),
    finishedHigh: whereEnded(high),
    attemptsPerTask: whereEnded(sums.attempts / ended),
    nCosted: sums.costed.n,
    costPerFinishedUsd: cost === null ? null : Rounding.usd(cost.ratio),
    costLowUsd: cost === null ? null : Rounding.usd(cost.low),
    costHighUsd: cost === null || cost.high === Infinity ? null : Rounding.usd(cost.high)
  }
}
