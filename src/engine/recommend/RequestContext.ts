/** A request with the results of its look-ups, its candidates and its criteria. */
import type { Decision } from "../../domain/Decision.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { Recalled } from "../../memory/Memory.ts"
import type { Notes } from "../Notes.ts"
import type { CriteriaLevels } from "../policies/Criteria.ts"
import type { PolicyContext } from "../policies/Policy.ts"
import type { Classified, CostedCandidates } from "./candidates/Candidate.ts"

/** The ids of a recommendation, its account, and the time at which it began. */
export interface RecommendationIdentity
  extends Pick<Decision, "createdAt" | "recommendationId" | "workflowId">
{
  readonly accountId: AccountId
  /** Time at which the recommendation began, by the monotonic clock of the process, ms. */
  readonly beganMs: number
}

/** The data of a request that the choice, the decision and the answer read. */
export interface RequestContext extends PolicyContext, RecommendationIdentity {
  /** The request, completed with its account's terms. */
  readonly request: RecommendRequest
  readonly notes: Notes
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  /** The name with which the caller spelled each model, by the catalog's id. */
  readonly requestedNames: ReadonlyMap<string, string>
  readonly recalled: Recalled
  /** Fields that replace the decision's own fields if the task's text is not stored. */
  readonly redacted: Partial<Decision>
  /** Every candidate with its prediction and its cost. */
  readonly candidates: CostedCandidates
  readonly levels: CriteriaLevels
  /** Cost of the reasoner's classification, USD, or null if the reasoner was not asked. */
  readonly reasonerCostUsd: number | null
  /**
   * Time that is left for another question to the reasoner, ms, or null if the reasoner was not asked yet.
   */
  readonly reasonerLeftMs: number | null
}
