/** A request under way, with all that was found out for it. */
import type { OpenBudget } from "../../accounts/AccountBudgets.ts"
import type { AccountSetting } from "../../accounts/AccountSettings.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import type { ModelRestarts } from "../../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { Cluster } from "../../domain/Task.ts"
import type { Recalled } from "../../memory/Memory.ts"
import type { Notes } from "../Notes.ts"
import type { CriteriaLevels } from "../policies/BudgetCriteria.ts"
import type { PolicyContext } from "../policies/Policy.ts"
import type { Classified, CostedCandidates } from "./candidates/Candidate.ts"
import type { Filtered } from "./Filter.ts"

/** Which recommendation this is, and whose. */
export interface RecommendationIdentity
  extends Pick<Decision, "createdAt" | "recommendationId" | "workflowId">
{
  readonly accountId: AccountId
  /** When it began, by the process's own clock, ms. */
  readonly beganMs: number
}

/** The query of the look-ups, once the candidates are known. */
export interface LookUpQuery extends Pick<Filtered, "candidates" | "snapshot"> {
  readonly accountId: AccountId
  readonly own: AccountSetting
  readonly request: RecommendRequest
  readonly cluster: Cluster
  readonly restarts: ModelRestarts
}

/** The data of a request that choice, answer and record read. */
export interface RequestContext extends PolicyContext, RecommendationIdentity {
  /** The request, with its account's terms where it has none of its own. */
  readonly request: RecommendRequest
  readonly notes: Notes
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  /** The caller's spelling of each model that it named, by our id. */
  readonly requestedNames: ReadonlyMap<string, string>
  readonly recalled: Recalled
  /** Fields that replace the decision's own if the task's text is not kept. */
  readonly redacted: Partial<Decision>
  /** Every candidate with its prediction and its cost. */
  readonly candidates: CostedCandidates
  readonly levels: CriteriaLevels
  /** The account's budget, or null. */
  readonly budget: OpenBudget | null
  /** The reasoner's cost of the classification, USD; null when it was not asked. */
  readonly reasonerCostUsd: number | null
  /** Time that the classification left of the reasoner's budget, ms; null when it used none. */
  readonly reasonerLeftMs: number | null
}
