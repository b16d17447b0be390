import { logBeta } from "./IncompleteBeta.ts"
import type { Tally } from "./Mixture.ts"

export interface ChangeRule {
  /** Probability that a history of this length holds a change at all, in [0, 1). */
  readonly prior: number
  /** After how many of the newest outcomes it may lie, ascending. */
  readonly splits: ReadonlyArray<number>
  /** Outcomes that must be older than a change for it to be one. */
  readonly olderMin: number
}

/** Log marginal likelihood of graded successes under a uniform rate: Beta-binomial without its constant. */
const logEvidence = ({ success, weight }: Tally): number => logBeta(success + 1, weight - success + 1)

const sumOf = (outcomes: ReadonlyArray<Tally>): Tally =>
  outcomes.reduce(
    (sum, { success, weight }) => ({ weight: sum.weight + weight, success: sum.success + success }),
    { weight: 0, success: 0 }
  )

/**
 * What outcomes say of the present when their rate may have changed once: their sums, averaged over "no
 * change" and "only the newest k count", each as probable as the outcomes make it. Without a sign of a change
 * this is nearly the plain sum; after eight failures that follow forty successes it is the eight.
 *
 * @param newestFirst each outcome's weight, >= 0, and success, in [0, weight]
 * @see Barry and Hartigan, A Bayesian Analysis for Change Point Problems (1993)
 */
export const presentEvidence = (newestFirst: ReadonlyArray<Tally>, rule: ChangeRule): Tally => {
  const all = sumOf(newestFirst)
  const splits = rule.splits.filter((split) => split + rule.olderMin <= newestFirst.length)
  if (splits.length === 0) return all
  const unchanged = logEvidence(all)
  const share = rule.prior / (1 - rule.prior) / rule.splits.length
  let total = 1
  let { success, weight } = all
  for (const split of splits) {
    const recent = sumOf(newestFirst.slice(0, split))
    // Rounding may leave the rest a hair under nothing.
    const older = {
      weight: Math.max(0, all.weight - recent.weight),
      success: Math.max(0, Math.min(all.weight - recent.weight, all.success - recent.success))
    }
    const odds = share * Math.exp(logEvidence(recent) + logEvidence(older) - unchanged)
    total += odds
    weight += odds * recent.weight
    success += odds * recent.success
  }
  return { weight: weight / total, success: success / total }
}
