/** Policy: if the request asks for a plan of attempts, picks the first attempt of the best plan. */
import type { Decision } from "../../domain/Decision.ts"
import { keyOfFirst } from "../../domain/TaskKey.ts"
import type { CostedCandidate, Scored } from "../recommend/candidates/Candidate.ts"
import { pickAt } from "../recommend/choice/DecisionRule.ts"
import type { AttemptCriteria } from "./AttemptCriteria.ts"
import { type ChosenPlan, hasRun, planOf, type PlanRule, shownPlan, successOf } from "./ChosenPlan.ts"
import { afterFailures, plannedMerit, plannedShortfall } from "./PlanWords.ts"
import type { Choice, ChoiceWords, PolicyMaker } from "./Policy.ts"

const plannedWords = (chosen: ChosenPlan): Partial<ChoiceWords> => ({
  merit: ({ criteria: { threshold } }) => plannedMerit(chosen, threshold),
  shortfall: ({ pick }, candidate) => plannedShortfall(chosen, pick, candidate),
  change: () => "",
  afterword: (pick) => afterFailures(chosen.criteria, pick)
})

const recordOf = (
  { criteria: { bySpread, made, taskKey } }: ChosenPlan,
  { isIdle, pick: { card: { modelId } } }: Choice,
  decision: Decision
): Partial<Decision> => {
  const spread = bySpread(modelId)
  return {
    taskKey: decision.taskKey ?? taskKey ?? keyOfFirst(decision.recommendationId),
    attemptNumber: isIdle ? 0 : made + 1,
    ...(spread.length === 0 ? {} : {
      forecasts: decision.forecasts.map((each) =>
        each.modelId === modelId ? { ...each, bySpread: spread } : each)
    })
  }
}

const unfollowed = "verification_without_retry"

/** Makes the best plan, or the best plan that begins with `first`. A plan without attempts keeps the pick. */
const withPlan = (
  settings: PlanRule,
  criteria: AttemptCriteria,
  choice: Choice,
  first: Scored | null
): Choice => {
  const { allowed, criteria: { threshold }, objective } = choice
  const chosen = planOf(settings, criteria, { objective, threshold, first, allowed })
  const pick = chosen.attempts[0]?.candidate ?? choice.pick
  const others = choice.warnings.filter((warning) => warning !== unfollowed)
  const isReaching = chosen.end === "threshold_reached"
    || Math.max(successOf(chosen), pick.predictedSuccess) >= threshold
  return {
    ...choice,
    pick,
    deterministic: pick,
    propensity: 1,
    fallback: chosen.attempts.find(({ candidate }) => candidate !== pick)?.candidate ?? null,
    isReaching,
    warnings: chosen.attempts.length > 1 && criteria.isAlone === true ? [...others, unfollowed] : others,
    isIdle: chosen.attempts.length === 0,
    expectedUsd: chosen.expectedUsd,
    words: { ...choice.words, ...plannedWords(chosen) },
    fields: [...choice.fields, {
      answered: (final, nameOf) => ({
        plan: shownPlan(chosen, nameOf),
        attemptNumber: final.isIdle ? null : criteria.made + 1,
        isRetry: hasRun(criteria, final.pick)
      }),
      recorded: (final, decision) => recordOf(chosen, final, decision)
    }]
  }
}

/**
 * The usual pick stays if the plan has no attempts, or if the request allows one attempt and sets no limit on
 * its cost.
 */
export const planAttempts: PolicyMaker = ({ attempts: criteria, settings }) =>
  criteria === null ? null : (choice) => {
    const usual = pickAt(choice.objective, choice.ranked, choice.criteria.threshold) as Scored
    const isUsual = criteria.attemptsMax === 1 && criteria.totalUsdMax === null
    const failed = (each: CostedCandidate) =>
      hasRun(criteria, each) && choice.ranked.some(({ card }) => card.modelId === each.card.modelId)
    const before: Choice = {
      ...choice,
      pick: usual,
      passedBy: [...choice.passedBy, { reason: "failed_attempt", includes: failed }]
    }
    return {
      ...withPlan(settings, criteria, before, isUsual ? usual : null),
      replanned: (other, first) =>
        withPlan(settings, criteria, other, criteria.failed.includes(first.card.modelId) ? null : first)
    }
  }
