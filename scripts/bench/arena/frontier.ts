/* The frontier of cost and quality that mixtures of fixed policies reach. */

/** A policy's mean cost, in USD per call, and mean quality, in [0, 1]. */
export type Point = readonly [costUsd: number, quality: number]

/** Steps of the integral over cost. */
const steps = 400

/** The points that no mixture of others beats, by rising cost: the concave cost-quality frontier. */
export const concave = (points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const rising: Array<Point> = []
  let best = -1
  for (const point of [...points].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (point[1] > best + 1e-9) {
      rising.push(point)
      best = point[1]
    }
  }
  const hull: Array<Point> = []
  for (const point of rising) {
    while (hull.length >= 2) {
      const [before, last] = [hull.at(-2)!, hull.at(-1)!]
      const isBelow = (last[1] - before[1]) * (point[0] - before[0]) <=
        (point[1] - before[1]) * (last[0] - before[0])
      if (!isBelow) break
      hull.pop()
    }
    hull.push(point)
  }
  return hull
}

/** Quality at a cost of mixtures of neighbours by rising cost: flat before the first and after the last. */
export const qualityAt = (hull: ReadonlyArray<Point>, costUsd: number): number => {
  const [first] = hull
  if (first === undefined) return 0
  if (costUsd <= first[0]) return first[1]
  for (let i = 1; i < hull.length; i++) {
    const [left, right] = [hull[i - 1]!, hull[i]!]
    if (costUsd < right[0]) {
      return left[1] + ((right[1] - left[1]) * (costUsd - left[0])) / (right[0] - left[0])
    }
  }
  return hull.at(-1)![1]
}

/**
 * AIQ: mean quality of the concave frontier of `points` over costs from `fromUsd` to `toUsd`.
 *
 * @see Hu et al., RouterBench (2024), section 3
 */
export const averageQuality = (points: ReadonlyArray<Point>, fromUsd: number, toUsd: number): number => {
  const hull = concave(points)
  let sum = 0
  for (let k = 0; k < steps; k++) sum += qualityAt(hull, fromUsd + ((toUsd - fromUsd) * k) / (steps - 1))
  return sum / steps
}
