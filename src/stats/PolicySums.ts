/** The sums over a log from which the estimates of policies are computed. */
import type { Evidence, Spread } from "./LogEvidence.ts"
import { isFollowed, type OutcomeLog } from "./OutcomeLog.ts"
import type { PolicyRule } from "./PolicyRules.ts"

/*
 * The columns of the sums, kept for each block of rows so that resampling never reads a row again. A row is
 * supported if the logged policy could have picked the policy's pick there.
 */

export const column = {
  rows: 0,
  /** Sum of the expected outcomes of the policy's picks: successes, or bills in US dollars. */
  direct: 1,
  /** Sum over rows of the supported share of the policy's picks, in [0, 1] for each row. */
  support: 2,
  /** Sums of weights and of squared weights, over rows whose pick by the policy was recommended and ran. */
  weight: 3,
  squares: 4,
  /** Sums of weight * (outcome - expected outcome) and of weight * outcome, over the rows of `weight`. */
  residual: 5,
  outcome: 6,
  /** Sums of the standard deviations of expected outcomes, over supported and over unsupported picks. */
  unsureSupported: 7,
  unsureElse: 8,
  /** Sum of the squares of weight times (outcome - expected), and the expected value of that sum. */
  residualSquares: 9,
  expectedSquares: 10,
  /** Number of rows on which the policy's pick ran, and cost of the policy's picks in US dollars. */
  matched: 11,
  costUsd: 12,
  /** Variance of the sum of residuals that comes from the random draw of picks. */
  drawn: 13
} as const
export const columns = 14

export interface PolicySums {
  readonly blocks: number
  readonly spread: Spread
  /** The sum of a column in a block is at index `block * columns + column`. */
  readonly sums: Float64Array
}

const empty = ({ log: { blocks }, spread }: Evidence): PolicySums =>
  ({ blocks, spread, sums: new Float64Array(columns * blocks) })

/** The function takes plain numbers, because it runs millions of times. */
const addExpected = (
  sums: Float64Array,
  base: number,
  direct: number,
  unsure: number,
  support: number,
  expectedSquares: number
): void => {
  sums[base]! += 1
  sums[base + column.direct]! += direct
  sums[base + column.support]! += support
  sums[base + column.unsureSupported]! += unsure * support
  sums[base + column.unsureElse]! += unsure * (1 - support)
  sums[base + column.expectedSquares]! += expectedSquares
}

const addOutcome = (
  sums: Float64Array,
  base: number,
  weight: number,
  outcome: number,
  expected: number
): void => {
  const residual = weight * (outcome - expected)
  sums[base + column.weight]! += weight
  sums[base + column.squares]! += weight * weight
  sums[base + column.residual]! += residual
  sums[base + column.residualSquares]! += residual * residual
  sums[base + column.drawn]! += weight * Math.max(0, weight - 1) * (outcome - expected) ** 2
  sums[base + column.outcome]! += weight * outcome
}

const addPick = (sums: Float64Array, evidence: Evidence, row: number, pick: number): void => {
  const { chance: chances, costUsd, log, mean, spread, unsure } = evidence
  const base = log.block[row]! * columns
  const direct = mean[pick]!
  const chance = chances[pick]!
  const isSupported = chance > 0
  const squares = isSupported ? spread.varianceOf(direct) / chance : 0
  addExpected(sums, base, direct, unsure[pick]!, isSupported ? 1 : 0, squares)
  sums[base + column.costUsd]! += costUsd[pick]!
  if (pick === log.ran[row]) sums[base + column.matched]! += 1
  if (pick === log.recommended[row] && isFollowed(log, row)) {
    addOutcome(sums, base, 1 / chance, log.success[row]!, direct)
  }
}

/**
 * Computes the sums of policies with one pick for each row, in one pass. A pick is supported if the log
 * recommended it, or could have drawn it at random. A matched outcome has the weight 1 / chance, where the
 * chance covers the random draw and callers who do not follow advice. An outcome of a model that the caller
 * chose has no weight.
 */
export const ofRules = (evidence: Evidence, rules: ReadonlyArray<PolicyRule>): ReadonlyArray<PolicySums> => {
  const { log } = evidence
  const all = rules.map(() => empty(evidence))
  for (let row = 0; row < log.rows; row++) {
    for (let index = 0; index < rules.length; index++) {
      const pick = rules[index]!(log, row)
      if (pick >= 0) addPick(all[index]!.sums, evidence, row, pick)
    }
  }
  return all
}

/**
 * Computes the sums of the deployed policy, for which every row is supported. Advice that was not followed
 * counts with the expected cost of its model.
 *
 * @param isOf tells whether a row is judged; by default all rows are judged
 */
export const ofDeployed = (
  evidence: Evidence,
  isOf: (row: number) => boolean = () => true
): PolicySums => {
  const { chance, costUsd, log, mean, spread, unsure } = evidence
  const self = empty(evidence)
  for (let row = 0; row < log.rows; row++) {
    const pick = log.recommended[row]!
    if (pick < 0 || !isOf(row)) continue
    const base = log.block[row]! * columns
    const direct = mean[pick]!
    const weight = log.propensity[row]! / chance[pick]!
    addExpected(self.sums, base, direct, unsure[pick]!, 1, spread.varianceOf(direct) * weight)
    self.sums[base + column.costUsd]! += costUsd[pick]!
    if (!isFollowed(log, row)) continue
    addOutcome(self.sums, base, weight, log.success[row]!, direct)
    self.sums[base + column.matched]! += 1
  }
  return self
}

const dealOf = (log: OutcomeLog): Float64Array => {
  const counts = new Float64Array(log.models)
  for (let row = 0; row < log.rows; row++) {
    const pick = log.recommended[row]!
    if (pick >= 0) counts[log.model[pick]!]! += 1
  }
  return counts
}

/** The expected sums if each row's model were drawn from its candidates, as often as each is recommended. */
export const ofDeal = (evidence: Evidence): PolicySums => {
  const { log, mean, spread } = evidence
  const self = empty(evidence)
  const counts = dealOf(log)
  for (let row = 0; row < log.rows; row++) {
    const pick = log.recommended[row]!
    if (pick < 0) continue
    let [total, direct, unsure, supported, squares] = [0, 0, 0, 0, 0]
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      const count = counts[log.model[at]!]!
      const value = mean[at]!
      total += count
      direct += count * value
      unsure += count * evidence.unsure[at]!
      const chance = evidence.chance[at]!
      if (chance === 0) continue
      supported += count
      squares += count * count * spread.varianceOf(value) / chance
    }
    const base = log.block[row]! * columns
    addExpected(self.sums, base, direct / total, unsure / total, supported / total, squares / total ** 2)
    if (isFollowed(log, row)) {
      const share = counts[log.model[pick]!]! / total
      addOutcome(self.sums, base, share / evidence.chance[pick]!, log.success[row]!, mean[pick]!)
    }
  }
  return self
}
