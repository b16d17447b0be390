/* Detection of reported costs that are implausibly high. */

/** A bill of this many times the highest estimate is an outlier. Chosen: such a bill is an error. */
export const costOutlierRatio = 50
/** Maximum ratio of two bills that confirm each other, for one model and cluster. Chosen. */
export const costOutlierAgreement = 5

/** Amounts are in USD. False if the bill or the estimate is missing. */
export const isCostOutlier = (costUsd: number | null, highestEstimateUsd: number): boolean =>
  costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/** Whether another bill of the same model and cluster differs by at most `costOutlierAgreement`. */
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
