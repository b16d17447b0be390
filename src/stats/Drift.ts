/** Detects calibration drift (outcomes that have moved away from their predictions) by a two-sided CUSUM. */

/** Slack k, which is subtracted from each residual, because smaller residuals are calibration error. */
const driftSlack = 0.25

/**
 * A rule finds drift if the accumulated excess is above `limit`, and the mean residual of the `recent` newest
 * outcomes is above the slack. The limit of 4 needs only 10 recent outcomes, because a model that breaks
 * soon gets few.
 */
const driftRules = [{ limit: 2, recent: 40 }, { limit: 4, recent: 10 }] as const

/**
 * Returns the side to which outcomes have moved away from their predictions; null if there is no drift, or if
 * the drift has ended.
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
