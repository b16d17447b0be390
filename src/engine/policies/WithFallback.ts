/** Policy: names the model to try when the pick fails, and adds the warnings about the pick. */
import type { RecommendWarning } from "../../domain/Warning.ts"
import { fallbackFor } from "../recommend/choice/Ranking.ts"
import type { Choice, PolicyMaker } from "./Policy.ts"

const warningsOf = (
  { deterministic, expectedUsd, isReaching, objective: { of, valueUsd }, pick }: Choice
): ReadonlyArray<RecommendWarning> => [
  ...(isReaching ? [] : ["no_model_meets_threshold" as const]),
  // For a plan, no warning compares cost and value of success, because the plan already weighs both.
  ...(valueUsd !== null && expectedUsd === null && of(deterministic) > 0
    ? ["no_model_worth_its_cost" as const]
    : []),
  ...(pick !== deterministic ? ["exploration_pick" as const] : [])
]

export const withFallback: PolicyMaker = ({ settings }) => (choice) => {
  const { allowed, candidates, criteria: { threshold }, fallback, objective, pick, warnings } = choice
  return {
    ...choice,
    fallback: fallback ?? fallbackFor(settings, objective, pick, allowed, candidates, threshold),
    warnings: [...warnings, ...warningsOf(choice)]
  }
}
