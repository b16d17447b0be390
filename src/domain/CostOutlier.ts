/* The rule for reported costs that are too high to be believed. */
/** The rule for bills that are outliers; its values are in `engine/Settings`. */
export interface CostOutlierRule {
  /** Times the highest candidate's estimate above which a bill is an outlier. */
  readonly costOutlierRatio: number
  /** How many times one bill may be another for the two to agree. */
  readonly costOutlierAgreement: number
}

/** The rule with the values of `engine/Settings`, for reports and the ledger, which cannot import them. */
export const costOutlierRule: CostOutlierRule = { costOutlierRatio: 50, costOutlierAgreement: 5 }

/**
 * Whether a bill, in USD, is more than `costOutlierRatio` times the highest estimate of the decision's
 * candidates. False without an estimate.
 */
export const isCostOutlier = (
  costUsd: number | null,
  highestEstimateUsd: number,
  { costOutlierRatio }: Pick<CostOutlierRule, "costOutlierRatio">
): boolean => costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/**
 * For each bill, in USD and of one model and cluster, whether another bill is within `costOutlierAgreement`
 * times it.
 */
export const confirmed = (
  bills: ReadonlyArray<number>,
  { costOutlierAgreement }: Pick<CostOutlierRule, "costOutlierAgreement">
): ReadonlyArray<boolean> => {
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
