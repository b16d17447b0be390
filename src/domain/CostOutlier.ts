/* The rule for reported costs that are too high to be believed. */

/**
 * Times the highest candidate's estimate beyond which a bill is an outlier. Chosen: such a bill is a slip of
 * the hand, or an agent's loop.
 */
export const costOutlierRatio = 50
/** How many times one bill may be another of its model and cluster for the two to agree. Chosen. */
export const costOutlierAgreement = 5

/**
 * Whether a bill, in USD, is more than `costOutlierRatio` times the highest estimate of the decision's
 * candidates. False without an estimate.
 */
export const isCostOutlier = (costUsd: number | null, highestEstimateUsd: number): boolean =>
  costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/**
 * For each bill, in USD and of one model and cluster, whether another bill is within `costOutlierAgreement`
 * times it.
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
