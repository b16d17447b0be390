/** Calibration drift: whether outcomes have moved away from their predictions (two-sided CUSUM). */

/** Slack k that a residual must exceed to count; smaller ones are part of the calibration error. */
export const driftSlack = 0.25

/**
 * Decision limits h, accumulated excess beyond chance, each with the newest outcomes whose mean residual
 * must agree, count: by chance alone a limit of 2 is passed now and then. With 20 beside it, one quiet series
 * in four was flagged at some moment of 200 outcomes; with 40 one in twenty is, and a shift by 0.4 is found
 * 10 outcomes later (25 instead of 15) but then stays flagged. A model that breaks is soon recommended no
 * more and never gets so many bad outcomes: twice the excess needs 10 of them.
 */
const driftRules = [{ limit: 2, recent: 40 }, { limit: 4, recent: 10 }] as const

/** The two running sums of a CUSUM, both >= 0. */
interface Cusum {
  readonly above: number
  readonly below: number
}

/** One step of a two-sided CUSUM. @see Page, Continuous Inspection Schemes (1954) */
export const step = (self: Cusum, residual: number): Cusum => ({
  above: Math.max(0, self.above + residual - driftSlack),
  below: Math.max(0, self.below - residual - driftSlack)
})

/**
 * Whether outcomes lie above or below their predictions now: by one of `driftRules` the sum of that side ends
 * above the limit, and the mean of the recent residuals is beyond `driftSlack` on the same side. Null for
 * neither; a drift that has ended is none.
 *
 * @param residuals realized minus predicted, each in [-1, 1], oldest first
 */
export const drift = (residuals: ReadonlyArray<number>): "above" | "below" | null => {
  const { above, below } = residuals.reduce<Cusum>(step, { above: 0, below: 0 })
  for (const { limit, recent } of driftRules) {
    const newest = residuals.slice(-recent)
    const mean = newest.reduce((sum, residual) => sum + residual, 0) / newest.length
    if (above > limit && mean > driftSlack) return "above"
    if (below > limit && mean < -driftSlack) return "below"
  }
  return null
}
