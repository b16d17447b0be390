/** Completes a request with its account's guarantee and value of success. */
import type { AccountSetting } from "../../accounts/AccountSettings.ts"
import type { GuaranteeTerms } from "../../domain/account/Guarantee.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"

/** A guarantee's baseline also becomes `baselineModelId`, unless the request names a baseline. */
const withGuarantee = (
  request: RecommendRequest,
  ofAccount: GuaranteeTerms | null
): RecommendRequest => {
  const guarantee = request.guarantee ?? (ofAccount === null ? null : { ...ofAccount, paired: false })
  return guarantee === null
    ? request
    : { ...request, guarantee, baselineModelId: request.baselineModelId ?? guarantee.baselineModelId }
}

/** Adds the account's value of success, unless the request states a value or minimises latency. */
const withValue = (request: RecommendRequest, ofAccount: number | null): RecommendRequest =>
  ofAccount === null || request.successValueUsd !== null || request.optimizeFor === "latency"
    ? request
    : { ...request, successValueUsd: ofAccount }

export const underTerms = (
  given: RecommendRequest,
  { guarantee, successValueUsd }: Pick<AccountSetting, "guarantee" | "successValueUsd">
): RecommendRequest => withValue(withGuarantee(given, guarantee), successValueUsd)
