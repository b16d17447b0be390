/** A request with its look-ups, its candidates and its criteria. */
import type { Decision } from "../../domain/Decision.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { Recalled } from "../../memory/Memory.ts"
import type { Notes } from "../Notes.ts"
import type { CriteriaLevels } from "../policies/Criteria.ts"
import type { PolicyContext } from "../policies/Policy.ts"
import type { Classified, CostedCandidates } from "./candidates/Candidate.ts"

/** Which recommendation this is, and whose. */
export interface RecommendationIdentity
  extends Pick<Decision, "createdAt" | "recommendationId" | "workflowId">
{
  readonly accountId: AccountId
  /** When it began, by the process's own clock, ms. */
  readonly beganMs: number
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
  /** The reasoner's cost of the classification, USD; null when it was not asked. */
  readonly reasonerCostUsd: number | null
  /** Time that the classification left for the reasoner, ms; null when it did not ask the reasoner. */
  readonly reasonerLeftMs: number | null
}
