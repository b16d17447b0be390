/** Detects lasting changes in a series of outcomes by a two-sided CUSUM, which also dates the change. */

export interface SustainedRule {
  /** Slack k, which is subtracted from each residual, in the unit of the outcomes. */
  readonly slack: number
  /** Limit h of the accumulated excess, above which the series has changed. */
  readonly limit: number
  /** Expected outcome before the first outcome, and its weight in outcomes. */
  readonly startMean: number
  readonly startWeight: number
}

/** The newest outcomes whose accumulated excess above (or below) the expectation has stayed positive. */
interface Stretch {
  /** Time of the first outcome, ms since 1970; null while the stretch is empty. */
  readonly sinceMs: number | null
  readonly excess: number
  readonly weight: number
  readonly success: number
}

export interface Watch {
  /** Weight and successes of the outcomes since the last change. */
  readonly weight: number
  readonly success: number
  readonly above: Stretch
  readonly below: Stretch
  /** Time of the first outcome of the last change, ms since 1970; null if there was no change. */
  readonly changedAtMs: number | null
}

const still: Stretch = { sinceMs: null, excess: 0, weight: 0, success: 0 }

export const unseen: Watch = { weight: 0, success: 0, above: still, below: still, changedAtMs: null }

/** An outcome of a series: its quality and the weight of its label, both in [0, 1]. */
interface WatchedOutcome {
  readonly quality: number
  readonly weight: number
  readonly atMs: number
}

const extended = (
  stretch: Stretch,
  excess: number,
  { atMs, quality, weight }: WatchedOutcome
): Stretch => {
  const total = stretch.excess + weight * excess
  return total <= 0 ? still : {
    sinceMs: stretch.sinceMs ?? atMs,
    excess: total,
    weight: stretch.weight + weight,
    success: stretch.success + weight * quality
  }
}

/** Computes the expected next outcome, in [0, 1]: the mean since the last change and a prior. */
export const expectedOf = (self: Watch, rule: Pick<SustainedRule, "startMean" | "startWeight">): number =>
  (rule.startWeight * rule.startMean + self.success) / (rule.startWeight + self.weight)

/**
 * Returns the state after the next outcome. If one side's excess exceeds the limit, the series changed at the
 * start of that side's stretch.
 *
 * @see Page, Continuous Inspection Schemes (1954)
 */
export const watch = (self: Watch, outcome: WatchedOutcome, rule: SustainedRule): Watch => {
  const residual = outcome.quality - expectedOf(self, rule)
  const above = extended(self.above, residual - rule.slack, outcome)
  const below = extended(self.below, -residual - rule.slack, outcome)
  const gone = above.excess > rule.limit ? above : below.excess > rule.limit ? below : null
  if (gone !== null) {
    return { ...unseen, weight: gone.weight, success: gone.success, changedAtMs: gone.sinceMs }
  }
  return {
    weight: self.weight + outcome.weight,
    success: self.success + outcome.weight * outcome.quality,
    above,
    below,
    changedAtMs: self.changedAtMs
  }
}
