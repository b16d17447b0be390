/** A policy: one mechanism's share of a choice among candidates. */
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

/** The request and its look-ups, as policies read them. An unused look-up is null. */
export interface PolicyContext {
  readonly settings: EngineSettings
  readonly request: Pick<RecommendRequest, "constraints" | "shadow">
  readonly query: CostQuery
  /** The unhealthy models, or null if every candidate can be called. */
  readonly health: UnhealthyCandidates | null
  /** The criteria of a plan of attempts. */
  readonly attempts: AttemptCriteria | null
  readonly guarantee: GuaranteeCriteria | null
  /** The budget of the account. */
  readonly budget: OpenBudget | null
}

/** The look-ups of a request. An unused look-up is null. */
interface PolicyFacts extends Pick<PolicyContext, "attempts" | "budget"> {
  readonly candidates: ReadonlyArray<Pick<Candidate, "card">>
  readonly health: AccountHealth
  readonly guarantee: AskedGuarantee | null
  /** The guarantee's evidence, or null if it could not be read. */
  readonly evidence: GuaranteeEvidence | null
}

/** The context of a request's policies. No trial is drawn in shadow or after a first attempt at the task. */
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

/** The words that explain a choice. A policy that changes the pick replaces them. */
export interface ChoiceWords {
  /** Says why the pick is the pick. */
  readonly merit: (choice: Choice) => string
  /** Says why another candidate is not the pick. */
  readonly shortfall: (choice: Choice, candidate: Scored) => string
  /** Names the settings that would change the pick, or nothing. */
  readonly change: (choice: Choice) => string
  /** A further sentence on the pick, or an empty text. */
  readonly afterword: (pick: Scored) => string
  /** Names the relaxed limits that a candidate exceeds, or nothing. */
  readonly over: (candidate: CostedCandidate) => string
}

/** The values of an answer's policy fields if no policy sets them. */
export const unanswered = {
  guarantee: null, plan: null, attemptNumber: null, isRetry: null, switchReason: null, untriedCheaper: null
}

/** The values of a decision's policy fields if no policy sets them. */
export const unrecorded = {
  guaranteeBaselineId: null, guaranteeCandidateId: null, attemptNumber: null, costMarginUsd: null
}

/** The fields that a policy sets in the answer and in the stored decision, after the choice. */
interface PolicyFields {
  /** @param nameOf a candidate as the caller names it */
  readonly answered?: (
    choice: Choice,
    nameOf: NameCandidate
  ) => Partial<Pick<RecommendResponse, keyof typeof unanswered>>
  readonly recorded?: (choice: Choice, decision: Decision) => Partial<Decision>
}

/** Names a candidate by our id and by the caller's spelling. */
export type NameCandidate = (
  candidate: Pick<Scored, "card">
) => NamedModel & { readonly requestedModelId: string | null }

/** The candidates that a policy excludes, and the reason. */
interface PassedBy {
  readonly reason: SwitchReason
  readonly includes: (candidate: CostedCandidate) => boolean
}

/** A choice after the policies so far. */
export interface Choice {
  readonly criteria: Criteria
  readonly objective: Objective
  /** All candidates with their prices, before any policy. */
  readonly priced: CostedCandidates
  /** The candidates within the limits, at least one. */
  readonly candidates: ReadonlyArray<CostedCandidate>
  /**
   * The candidates with their scores, best score first. Predictions are optimistic if that may change the
   * pick.
   */
  readonly ranked: ReadonlyArray<Scored>
  /** The candidates that reach the threshold. */
  readonly eligible: ReadonlyArray<Scored>
  /** The candidates that may run when the pick fails. */
  readonly allowed: ReadonlyArray<Scored>
  readonly pick: Scored
  /** The pick before a draw. */
  readonly deterministic: Scored
  /** Probability with which the pick was made, in (0, 1]. */
  readonly propensity: number
  readonly fallback: Scored | null
  /** True if the pick or its whole plan is predicted to reach the threshold. */
  readonly isReaching: boolean
  /** True if the choice advises to make no call. */
  readonly isIdle: boolean
  /** True if neither an opinion of a reasoner nor a lower threshold may change the pick. */
  readonly isFixed: boolean
  /** Expected cost of all planned calls, USD, or null without a plan. */
  readonly expectedUsd: number | null
  /** Plans again with this first attempt, unless its model has failed at the task, or null without a plan. */
  readonly replanned: ((choice: Choice, first: Scored) => Choice) | null
  readonly passedBy: ReadonlyArray<PassedBy>
  readonly warnings: ReadonlyArray<RecommendWarning>
  readonly words: ChoiceWords
  readonly fields: ReadonlyArray<PolicyFields>
}

/**
 * Narrows the candidates of a choice, or replaces its pick.
 *
 * @param draw in [0, 1), the only randomness
 */
export type Policy = (choice: Choice, draw: number) => Choice

/** Makes the policy of a request, or null if the request does not use the policy. */
export type PolicyMaker = (context: PolicyContext) => Policy | null

const nothing = (): string => ""
const noWords: ChoiceWords = {
  merit: nothing, shortfall: nothing, change: nothing, afterword: nothing, over: nothing
}

/** The choice before any policy. Its pick is the first candidate. */
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
