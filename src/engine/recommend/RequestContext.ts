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

export interface RecommendationIdentity
  extends Pick<Decision, "createdAt" | "recommendationId" | "workflowId">
{
  readonly accountId: AccountId
  /** Start of the recommendation by the monotonic clock of the process, ms. */
  readonly beganMs: number
}

export interface RequestContext extends PolicyContext, RecommendationIdentity {
  /** The request, completed with the terms that its account sets. */
  readonly request: RecommendRequest
  readonly notes: Notes
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  /** The names by which the caller calls models; the keys are the catalog's ids. */
  readonly requestedNames: ReadonlyMap<string, string>
  readonly recalled: Recalled
  /** Fields that replace the decision's own fields if the task's text is not stored. */
  readonly redacted: Partial<Decision>
  readonly candidates: CostedCandidates
  readonly levels: CriteriaLevels
  /** Cost of the reasoner's classification, USD; null if the reasoner was not asked. */
  readonly reasonerCostUsd: number | null
  /** Time left for another question to the reasoner, ms; null if it was not asked yet. */
  readonly reasonerLeftMs: number | null
}
