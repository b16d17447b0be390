/**
 * Success, cost and saving of policies on a foreign log, with intervals that allow for unseen outcomes and
 * bills.
 */
import { clamp } from "../../../../src/stats/Clamp.ts"
import { student975 } from "../../../../src/stats/Student.ts"
import { interval95 } from "../../../../src/stats/Wilson.ts"
import { degreesMin, reachOf, type Replicated } from "./LogIntervals.ts"
import type { Drawn, Summed } from "./LogSummary.ts"

/** An estimate and its 95 % interval, low <= value <= high. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** The logarithm of a cost, on whose scale bills are less skewed. */
const logOf = (value: number, floor: number): number => Math.log(Math.max(value, floor))

export const successOf = ({ influence, replicates, value }: Replicated, summed: Summed): Estimate => {
  const { above, below } = reachOf(value, replicates, influence)
  // Never surer than a plain share of as many outcomes: a log without failures has not shown that none exist.
  const plain = interval95(clamp(value, 0, 1), summed.ofSuccess)
  return {
    value: clamp(value, 0, 1),
    low: Math.max(0, Math.min(value - below, plain.low) - summed.slack.success.below),
    high: Math.min(1, Math.max(value + above, plain.high) + summed.slack.success.above)
  }
}

export const costOf = (
  { influence, replicates, value }: Replicated,
  { slack, unseenBills }: Summed
): Estimate => {
  if (!(value > 0)) return { value: 0, low: 0, high: slack.costUsd.above }
  const floor = value / 1000
  const { above, below } = reachOf(
    Math.log(value),
    replicates.map((each) => logOf(each, floor)),
    influence
  )
  return {
    value,
    low: Math.max(0, value * Math.exp(-below * unseenBills) - slack.costUsd.below),
    high: value * Math.exp(above * unseenBills) + slack.costUsd.above
  }
}

/**
 * How far a difference may be off on these very rows, where what was logged is known and what was not is not.
 * Resampling shows how far it may be off on such rows, which is less where both policies vary alike.
 */
export const drawnReach = (
  of: ReadonlyArray<{ readonly drawn: Drawn; readonly perUnit: number }>
): number => {
  let [variance, degrees] = [0, Infinity]
  for (const { drawn, perUnit } of of) {
    variance += drawn.variance * perUnit ** 2
    if (drawn.variance > 0) degrees = Math.min(degrees, drawn.degrees)
  }
  return student975(Math.max(degreesMin, degrees)) * Math.sqrt(variance)
}

/** What the comparison of two costs rests on: the logarithm of their ratio. */
export interface CostRatio {
  readonly log: number
  readonly below: number
  readonly above: number
}

export const comparedOf = (
  [own, ownSummed]: readonly [Replicated, Summed],
  [base, baseSummed]: readonly [Replicated, Summed]
): CostRatio | null => {
  if (!(own.value > 0) || !(base.value > 0)) return null
  // The same picks cost the same, whatever they cost.
  if (ownSummed.differing === 0) return { log: 0, below: 0, above: 0 }
  const log = Math.log(own.value / base.value)
  const replicates = own.replicates.map((each, i) =>
    logOf(each, own.value / 1000) - logOf(base.replicates[i]!, base.value / 1000))
  const influence = own.influence.map((each, i) => each / own.value - base.influence[i]! / base.value)
  const { above, below } = reachOf(log, replicates, influence)
  const drawn = drawnReach([
    { drawn: ownSummed.drawn.costUsd, perUnit: 1 / own.value },
    { drawn: baseSummed.drawn.costUsd, perUnit: 1 / base.value }
  ])
  const unseen = Math.max(ownSummed.unseenBills, baseSummed.unseenBills)
  const up = (value: number, slack: number): number => Math.log1p(slack / value)
  const down = (value: number, slack: number): number => -logOf(1 - slack / value, 1e-3)
  const [mine, theirs] = [ownSummed.slack.costUsd, baseSummed.slack.costUsd]
  return {
    log,
    below: Math.max(below, drawn) * unseen + down(own.value, mine.below) + up(base.value, theirs.above),
    above: Math.max(above, drawn) * unseen + up(own.value, mine.above) + down(base.value, theirs.below)
  }
}

export const savingOf = ({ above, below, log }: CostRatio): Estimate =>
  ({ value: 0 - Math.expm1(log), low: 0 - Math.expm1(log + above), high: 0 - Math.expm1(log - below) })

/** Outcomes without a difference do not show that there is none: so many per outcome remain possible. */
export const unseen = 3

export const differenceOf = (
  [own, ownSummed]: readonly [Replicated, Summed],
  [base, baseSummed]: readonly [Replicated, Summed]
): Estimate => {
  const value = own.value - base.value
  const { above, below } = reachOf(
    value,
    own.replicates.map((each, i) => each - base.replicates[i]!),
    own.influence.map((each, i) => each - base.influence[i]!)
  )
  if (ownSummed.differing === 0) return { value: 0, low: 0, high: 0 }
  const least = Math.max(
    unseen / Math.min(ownSummed.ofSuccess, baseSummed.ofSuccess),
    drawnReach([
      { drawn: ownSummed.drawn.success, perUnit: 1 },
      { drawn: baseSummed.drawn.success, perUnit: 1 }
    ])
  )
  const [mine, theirs] = [ownSummed.slack.success, baseSummed.slack.success]
  return {
    value,
    low: Math.max(-1, value - Math.max(least, below) - mine.below - theirs.above),
    high: Math.min(1, value + Math.max(least, above) + mine.above + theirs.below)
  }
}
