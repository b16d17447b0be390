/** Weighted quantiles. */

interface Point {
  readonly value: number
  readonly weight: number
}

/** The value at a share of the total weight of points that are sorted by value; null for none. */
const valueAt = (points: ReadonlyArray<Point>, total: number, q: number): number | null => {
  const target = q * total
  let below = 0
  let previous: { readonly value: number; readonly midpoint: number } | null = null
  for (const { value, weight } of points) {
    const midpoint = below + weight / 2
    if (target <= midpoint) {
      if (previous === null) return value
      const share = (target - previous.midpoint) / (midpoint - previous.midpoint)
      return Math.min(value, previous.value + share * (value - previous.value))
    }
    previous = { value, midpoint }
    below += weight
  }
  return previous === null ? null : previous.value
}

/**
 * Weighted quantiles, linear between the midpoints of the values' shares of the total weight, and flat beyond
 * the first and last. Always inside the observed range; null when nothing has weight. Unit weights give the
 * usual median. Several at once, since sorting is most of the work.
 *
 * @param values finite
 * @param weights beside `values`; a weight that is missing or not above 0 leaves its value out
 * @param shares in [0, 1]
 * @see Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 5, with weights
 */
export const weightedQuantiles = (
  values: ReadonlyArray<number>,
  weights: ReadonlyArray<number>,
  shares: ReadonlyArray<number>
): ReadonlyArray<number | null> => {
  const points = values
    .map((value, index) => ({ value, weight: weights[index] ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => one.value - other.value)
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  return shares.map((share) => valueAt(points, total, share))
}

/** One of the {@link weightedQuantiles}, at `q` in [0, 1]. */
export const weightedQuantile = (
  values: ReadonlyArray<number>,
  weights: ReadonlyArray<number>,
  q: number
): number | null => weightedQuantiles(values, weights, [q])[0] ?? null

/** The weighted quantile at one half. */
export const weightedMedian = (
  values: ReadonlyArray<number>,
  weights: ReadonlyArray<number>
): number | null =>
  weightedQuantile(values, weights, 0.5)
