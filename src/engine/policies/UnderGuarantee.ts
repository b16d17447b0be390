/** Policy: under a guarantee the baseline, until a cheaper candidate is known to be within the loss. */
import type { GuaranteeStatus } from "../../domain/account/Guarantee.ts"
import { variantName } from "../../domain/model/ModelVariant.ts"
import { dollars } from "../../domain/text/Words.ts"
import { costTieUsd } from "../../stats/PolicyRules.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import { guaranteed, type Guaranteed } from "./GuaranteedPick.ts"
import type { Choice, PolicyMaker } from "./Policy.ts"

/** Why the pick of a guarantee is the pick. */
const guaranteedMerit = (
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

/** Why another candidate is not the pick of a guarantee. */
const guaranteedShortfall = (
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

/** The choice with the guarantee's pick, words and fields. */
const withGuaranteed = (
  choice: Choice,
  { answer, pick, propensity, trial, usual, warnings }: Guaranteed,
  allowed: ReadonlyArray<Scored>
): Choice => ({
  ...choice,
  pick,
  deterministic: usual,
  propensity,
  allowed,
  warnings: [...choice.warnings, ...warnings],
  words: {
    ...choice.words,
    merit: (final) => guaranteedMerit(answer, final),
    shortfall: (final, candidate) => guaranteedShortfall(answer, final, candidate),
    change: () => ""
  },
  fields: [...choice.fields, {
    answered: () => ({ guarantee: answer }),
    recorded: () => ({
      guaranteeBaselineId: trial?.baselineModelId ?? null,
      guaranteeCandidateId: trial?.candidateModelId ?? null
    })
  }]
})

/**
 * The guarantee's pick, and the plan that begins with it. Only the first attempt at a task is a trial. Where
 * the pick has failed at the task, the plan decides. A cheaper model than the baseline makes no other
 * attempt, and is no fallback, unless it is held.
 */
export const underGuarantee: PolicyMaker = ({ attempts, guarantee, settings }) =>
  guarantee === null ? null : (choice, draw) => {
    const { criteria: { threshold }, objective, ranked, replanned } = choice
    const isUncounted = guarantee.isUncounted || (attempts !== null && attempts.made > 0)
    const guard = guaranteed(settings, objective, { ...guarantee, isUncounted }, ranked, threshold, draw)
    if (guard === null) {
      // The guarantee cannot be given.
      return { ...choice, warnings: [...choice.warnings, "guarantee_baseline_unavailable"] }
    }
    const baseline = ranked.find(({ card }) => card.modelId === guarantee.baselineModelId)
    const baselineUsd = baseline === undefined ? 0 : baseline.cost.costUsd
    const own = withGuaranteed(choice, guard, ranked.filter((each) =>
      each === guard.usual || each.cost.costUsd >= baselineUsd - costTieUsd))
    if (replanned === null) return own
    const hasFailed = attempts?.failed.includes(guard.pick.card.modelId) === true
    const planned = replanned(own, hasFailed ? null : guard.pick)
    return {
      ...planned,
      deterministic: hasFailed ? planned.pick : guard.usual,
      propensity: guard.propensity,
      words: own.words
    }
  }
