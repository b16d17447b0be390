/* A straight line of least squares with the error of its slope. */
export interface Point {
  readonly x: number
  readonly y: number
}

interface Slope {
  /** y per x; null of fewer than two different x. */
  readonly slope: number | null
  /**
   * Its standard error, the points' errors taken as independent; null of fewer than three points. Memory's
   * are not independent, so that the true one is larger.
   */
  readonly error: number | null
}

/** The straight line of least squares through the points. */
export const leastSquares = (points: ReadonlyArray<Point>): Slope => {
  const n = points.length
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n
  const squares = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  if (n < 2 || squares === 0) return { slope: null, error: null }
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / squares
  const residuals = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  return { slope, error: n < 3 ? null : Math.sqrt(residuals / (n - 2) / squares) }
}
