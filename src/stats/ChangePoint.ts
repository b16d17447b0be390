/** Present success of a model whose rate may have changed once. */
import { logBeta } from "./IncompleteBeta.ts"
import type { Tally } from "./NeighbourMixture.ts"

/** When a history may hold a change. */
export interface ChangeRule {
  /** Probability that a history of this length holds a change at all, in [0, 1). */
  readonly prior: number
  /** After how many of the newest outcomes it may lie, ascending. */
  readonly splits: ReadonlyArray<number>
  /** Outcomes that must be older than a change for it to be one. */
  readonly olderMin: number
}

/** Log marginal likelihood of graded successes under a uniform rate: Beta-binomial without its constant. */
const logEvidence = (weight: number, success: number): number => logBeta(success + 1, weight - success + 1)

/**
 * Evidence of the present rate when it may have changed once: the sums of the outcomes, averaged over "no
 * change" and "only the newest k count", each as probable as the outcomes make it. Without evidence of a
 * change this is nearly the plain sum; after eight failures that follow forty successes it is the eight.
 *
 * @param weights of each outcome, newest first, >= 0
 * @param successes beside them, each in [0, weight]
 * @param count of outcomes
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
    // Rounding may leave the rest slightly under 0.
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
