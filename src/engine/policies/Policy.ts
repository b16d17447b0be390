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

/** The request and its look-ups, as policies read them; null for each that the request does not use. */
export interface PolicyContext {
  readonly settings: EngineSettings
  readonly request: Pick<RecommendRequest, "constraints" | "shadow">
  readonly query: CostQuery
  /** The failing models; null if every candidate can be called. */
  readonly health: UnhealthyCandidates | null
  /** The criteria of a plan of attempts. */
  readonly attempts: AttemptCriteria | null
  readonly guarantee: GuaranteeCriteria | null
  /** The budget of the account. */
  readonly budget: OpenBudget | null
}

/** The look-ups that the context of policies is made from; null for each that the request does not use. */
interface PolicyFacts extends Pick<PolicyContext, "attempts" | "budget"> {
  readonly candidates: ReadonlyArray<Pick<Candidate, "card">>
  readonly health: AccountHealth
  readonly guarantee: AskedGuarantee | null
  /** The guarantee's evidence; null if it could not be read. */
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

/** The words that explain a choice. A policy that overrules the pick replaces them by its own. */
export interface ChoiceWords {
  /** Why the pick is the pick. */
  readonly merit: (choice: Choice) => string
  /** Why another candidate is not. */
  readonly shortfall: (choice: Choice, candidate: Scored) => string
  /** Which setting of the caller would change the pick; empty if none would. */
  readonly change: (choice: Choice) => string
  /** A sentence on the pick behind its own; empty for none. */
  readonly afterword: (pick: Scored) => string
  /** The relaxed limits that a candidate exceeds; empty if it exceeds none. */
  readonly over: (candidate: CostedCandidate) => string
}

/** The fields of an answer that policies fill, before any policy. */
export const unanswered = {
  guarantee: null, plan: null, attemptNumber: null, isRetry: null, switchReason: null, untriedCheaper: null
}

/** The fields of a decision that policies fill and that every decision has, before any policy. */
export const unrecorded = {
  guaranteeBaselineId: null, guaranteeCandidateId: null, attemptNumber: null, costMarginUsd: null
}

/** Fields that a policy adds to the stored decision and to the answer, when the choice is final. */
interface PolicyFields {
  /** @param nameOf a candidate as the caller names it */
  readonly answered?: (
    choice: Choice,
    nameOf: NameCandidate
  ) => Partial<Pick<RecommendResponse, keyof typeof unanswered>>
  readonly recorded?: (choice: Choice, decision: Decision) => Partial<Decision>
}

/** A candidate, as we and the caller name it. */
export type NameCandidate = (
  candidate: Pick<Scored, "card">
) => NamedModel & { readonly requestedModelId: string | null }

/** Candidates that a policy passes by, and why. */
interface PassedBy {
  readonly reason: SwitchReason
  readonly includes: (candidate: CostedCandidate) => boolean
}

/** A choice as the policies so far have made it. */
export interface Choice {
  readonly criteria: Criteria
  readonly objective: Objective
  /** All candidates with their prices, before any policy. */
  readonly priced: CostedCandidates
  /** The candidates within the limits; at least one. */
  readonly candidates: ReadonlyArray<CostedCandidate>
  /** The same with their scores, optimistic where that may change the pick; the best score first. */
  readonly ranked: ReadonlyArray<Scored>
  /** The candidates that reach the threshold. */
  readonly eligible: ReadonlyArray<Scored>
  /** The candidates that may run when the pick fails. */
  readonly allowed: ReadonlyArray<Scored>
  readonly pick: Scored
  /** The pick without a draw. */
  readonly deterministic: Scored
  /** Probability with which the pick was made, in (0, 1]. */
  readonly propensity: number
  readonly fallback: Scored | null
  /** Whether the pick, or what follows it, is predicted to reach the threshold. */
  readonly isReaching: boolean
  /** Whether it advises to make no call. */
  readonly isIdle: boolean
  /** Whether neither a reasoner's opinion nor a lower threshold may change the pick. */
  readonly isFixed: boolean
  /** Expected cost of all planned calls, USD; null for one call. */
  readonly expectedUsd: number | null
  /** Plans again from another first call, unless that call has failed; null if no calls are planned. */
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

/** Makes the policy of a request; null if the request does not use it. */
export type PolicyMaker = (context: PolicyContext) => Policy | null

const nothing = (): string => ""
const noWords: ChoiceWords = {
  merit: nothing, shortfall: nothing, change: nothing, afterword: nothing, over: nothing
}

/** The choice before any policy: all candidates, and the first of them for want of a better. */
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
