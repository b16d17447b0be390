/** Why the pick leaves the model that the conversation runs on, or keeps it. */
import type { SwitchReason } from "../../domain/Recommendation.ts"
import type { CostedCandidate } from "../recommend/candidates/Candidate.ts"
import { pickAt } from "../recommend/choice/DecisionRule.ts"
import { type Incumbent, isIncumbent } from "./Incumbent.ts"
import type { Choice } from "./Policy.ts"

/** The incumbent policy's part in a choice. */
interface IncumbentShare {
  /** Whether no later policy made the pick. */
  readonly isDecisive: boolean
  /** Whether the incumbent was kept in place of another. */
  readonly isKept: boolean
  /** Saving of a candidate's warm cache, USD, >= 0. */
  readonly warmUsd: (candidate: CostedCandidate) => number
}

/** Why the incumbent, which the objective picks, is worth more than the rest: the cache, or null. */
const warmth = (
  incumbent: Incumbent,
  { criteria: { threshold }, objective, ranked }: Choice,
  warmUsd: IncumbentShare["warmUsd"]
): SwitchReason | null => {
  const cold = ranked.map((each) => {
    const costUsd = each.cost.costUsd + (isIncumbent(each, incumbent) ? warmUsd(each) : 0)
    return { ...each, cost: { ...each.cost, costUsd } }
  })
  const rival = pickAt(objective, cold, threshold)
  return rival === undefined || isIncumbent(rival, incumbent) ? null : "warm_cache"
}

/**
 * Why the pick is not the incumbent, or is the incumbent in place of another model. Null if no other model
 * would have been picked, and for a drawn pick.
 */
export const switchReason = (
  incumbent: Incumbent,
  choice: Choice,
  { isDecisive, isKept, warmUsd }: IncumbentShare
): SwitchReason | null => {
  const { deterministic, objective, passedBy, pick, priced, ranked } = choice
  if (pick !== deterministic) return null
  if (isIncumbent(pick, incumbent)) {
    if (isKept) return "within_noise"
    return isDecisive ? warmth(incumbent, choice, warmUsd) : null
  }
  const own = ranked.filter((each) => isIncumbent(each, incumbent))
  const asked = own.length === 0 ? priced.filter((each) => isIncumbent(each, incumbent)) : own
  const passed = passedBy.findLast(({ includes }) => asked.some(includes))
  if (passed !== undefined) return passed.reason
  if (own.length === 0) return "capability"
  return own.every((each) => objective.price(each) > objective.price(pick)) ? "cost" : "threshold"
}
