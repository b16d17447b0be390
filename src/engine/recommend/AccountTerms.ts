/** Completes a request by its account's guarantee and value of success. */
import type { AccountSetting } from "../../accounts/AccountSettings.ts"
import type { GuaranteeTerms } from "../../domain/account/Guarantee.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"

/**
 * Applies the request's guarantee or, without one, the account's. The guarantee's baseline also becomes
 * `baselineModelId`, unless the request names one.
 */
const withGuarantee = (
  request: RecommendRequest,
  ofAccount: GuaranteeTerms | null
): RecommendRequest => {
  const guarantee = request.guarantee ?? (ofAccount === null ? null : { ...ofAccount, paired: false })
  return guarantee === null
    ? request
    : { ...request, guarantee, baselineModelId: request.baselineModelId ?? guarantee.baselineModelId }
}

/** The request with its account's value of success, unless it has its own or asks for low latency. */
const withValue = (request: RecommendRequest, ofAccount: number | null): RecommendRequest =>
  ofAccount === null || request.successValueUsd !== null || request.optimizeFor === "latency"
    ? request
    : { ...request, successValueUsd: ofAccount }

/** The request with the account's terms. The request's own terms come first. */
export const underTerms = (
  given: RecommendRequest,
  { guarantee, successValueUsd }: Pick<AccountSetting, "guarantee" | "successValueUsd">
): RecommendRequest => withValue(withGuarantee(given, guarantee), successValueUsd)
