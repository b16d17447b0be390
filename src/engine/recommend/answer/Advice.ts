/** The assessment of a request, the selection from it, and the answer and decision that both make. */
import type { OpenBudget } from "../../../accounts/AccountBudgets.ts"
import type { Decision } from "../../../domain/Decision.ts"
import type { EscalationReason } from "../../../domain/Escalation.ts"
import { modelIdOf } from "../../../domain/model/Arm.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { RecommendRequest, RecommendResponse } from "../../../domain/Recommendation.ts"
import type { AccountId } from "../../../domain/Scope.ts"
import { byConsequence, type RecommendWarning } from "../../../domain/Warning.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, CostedCandidates } from "../candidates/Candidate.ts"
import { isUnknown } from "../candidates/Needs.ts"
import { retiringWarnings } from "../candidates/Retirement.ts"
import { type AffordableGoal, isLower } from "../choice/BudgetGoal.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import type { CostQuery } from "../cost/ListCost.ts"
import { decisionOf, type DecisionRecordRule, premiumUsd } from "./DecisionRecord.ts"
import { responseOf, type ResponseRule } from "./Response.ts"

/** What an account's budget leaves for a request. */
export interface BudgetSpending extends Pick<AffordableGoal, "leastUsd" | "lowest"> {
  readonly openBudget: OpenBudget
}

/** A request whose candidates are predicted and priced: all that the choice among them needs. */
export interface Assessment {
  /** As it was asked, under its own guarantee or else its account's. */
  readonly request: RecommendRequest
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  /** The caller's spelling of each model that it named, by our id. */
  readonly spellings: ReadonlyMap<string, string>
  readonly recalled: Recalled
  readonly goal: Goal
  /** What replaces the decision's own fields where the task's text is not kept. */
  readonly redacted: Partial<Decision>
  readonly query: CostQuery
  /** Ids of the account's models whose next call is paid already. */
  readonly prepaid: ReadonlySet<string>
  /** Null without a budget. */
  readonly spending: BudgetSpending | null
  readonly priced: CostedCandidates
  readonly warnings: ReadonlyArray<RecommendWarning>
  /** What the classification cost at the reasoner, USD; null when it was not asked. */
  readonly costUsd: number | null
  /** Time that the classification left of the reasoner's budget, ms; null when it used none. */
  readonly leftMs: number | null
}

/** The choice, and the candidates with the predictions that it was made from. */
export interface Selection {
  readonly optimized: Optimized
  readonly candidates: CostedCandidates
  readonly escalationReasons: ReadonlyArray<EscalationReason>
  readonly warnings: ReadonlyArray<RecommendWarning>
  /** What the escalation cost at the reasoner, USD; null when it was not asked. */
  readonly costUsd: number | null
}

/** The assessment at the lowest goal; null where that could not change the pick. */
export const atLowestGoal = (assessment: Assessment): Assessment | null => {
  const { goal, spending, warnings } = assessment
  if (spending === null || spending.lowest === null) return null
  return {
    ...assessment,
    goal: spending.lowest,
    spending: { ...spending, lowest: null },
    warnings: isLower(spending.lowest, goal) ? [...warnings, "budget_paced"] : warnings
  }
}

/** The selection with another choice among its candidates. */
export const chosenAnew = (selection: Selection, optimized: Optimized): Selection => ({
  ...selection,
  optimized,
  warnings: [
    ...selection.warnings.filter((each) => !selection.optimized.notes.includes(each)), ...optimized.notes
  ]
})

/** Which recommendation this is, whose, and how long it took. */
interface Occasion {
  readonly recommendationId: Decision["recommendationId"]
  readonly workflowId: Decision["workflowId"]
  readonly createdAt: Date
  readonly accountId: AccountId
  readonly request: RecommendRequest
  readonly latencyMs: number
}

/** One answered recommendation, not yet in the ledger. */
export interface Advice {
  readonly response: RecommendResponse
  readonly decision: Decision
  /** Cost of the dearest candidate, USD. */
  readonly premiumUsd: number
}

/** Sum of two costs, USD; null when neither is known. */
const sumUsd = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? one ?? other : one + other

/** The answer and the decision of a recommendation. */
export const adviceOf = (
  settings: DecisionRecordRule & ResponseRule & Pick<EngineSettings, "retirementNoticeDays">,
  occasion: Occasion,
  assessment: Assessment,
  { candidates, costUsd, escalationReasons, optimized, warnings }: Selection
): Advice => {
  const { classified, goal, prepaid, query, redacted, snapshot, spellings } = assessment
  const { pick } = optimized
  const facts = {
    ...occasion, classified, snapshot, optimized, prepaid, escalationReasons,
    threshold: goal.threshold,
    selectionPolicy: goal.selectionPolicy,
    priced: candidates,
    billsPerEstimate: assessment.spending?.openBudget.state.billsPerEstimate ?? null,
    warnings: byConsequence([
      ...assessment.warnings,
      ...warnings,
      ...(isUnknown(occasion.request.inferredRequirements, pick.card)
        ? [`capability_unknown:${modelIdOf(pick.card.modelId)}` as const]
        : []),
      ...retiringWarnings(settings, snapshot, occasion.request, pick.card, occasion.createdAt.getTime())
    ]),
    reasonerCostUsd: sumUsd(assessment.costUsd, costUsd)
  }
  return {
    decision: { ...decisionOf(settings, facts, query), ...redacted },
    premiumUsd: premiumUsd(candidates),
    response: responseOf(settings, facts, goal, query, spellings)
  }
}
