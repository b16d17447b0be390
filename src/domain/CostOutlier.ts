/* Detection of reported costs that are implausibly high. */

/** A bill above this many times the most expensive candidate's estimate is an outlier. Chosen. */
export const costOutlierRatio = 50
/** Maximum ratio of two bills of a model and cluster that confirm each other. Chosen. */
export const costOutlierAgreement = 5

/** Returns true if a bill in USD is an outlier; false if the bill is null or the estimate is 0. */
export const isCostOutlier = (costUsd: number | null, highestEstimateUsd: number): boolean =>
  costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/** Tells for each bill of a model and cluster whether another of these bills confirms it. */
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
