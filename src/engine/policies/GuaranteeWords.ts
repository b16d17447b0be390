/* The words that explain a choice under a guarantee. */
import type { GuaranteeStatus } from "../../domain/account/Guarantee.ts"
import { variantName } from "../../domain/model/ModelVariant.ts"
import { dollars } from "../../domain/text/Words.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import type { Choice } from "./Policy.ts"

/** Explains why the recommended model is the pick of a guarantee. */
export const guaranteedMerit = (
  { baselineModelId, maxQualityLoss, state }: GuaranteeStatus,
  { deterministic, pick }: Choice
): string => {
  if (pick !== deterministic) {
    return `drawn as a trial of the guarantee in place of ${variantName(deterministic.card.modelId)}`
  }
  return state === "held"
    ? `the cheapest whose success is known to be within ${maxQualityLoss} of ${baselineModelId}`
    : `the baseline, as no cheaper candidate's success is known to be within ${maxQualityLoss} of it`
}

/** Explains why another candidate is not the pick of a guarantee. */
export const guaranteedShortfall = (
  { baselineModelId, maxQualityLoss }: GuaranteeStatus,
  { deterministic, pick }: Choice,
  candidate: Scored
): string => {
  if (candidate === deterministic) {
    return `passed over this time for a trial of ${variantName(pick.card.modelId)}`
  }
  return candidate.cost.costUsd > deterministic.cost.costUsd
    ? `dearer than ${variantName(deterministic.card.modelId)} at ${dollars(deterministic.cost.costUsd)}`
    : `its success is not known to be within ${maxQualityLoss} of ${baselineModelId}`
}
