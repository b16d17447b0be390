/** Calibration drift: outcomes that have moved away from their predictions, by a two-sided CUSUM. */

/** Slack k: only the part of a residual beyond it counts. A smaller residual is calibration error. */
const driftSlack = 0.25

/**
 * Decision limits h of accumulated excess, each with a number of recent outcomes. The mean residual of these
 * must exceed the slack too, because chance alone passes a limit of 2 now and then.
 *
 * With 20 recent outcomes, one quiet series in four was flagged within 200 outcomes; with 40, one in twenty.
 * A shift by 0.4 is then found after 25 outcomes instead of 15, but stays flagged. A model that breaks is
 * soon avoided and gets few outcomes, so the higher limit needs only 10.
 */
const driftRules = [{ limit: 2, recent: 40 }, { limit: 4, recent: 10 }] as const

/**
 * The side on which outcomes have left their predictions; null for no drift, or a drift that has ended. By
 * one of `driftRules`, the sum of the side exceeds the limit and the mean of recent residuals exceeds the
 * slack.
 *
 * @param residuals outcome minus prediction, each in [-1, 1], oldest first
 * @see Page, Continuous Inspection Schemes (1954), for the two-sided CUSUM
 */
export const drift = (residuals: ReadonlyArray<number>): "above" | "below" | null => {
  let [above, below] = [0, 0]
  for (const residual of residuals) {
    above = Math.max(0, above + residual - driftSlack)
    below = Math.max(0, below - residual - driftSlack)
  }
  for (const { limit, recent } of driftRules) {
    const newest = residuals.slice(-recent)
    const mean = newest.reduce((sum, residual) => sum + residual, 0) / newest.length
    if (above > limit && mean > driftSlack) return "above"
    if (below > limit && mean < -driftSlack) return "below"
  }
  return null
}
