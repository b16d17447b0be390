/* The words that a plan of attempts adds to a candidate's explanation. */
import { variantName } from "../../domain/model/ModelVariant.ts"
import { decimal, dollars, percent } from "../../domain/text/Words.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import type { AttemptCriteria } from "./AttemptCriteria.ts"
import type { ChosenPlan } from "./ChosenPlan.ts"

const namesMax = 3

/** Explains why the recommended model is the first attempt of a plan. */
export const plannedMerit = ({ attempts, end, criteria }: ChosenPlan, threshold: number): string => {
  const last = attempts.at(-1)
  if (last === undefined) {
    return end === "max_total_cost"
      ? "the best that remains, though dearer than what is left to spend"
      : "the best that remains, though no attempt is worth its cost"
  }
  const { valueUsd } = criteria
  const aim = valueUsd === null ? `tau ${decimal(threshold)}` : `${dollars(valueUsd)} for a success`
  const many = attempts.length === 1 ? "the best single attempt" : `the first of ${attempts.length} attempts`
  const spentUsd = attempts.reduce((sum, { candidate: { cost }, reached }) =>
    sum + reached * (cost.costUsd + criteria.checkUsd), 0)
  return `${many} for ${aim}, together ${percent(last.cumulativeSuccess)} at ${dollars(spentUsd)} expected`
}

/** Explains why a candidate is not the first attempt of a plan. */
export const plannedShortfall = (
  { attempts, criteria }: ChosenPlan,
  pick: Scored,
  candidate: Scored
): string => {
  const at = attempts.findIndex((each) => each.candidate === candidate)
  if (at > 0) return `attempt ${at + 1} of the plan, for when ${variantName(pick.card.modelId)} fails`
  if (criteria.failed.includes(candidate.card.modelId)) return "it failed at this task"
  return `the plan is better with ${variantName(pick.card.modelId)} first`
}

/**
 * Writes a sentence that says how earlier failures at the task lowered the pick's prediction. Returns an
 * empty text if no failed attempt lowered the prediction.
 */
export const afterFailures = (
  { failed }: Pick<AttemptCriteria, "failed">,
  { forecast, predictedSuccess }: Scored
): string => {
  if (failed.length === 0 || predictedSuccess >= forecast.mixed) return ""
  const names = failed.map(variantName)
  const who = names.length > namesMax ? `${names.length} models` : names.join(" and ")
  return ` ${who} failed here, which makes this task look hard: ${percent(predictedSuccess)}`
    + ` instead of ${percent(forecast.mixed)}.`
}
