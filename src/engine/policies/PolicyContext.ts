/** Makes the context that the policies of a request read from its look-ups. */
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { AccountHealth } from "../../ledger/ModelsHealth.ts"
import type { GuaranteeEvidence } from "../../stats/GuaranteeStates.ts"
import type { Candidate } from "../recommend/candidates/Candidate.ts"
import type { CostQuery } from "../recommend/cost/ListCost.ts"
import type { EngineSettings } from "../Settings.ts"
import type { AttemptCriteria } from "./AttemptCriteria.ts"
import { type AskedGuarantee, guaranteeCriteria } from "./GuaranteeCriteria.ts"
import { unhealthyOf } from "./UnhealthyCandidates.ts"
import type { PolicyContext } from "./Policy.ts"

/** The look-ups for policies; null for each that the request does not use. */
interface PolicyFacts {
  readonly candidates: ReadonlyArray<Candidate>
  readonly health: AccountHealth
  readonly attempts: AttemptCriteria | null
  readonly guarantee: AskedGuarantee | null
  /** The guarantee's evidence; null if it could not be read. */
  readonly evidence: GuaranteeEvidence | null
}

export const policyContext = (
  settings: EngineSettings,
  request: RecommendRequest,
  query: CostQuery,
  { attempts, candidates, evidence, guarantee, health }: PolicyFacts
): PolicyContext & { readonly request: RecommendRequest } => ({
  settings,
  request,
  query,
  health: unhealthyOf(health, candidates),
  attempts,
  guarantee: guarantee === null
    ? null
    : guaranteeCriteria(guarantee, evidence, query.classified.taskType, request.shadow)
})
