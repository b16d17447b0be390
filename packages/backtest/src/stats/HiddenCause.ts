/** The least strength of a hidden cause of the logged choices that would undo a finding about a log. */

/** Classes of a residual: two per octave of its size from 2^-34 to 2^14, of either sign. */
const lowest = -34
const perSign = 96
const classes = 2 * perSign

/** The columns of a class: sums of fixed and of disputed weight, and of either times the residual. */
const columns = 4

/** The highest odds ratio that is tried. */
export const gammaMax = 50

/** Residuals of one policy with their weights, in classes by size: memory stays flat. */
export type ResidualClasses = Float64Array

export const makeResidualClasses = (): ResidualClasses => new Float64Array(classes * columns)

const classOf = (residual: number): number => {
  const size = Math.floor(2 * (Math.log2(Math.abs(residual)) - lowest))
  const within = Math.min(perSign - 1, Math.max(0, size))
  return residual < 0 ? perSign - 1 - within : perSign + within
}

/**
 * Adds a matched row.
 *
 * @param share in which its model is chosen for such rows, in (0, 1]
 * @param known share of the model's rows whose outcome is known, in (0, 1]
 */
export const addResidual = (
  self: ResidualClasses,
  residual: number,
  share: number,
  known: number
): void => {
  const base = classOf(residual) * columns
  const disputed = (1 / share - 1) / known
  self[base]! += 1 / known
  self[base + 1]! += disputed
  self[base + 2]! += residual / known
  self[base + 3]! += residual * disputed
}

/**
 * The largest (`sign` 1) or smallest (`sign` -1) weighted mean of the residuals, when the odds of every
 * choice may differ by up to `gamma` >= 1 from those that the log shows. The extreme gives the residuals
 * beyond some value the most weight that this allows and all others the least. 0 without rows.
 *
 * @see Tan, A distributional approach for causal inference using propensity scores (2006)
 * @see Zhao, Small and Bhattacharya, Sensitivity analysis for inverse probability weighting (2019)
 */
export const extremeMean = (self: ResidualClasses, gamma: number, sign: 1 | -1): number => {
  let [weight, residual] = [0, 0]
  for (let base = 0; base < self.length; base += columns) {
    weight += self[base]! + self[base + 1]! / gamma
    residual += self[base + 2]! + self[base + 3]! / gamma
  }
  if (!(weight > 0)) return 0
  let best = sign * residual / weight
  const gain = gamma - 1 / gamma
  for (let step = 0; step < classes; step++) {
    const base = (sign === 1 ? classes - 1 - step : step) * columns
    weight += gain * self[base + 1]!
    residual += gain * self[base + 3]!
    best = Math.max(best, sign * residual / weight)
  }
  return sign * best
}

/** The largest odds ratio in [1, 50] at which `holds` is still true, to 0.01; null where it fails at 1. */
export const largestGamma = (holds: (gamma: number) => boolean): number | null => {
  if (!holds(1)) return null
  if (holds(gammaMax)) return gammaMax
  let [low, high] = [1, gammaMax]
  while (high - low > 0.01) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
