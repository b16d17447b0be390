/** What a bill is measured by; see `engine/Settings`. */
export interface CostOutlierRule {
  /** Times the highest candidate's estimate above which a bill is an outlier. */
  readonly costOutlierRatio: number
  /** How many times one bill may be another for the two to agree. */
  readonly costOutlierAgreement: number
}

/** The numbers of `engine/Settings`, where reports and the ledger can see them too. */
export const costOutlierRule: CostOutlierRule = { costOutlierRatio: 50, costOutlierAgreement: 5 }

/**
 * Whether a bill is far above everything that its decision expected: more than so many times the highest
 * candidate's estimate, in USD. Without a price to compare with no bill is.
 */
export const isCostOutlier = (
  costUsd: number | null,
  highestEstimateUsd: number,
  { costOutlierRatio }: Pick<CostOutlierRule, "costOutlierRatio">
): boolean => costUsd !== null && highestEstimateUsd > 0 && costUsd > costOutlierRatio * highestEstimateUsd

/** Which of the bills, in USD and of one model and cluster, another of them confirms. */
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
