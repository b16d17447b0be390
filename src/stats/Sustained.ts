/** When a series of outcomes has left its own past for good. */
export interface SustainedRule {
  /** Excess under which a residual counts for nothing, k of the CUSUM; same unit as the outcomes. */
  readonly slack: number
  /** Accumulated excess that is no longer luck, h of the CUSUM. */
  readonly limit: number
  /** What is expected of a series before its first outcome, and how many outcomes that is worth. */
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

/** What a series has shown so far. */
export interface Watch {
  /** Sums of the outcomes since the last change. */
  readonly weight: number
  readonly success: number
  /** The stretches that run above and below expectation. */
  readonly above: Stretch
  readonly below: Stretch
  /** When the present began: the first outcome of the stretch that went too far. Null without a change. */
  readonly changedAtMs: number | null
}

const still: Stretch = { sinceMs: null, excess: 0, weight: 0, success: 0 }

export const unseen: Watch = { weight: 0, success: 0, above: still, below: still, changedAtMs: null }

/** An outcome of a series: `quality` in [0, 1], `weight` in [0, 1] by how far its label is to be believed. */
export interface WatchedOutcome {
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

/**
 * One more outcome, the newest: a two-sided CUSUM of its residual against what the series has been since its
 * last change. When a side passes the limit, the present begins where that side's stretch did.
 *
 * @see Page, Continuous Inspection Schemes (1954)
 */
export const watch = (self: Watch, outcome: WatchedOutcome, rule: SustainedRule): Watch => {
  const expected = (rule.startWeight * rule.startMean + self.success) / (rule.startWeight + self.weight)
  const residual = outcome.quality - expected
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
