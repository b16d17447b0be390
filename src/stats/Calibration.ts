/** Compares predictions with outcomes (calibration). */

/** Predictions in [lo, hi), and in the last bin also 1; the means are null if n is 0. */
interface ReliabilityBin {
  readonly lo: number
  readonly hi: number
  readonly n: number
  readonly avgPredicted: number | null
  readonly avgRealized: number | null
}

/**
 * Builds the reliability diagram in `count` bins of equal width from predictions that have an outcome.
 *
 * @see Niculescu-Mizil and Caruana, Predicting Good Probabilities with Supervised Learning (2005)
 */
export const reliabilityBins = (
  predicted: ArrayLike<number>,
  realized: ArrayLike<number>,
  count = 10
): ReadonlyArray<ReliabilityBin> => {
  const sums = Array.from({ length: count }, () => ({ n: 0, predicted: 0, realized: 0 }))
  for (let index = 0; index < predicted.length; index++) {
    const prediction = predicted[index]!
    const outcome = realized[index]
    const sum = sums[Math.min(count - 1, Math.floor(prediction * count))]
    if (outcome === undefined || sum === undefined) continue
    sum.n += 1
    sum.predicted += prediction
    sum.realized += outcome
  }
  return sums.map((sum, index) => ({
    lo: index / count,
    hi: (index + 1) / count,
    n: sum.n,
    avgPredicted: sum.n === 0 ? null : sum.predicted / sum.n,
    avgRealized: sum.n === 0 ? null : sum.realized / sum.n
  }))
}

/**
 * Mean distance between a bin's mean prediction and mean outcome, weighted by count; null without outcomes.
 *
 * @see Naeini et al., Obtaining Well Calibrated Probabilities Using Bayesian Binning (2015)
 */
export const expectedCalibrationError = (bins: ReadonlyArray<ReliabilityBin>): number | null => {
  let n = 0
  let distance = 0
  for (const bin of bins) {
    if (bin.avgPredicted === null || bin.avgRealized === null) continue
    n += bin.n
    distance += bin.n * Math.abs(bin.avgPredicted - bin.avgRealized)
  }
  return n === 0 ? null : distance / n
}

/**
 * Shrinks a slice's calibration error toward the global error, because few outcomes make any slice look badly
 * calibrated. Returns null if the slice's error or the global error is null.
 */
export const shrunkError = (
  ece: number | null,
  n: number,
  globalEce: number | null,
  pseudoObservations = 20
): number | null =>
  ece === null || globalEce === null
    ? null
    : (n * ece + pseudoObservations * globalEce) / (n + pseudoObservations)
