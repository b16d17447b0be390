/** The present success of a model whose success rate may have changed once. */
import { logBeta } from "./IncompleteBeta.ts"
import type { Tally } from "./NeighbourMixture.ts"

export interface ChangeRule {
  /** Probability that a history of outcomes has any change, in [0, 1). */
  readonly prior: number
  /** Numbers of newest outcomes that a change may separate from older outcomes, ascending. */
  readonly splits: ReadonlyArray<number>
  /** Minimum number of outcomes that are older than a change. */
  readonly olderMin: number
}

/** The log marginal likelihood of graded successes under a uniform rate (Beta-binomial). */
const logEvidence = (weight: number, success: number): number => logBeta(success + 1, weight - success + 1)

/**
 * Estimates the weight and success of the outcomes since the success rate last changed. The estimate
 * averages, by posterior probability, the sums of all outcomes and of the newest k outcomes for each split k.
 *
 * @param weights weight of each outcome, newest first, >= 0
 * @param successes success of each outcome times its weight, in [0, weight]
 * @see Barry and Hartigan, A Bayesian Analysis for Change Point Problems (1993)
 */
export const presentEvidence = (
  weights: ArrayLike<number>,
  successes: ArrayLike<number>,
  count: number,
  rule: ChangeRule
): Tally => {
  let weight = 0
  let success = 0
  const recents: Array<Tally> = []
  for (let index = 0, split = 0; index < count; index++) {
    if (index === rule.splits[split]) {
      split++
      if (index + rule.olderMin <= count) recents.push({ weight, success })
    }
    weight += weights[index]!
    success += successes[index]!
  }
  if (recents.length === 0) return { weight, success }
  const unchanged = logEvidence(weight, success)
  const share = rule.prior / (1 - rule.prior) / rule.splits.length
  let [odds, present, succeeded] = [1, weight, success]
  for (const recent of recents) {
    // Rounding may leave the older outcomes' sums slightly below 0.
    const olderWeight = Math.max(0, weight - recent.weight)
    const olderSuccess = Math.max(0, Math.min(olderWeight, success - recent.success))
    const changed = share * Math.exp(
      logEvidence(recent.weight, recent.success) + logEvidence(olderWeight, olderSuccess) - unchanged
    )
    odds += changed
    present += changed * recent.weight
    succeeded += changed * recent.success
  }
  return { weight: present / odds, success: succeeded / odds }
}
