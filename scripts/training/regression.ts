/** The little statistics that the fit of difficulties needs. */
import { mean } from "../bench/arena/averages.ts"

/** Standard deviation. */
export const spread = (values: ReadonlyArray<number>): number => {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}

/** Slope of the least-squares line of `y` over `x`. */
export const slope = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  const [middleX, middleY] = [mean(x), mean(y)]
  const product = x.reduce((sum, value, index) => sum + (value - middleX) * (y[index]! - middleY), 0)
  return product / x.reduce((sum, value) => sum + (value - middleX) ** 2, 0)
}

export interface Row {
  readonly shape: ArrayLike<number>
  readonly target: number
  readonly weight: number
}

/** Solves a symmetric positive definite system by elimination. */
export const solve = (matrix: ReadonlyArray<ReadonlyArray<number>>, right: ReadonlyArray<number>): ReadonlyArray<number> => {
  const rows = matrix.map((row, index) => [...row, right[index]!])
  rows.forEach((pivot, place) => {
    for (let below = place + 1; below < rows.length; below++) {
      const factor = rows[below]![place]! / pivot[place]!
      for (let column = place; column <= rows.length; column++) rows[below]![column]! -= factor * pivot[column]!
    }
  })
  const found = new Array<number>(rows.length).fill(0)
  for (let place = rows.length - 1; place >= 0; place--) {
    const known = rows[place]!.slice(place + 1, -1).reduce((sum, value, index) => sum + value * found[place + 1 + index]!, 0)
    found[place] = (rows[place]![rows.length]! - known) / rows[place]![place]!
  }
  return found
}

/** Weights of a ridge regression through the origin; the penalty is on columns scaled to a spread of one. */
export const ridge = (rows: ReadonlyArray<Row>, strength: number): ReadonlyArray<number> => {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  const width = rows[0]!.shape.length
  const scales = Array.from({ length: width }, (_, column) =>
    Math.sqrt(rows.reduce((sum, { shape, weight }) => sum + weight * shape[column]! ** 2, 0) / total) || 1)
  const matrix = scales.map((_, a) => scales.map((_, b) =>
    rows.reduce((sum, { shape, weight }) => sum + weight * shape[a]! * shape[b]!, 0) / (total * scales[a]! * scales[b]!)
      + (a === b ? strength : 0)))
  const right = scales.map((scale, column) =>
    rows.reduce((sum, { shape, target, weight }) => sum + weight * shape[column]! * target, 0) / (total * scale))
  return solve(matrix, right).map((value, column) => value / scales[column]!)
}
