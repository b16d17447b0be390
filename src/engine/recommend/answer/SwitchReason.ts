/** Why the pick leaves the model that the conversation runs on, or keeps it. */
import type { SwitchReason } from "../../../domain/Recommendation.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import { pickAt } from "../choice/DecisionRule.ts"
import { isIncumbent } from "../choice/Incumbent.ts"
import { hasRun } from "../choice/Plan.ts"

/**
 * Why the pick is another model than the incumbent, or is the incumbent although another would have been
 * picked; null without an incumbent, where nothing speaks for another, and for a pick that was drawn.
 *
 * @param priced all candidates, before the limits on cost and latency
 * @param warmUsd what the warm cache takes off a candidate's cost, USD, >= 0
 */
export const switchReason = (
  { health, incumbent, limits, threshold }: Pick<Goal, "health" | "incumbent" | "limits" | "threshold">,
  { deterministic, guaranteed, objective, pick, plan, ranked, replaced }: Optimized,
  priced: ReadonlyArray<CostedCandidate>,
  warmUsd: (candidate: CostedCandidate) => number
): SwitchReason | null => {
  if (incumbent === null || pick !== deterministic) return null
  if (isIncumbent(pick, incumbent)) {
    if (replaced !== null) return "within_noise"
    if (guaranteed !== null || plan !== null) return null
    const cold = ranked.map((each) => {
      const costUsd = each.cost.costUsd + (isIncumbent(each, incumbent) ? warmUsd(each) : 0)
      return { ...each, cost: { ...each.cost, costUsd } }
    })
    const rival = pickAt(objective, cold, threshold)
    return rival === undefined || isIncumbent(rival, incumbent) ? null : "warm_cache"
  }
  const own = ranked.filter((each) => isIncumbent(each, incumbent))
  if (own.length === 0) {
    const { maxCostPerCall } = limits
    const left = priced.filter((each) => isIncumbent(each, incumbent))
    if (left.some(({ card }) => health?.unhealthy.has(card.modelId))) return "health"
    const isTooDear = left.some(({ cost }) => maxCostPerCall !== null && cost.costUsd > maxCostPerCall)
    return isTooDear ? "cost" : "capability"
  }
  if (plan !== null && own.some((each) => hasRun(plan.goal, each))) return "failed_attempt"
  return own.every((each) => objective.price(each) > objective.price(pick)) ? "cost" : "threshold"
}
