/** A policy: one step of a choice, which may narrow the candidates or change the pick. */
import type { OpenBudget } from "../../accounts/AccountBudgets.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { NamedModel } from "../../domain/model/ModelVariant.ts"
import type { RecommendRequest, RecommendResponse, SwitchReason } from "../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { AccountHealth } from "../../ledger/ModelsHealth.ts"
import type { GuaranteeEvidence } from "../../stats/GuaranteeStates.ts"
import type {
  Candidate, CostedCandidate, CostedCandidates, Scored
} from "../recommend/candidates/Candidate.ts"
import { costObjective, type Objective } from "../recommend/choice/Objective.ts"
import type { CostQuery } from "../recommend/cost/ListCost.ts"
import type { EngineSettings } from "../Settings.ts"
import type { AttemptCriteria } from "./AttemptCriteria.ts"
import type { Criteria } from "./Criteria.ts"
import { type AskedGuarantee, guaranteeCriteria, type GuaranteeCriteria } from "./GuaranteeCriteria.ts"
import { type UnhealthyCandidates, unhealthyOf } from "./UnhealthyCandidates.ts"

/** The request and the results of its look-ups. */
export interface PolicyContext {
  readonly settings: EngineSettings
  readonly request: Pick<RecommendRequest, "constraints" | "shadow">
  readonly query: CostQuery
  /** The unhealthy candidates; null if no candidate is known to be unhealthy. */
  readonly health: UnhealthyCandidates | null
  /** The criteria of the plan; null if the request asks for no plan. */
  readonly attempts: AttemptCriteria | null
  readonly guarantee: GuaranteeCriteria | null
  readonly budget: OpenBudget | null
}

interface PolicyFacts extends Pick<PolicyContext, "attempts" | "budget"> {
  readonly candidates: ReadonlyArray<Pick<Candidate, "card">>
  readonly health: AccountHealth
  readonly guarantee: AskedGuarantee | null
  /** The guarantee's evidence; null if it was not read. */
  readonly evidence: GuaranteeEvidence | null
}

/** No trial of a guarantee is drawn for a shadow request, or if the request has earlier attempts. */
export const policyContext = (
  settings: EngineSettings,
  request: RecommendRequest,
  query: CostQuery,
  { attempts, budget, candidates, evidence, guarantee, health }: PolicyFacts
): PolicyContext => {
  const isUncounted = request.shadow || (attempts !== null && attempts.made > 0)
  return {
    settings, request, query, attempts, budget,
    health: unhealthyOf(health, candidates),
    guarantee: guarantee === null
      ? null
      : guaranteeCriteria(guarantee, evidence, query.classified.taskType, isUncounted)
  }
}

/** A policy that changes the pick also replaces its words. */
export interface ChoiceWords {
  readonly merit: (choice: Choice) => string
  readonly shortfall: (choice: Choice, candidate: Scored) => string
  /** Names the settings that would change the pick, or returns an empty text. */
  readonly change: (choice: Choice) => string
  /** Returns one more sentence about the recommended model, or an empty text. */
  readonly afterword: (pick: Scored) => string
  /** Names the relaxed limits that a candidate exceeds, or returns an empty text. */
  readonly over: (candidate: CostedCandidate) => string
}

/** Values of the answer's fields if no policy sets them. */
export const unanswered = {
  guarantee: null, plan: null, attemptNumber: null, isRetry: null, switchReason: null, untriedCheaper: null
}

/** Values of the decision's fields if no policy sets them. */
export const unrecorded = {
  guaranteeBaselineId: null, guaranteeCandidateId: null, attemptNumber: null, costMarginUsd: null
}

interface PolicyFields {
  /** @param nameOf returns the caller's name of a candidate */
  readonly answered?: (
    choice: Choice,
    nameOf: NameCandidate
  ) => Partial<Pick<RecommendResponse, keyof typeof unanswered>>
  readonly recorded?: (choice: Choice, decision: Decision) => Partial<Decision>
}

export type NameCandidate = (
  candidate: Pick<Scored, "card">
) => NamedModel & { readonly requestedModelId: string | null }

interface PassedBy {
  readonly reason: SwitchReason
  readonly includes: (candidate: CostedCandidate) => boolean
}

/** The choice after the policies that have run so far. */
export interface Choice {
  readonly criteria: Criteria
  readonly objective: Objective
  /** All candidates with their costs, before any policy has run. */
  readonly priced: CostedCandidates
  /** The candidates that the policies on limits and health leave, at least one. */
  readonly candidates: ReadonlyArray<CostedCandidate>
  /** The candidates, best score first, with optimistic predictions where optimism could change the pick. */
  readonly ranked: ReadonlyArray<Scored>
  /** The candidates whose predicted success reaches the threshold. */
  readonly eligible: ReadonlyArray<Scored>
  /** The candidates that a plan or the fallback may use. */
  readonly allowed: ReadonlyArray<Scored>
  readonly pick: Scored
  /** The recommended model before a model is drawn at random. */
  readonly deterministic: Scored
  /** Probability with which the pick was made, in (0, 1]. */
  readonly propensity: number
  readonly fallback: Scored | null
  /** True if a candidate or the plan is predicted to reach the threshold. */
  readonly isReaching: boolean
  readonly isIdle: boolean
  /** True under a guarantee: no reasoner's opinion and no lower threshold may change the pick. */
  readonly isFixed: boolean
  /** Expected cost of all planned calls, USD; null if the choice has no plan. */
  readonly expectedUsd: number | null
  /** Plans again with this first attempt, unless its model failed; null if the choice has no plan. */
  readonly replanned: ((choice: Choice, first: Scored) => Choice) | null
  readonly passedBy: ReadonlyArray<PassedBy>
  readonly warnings: ReadonlyArray<RecommendWarning>
  readonly words: ChoiceWords
  readonly fields: ReadonlyArray<PolicyFields>
}

/** Returns the choice after this step; `draw` is a random number in [0, 1). */
export type Policy = (choice: Choice, draw: number) => Choice

/** Makes the policy of a request; null if the request does not use the policy. */
export type PolicyMaker = (context: PolicyContext) => Policy | null

const nothing = (): string => ""
const noWords: ChoiceWords = {
  merit: nothing, shortfall: nothing, change: nothing, afterword: nothing, over: nothing
}

/** Returns the choice before any policy has run. */
export const startOf = (candidates: CostedCandidates, criteria: Criteria): Choice => {
  const first = { ...candidates[0], score: 0 }
  return {
    criteria,
    objective: costObjective,
    priced: candidates,
    candidates,
    ranked: [],
    eligible: [],
    allowed: [],
    pick: first,
    deterministic: first,
    propensity: 1,
    fallback: null,
    isReaching: false,
    isIdle: false,
    isFixed: false,
    expectedUsd: null,
    replanned: null,
    passedBy: [],
    warnings: [],
    words: noWords,
    fields: []
  }
}
