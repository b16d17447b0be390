/* Detection of reported costs that are too high to be believed. */

/**
 * A bill above this many times the highest candidate's estimate is an outlier. Chosen: such a bill is a
 * typing error, or an agent's loop.
 */
export const costOutlierRatio = 50
/** Two bills of one model and cluster confirm each other if their ratio is at most this. Chosen. */
export const costOutlierAgreement = 5

/**
 * Returns whether a bill, in USD, exceeds `costOutlierRatio` times the highest estimate of the decision's
 * candidates. False without an estimate.
 */
export const isCostOutlier = (costUsd: number | null, highestEstimateUsd: number): boolean =>
  costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/**
 * Returns for each bill, in USD, whether another bill confirms it: their ratio is at most
 * `costOutlierAgreement`. The bills are those of one model and cluster.
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
