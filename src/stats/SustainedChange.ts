/** Sustained changes of a series of outcomes (two-sided CUSUM with the time of the change). */

/** When a series of outcomes has changed for good. */
export interface SustainedRule {
  /** Excess under which a residual counts for nothing, k of the CUSUM; same unit as the outcomes. */
  readonly slack: number
  /** Accumulated excess beyond chance, h of the CUSUM. */
  readonly limit: number
  /** Expected outcome of a series before its first one, and the outcomes that the expectation is worth. */
  readonly startMean: number
  readonly startWeight: number
}

/** A stretch of outcomes: when it began, null while it is empty, and its sums. */
interface Stretch {
  readonly sinceMs: number | null
  readonly excess: number
  readonly weight: number
  readonly success: number
}

/** State of a series after its outcomes so far. */
export interface Watch {
  /** Sums of the outcomes since the last change. */
  readonly weight: number
  readonly success: number
  /** The stretches that run above and below expectation. */
  readonly above: Stretch
  readonly below: Stretch
  /**
   * Time of the last change: the first outcome of the stretch that passed the limit. Null without a change.
   */
  readonly changedAtMs: number | null
}

const still: Stretch = { sinceMs: null, excess: 0, weight: 0, success: 0 }

export const unseen: Watch = { weight: 0, success: 0, above: still, below: still, changedAtMs: null }

/** An outcome of a series: `quality` in [0, 1], `weight` in [0, 1] by the weight of its label. */
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

/** Mean expected of the next outcome, in [0, 1]: of the outcomes since the last change, and the start's. */
export const expectedOf = (self: Watch, rule: Pick<SustainedRule, "startMean" | "startWeight">): number =>
  (rule.startWeight * rule.startMean + self.success) / (rule.startWeight + self.weight)

/**
 * The state after one more outcome, the newest: a two-sided CUSUM of its residual against the mean since the
 * last change. When a side passes the limit, the series changed where that side's stretch began.
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
