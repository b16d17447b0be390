/** Chooses among candidates with their costs, by the policies that a request uses. */
import type { CostedCandidates } from "../recommend/candidates/Candidate.ts"
import { planAttempts } from "./PlanAttempts.ts"
import { byObjective } from "./ByObjective.ts"
import { withinLimits } from "./WithinLimits.ts"
import { explore } from "./Explore.ts"
import { withFallback } from "./WithFallback.ts"
import { underGuarantee } from "./UnderGuarantee.ts"
import { withinHealth } from "./WithinHealth.ts"
import { keepIncumbent } from "./KeepIncumbent.ts"
import { reserveBudget } from "./ReserveBudget.ts"
import { nameUntriedCheaper } from "./NameUntriedCheaper.ts"
import type { Criteria } from "./Criteria.ts"
import { type Choice, type Policy, type PolicyContext, type PolicyMaker, startOf } from "./Policy.ts"

/** The policies in the order of their precedence: a later policy may overrule earlier ones. */
const policies: ReadonlyArray<PolicyMaker> = [
  reserveBudget, // the warning and the reserve of an account with a budget
  withinLimits, // max_cost_per_call and max_latency_ms, relaxed if they would leave no candidate
  withinHealth, // leaves out models that cannot be called now
  byObjective, // the cheapest (fastest, most worth) that reaches the threshold, else the likeliest
  keepIncumbent, // the conversation's model, if the evidence shows no difference
  explore, // epsilon_softmax: a draw among those that reach the threshold
  planAttempts, // a request about attempts: the first attempt of the best order
  underGuarantee, // the baseline, until a cheaper model is proven
  withFallback, // the model to try when the pick fails
  nameUntriedCheaper // names a much cheaper model that was hardly tried; the pick stays
]

export const policiesOf = (context: PolicyContext): ReadonlyArray<Policy> => {
  const used: Array<Policy> = []
  for (const make of policies) {
    const policy = make(context)
    if (policy !== null) used.push(policy)
  }
  return used
}

/** @param draw in [0, 1) */
export const choose = (
  used: ReadonlyArray<Policy>,
  candidates: CostedCandidates,
  criteria: Criteria,
  draw: number
): Choice => {
  let choice = startOf(candidates, criteria)
  for (const policy of used) choice = policy(choice, draw)
  return choice
}
