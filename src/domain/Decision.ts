/* A decision: the ledger's record of one recommendation, and of its feedback. */
import type { ErrorCause, Outcome, Provenance } from "./feedback/Feedback.ts"
import type { DecisionBasis } from "./RankedModel.ts"
import type { SelectionPolicy } from "./Recommendation.ts"
import type { RecommendationId } from "./RecommendationId.ts"
import type { AccountId, Lane } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { UntriedCheaper } from "./UntriedCheaper.ts"
import type { TaskVector } from "./text/TaskText.ts"

/** A model's predicted probabilities of success in [0, 1], before its outcome was known. */
export interface Forecast {
  /** The prediction from outcomes by lane, task type, and the difficulty if known, whatever their tags. */
  readonly base: number
  /** The prediction from groups of outcomes, including the groups with the task's tags. */
  readonly cells: number
  readonly local: number
  /** The mixture of the predictions by groups and by similar outcomes, without any optimistic correction. */
  readonly mixed: number
  /** The prediction after earlier attempts at the task; absent if no earlier attempt was judged. */
  readonly given?: number
  /** The recommended model's success after earlier attempts, for each assumed spread of task difficulty. */
  readonly bySpread?: ReadonlyArray<number>
}

export interface DecisionCandidate {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly estCostUsd: number
  /** True if the candidate reached the threshold and met every limit. */
  readonly isEligible: boolean
}

/** The decision's id is a UUIDv7 that contains `createdAt`. */
export interface Decision {
  readonly recommendationId: RecommendationId
  readonly workflowId: string | null
  readonly accountId: AccountId
  readonly createdAt: Date
  readonly lane: Lane
  readonly userId: string | null
  /** First 3,000 and last 1,000 characters of the task; empty if not stored, or past its age limit. */
  readonly taskExcerpt: string
  /** The vectors that replace the task's text when memory learns the outcome; absent if there are none. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly recommendedModelId: string
  readonly predictedSuccess: number
  readonly threshold: number
  /** The value of a right result by which the pick was made, USD; null if the pick used no value. */
  readonly successValueUsd: number | null
  readonly decisionBasis: DecisionBasis
  readonly selectionPolicy: SelectionPolicy
  /** The probability with which this model was picked, in (0, 1]; 1 if nothing was drawn at random. */
  readonly propensity: number
  readonly isExploration: boolean
  readonly isEscalated: boolean
  /** True if the caller runs its own default model, whatever the answer is. */
  readonly isShadow: boolean
  /** Baseline of the guarantee for which this decision is evidence; null if there is none. */
  readonly guaranteeBaselineId: string | null
  /**
   * Candidate that this decision compares with the guarantee's baseline; null if it compares nothing. The
   * candidate or the baseline is drawn at random, or both run if `propensity` is 1.
   */
  readonly guaranteeCandidateId: string | null
  /** Key of the task that this decision is an attempt at, made by `TaskKey`; null if the task is unknown. */
  readonly taskKey: string | null
  /** Attempt's number from 1; 0 if none was advised, null if the request is not about attempts. */
  readonly attemptNumber: number | null
  readonly costRecommendedUsd: number
  /**
   * Amount reserved in the budget beyond the estimate until the report comes, USD; null if the account has no
   * budget, or if the decision is in shadow.
   */
  readonly costMarginUsd: number | null
  /** Estimated cost of the most expensive candidate before the cost and latency filters, USD. */
  readonly costPremiumUsd: number
  readonly baselineModelId: string | null
  /** Estimated cost of the declared baseline, USD; null if no baseline with a price was declared. */
  readonly costDeclaredUsd: number | null
  readonly candidates: ReadonlyArray<DecisionCandidate>
  readonly neighbours: ReadonlyArray<{
    readonly entryId: string
    readonly modelId: string
    readonly weight: number
  }>
  readonly forecasts: ReadonlyArray<Forecast & { readonly modelId: string }>
  readonly warnings: ReadonlyArray<string>
  readonly untriedCheaper?: UntriedCheaper
  readonly catalogVersion: string
  readonly latencyMs: number
  /** Known cost of asking the reasoner, USD, which may be 0; null if the reasoner was not asked. */
  readonly reasonerCostUsd: number | null
}

/** The model that replaces a guarantee's baseline, even if a trial ran the baseline; null if none does. */
export const heldBy = (
  { guaranteeBaselineId, guaranteeCandidateId, isExploration, recommendedModelId }: Pick<
    Decision, "guaranteeBaselineId" | "guaranteeCandidateId" | "isExploration" | "recommendedModelId"
  >
): string | null => {
  if (guaranteeBaselineId === null) return null
  const isBaseline = recommendedModelId === guaranteeBaselineId
  return isExploration ? (isBaseline ? guaranteeCandidateId : null) : isBaseline ? null : recommendedModelId
}

export type RunChoice = Pick<Decision, "baselineModelId" | "isShadow" | "recommendedModelId">

/** The model that is assumed to run: the recommended model, or in shadow the baseline if one was named. */
export const unreportedModelOf = ({ baselineModelId, isShadow, recommendedModelId }: RunChoice): string =>
  (isShadow ? baselineModelId : null) ?? recommendedModelId

export interface Reconciliation {
  readonly feedbackAt: Date
  readonly chosenModelId: string
  readonly outcome: Outcome
  readonly quality: number
  readonly provenance: Provenance
  readonly errorCause: ErrorCause | null
  readonly teaches: boolean
  readonly isLate: boolean
  readonly actualCostUsd: number | null
  /** Cost of the tokens at list prices, USD, if the report had no bill. */
  readonly computedCostUsd: number | null
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
}

export interface LedgerRow {
  readonly decision: Omit<
    Decision,
    "accountId" | "costMarginUsd" | "forecasts" | "neighbours" | "taskExcerpt" | "taskVectors"
  >
  readonly feedback: Reconciliation | null
}
