/* Detection of reported costs that are implausibly high. */

/**
 * A bill is an outlier if it exceeds the estimate of the most expensive candidate this many times. The ratio
 * is chosen: a bill that high is a typing error or an agent's endless loop.
 */
export const costOutlierRatio = 50
/** Maximum ratio of two bills that confirm each other, for one model and cluster. Chosen. */
export const costOutlierAgreement = 5

/**
 * Returns whether a bill, USD, exceeds `costOutlierRatio` times the highest estimate of the candidates.
 * Returns false if the bill or the estimate is missing.
 */
export const isCostOutlier = (costUsd: number | null, highestEstimateUsd: number): boolean =>
  costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/**
 * Returns for each bill, USD, whether another bill differs from it by at most the factor
 * `costOutlierAgreement`. All bills must belong to one model and cluster.
 */
export const confirmed = (bills: ReadonlyArray<number>): ReadonlyArray<boolean> => {
  const order = bills.map((_, index) => index).sort((one, other) => bills[one]! - bills[other]!)
  const is = bills.map(() => false)
  for (let at = 1; at < order.length; at++) {
    const [below, above] = [order[at - 1]!, order[at]!]
    if (bills[above]! > costOutlierAgreement * bills[below]!) continue
    is[below] = true
    is[above] = true
  }
  return is
}
