/* A decision: the ledger's record of one recommendation, and of its feedback. */
import type { ErrorCause, Outcome, Provenance } from "./feedback/Feedback.ts"
import type { DecisionBasis } from "./RankedModel.ts"
import type { SelectionPolicy } from "./Recommendation.ts"
import type { RecommendationId } from "./RecommendationId.ts"
import type { AccountId, Lane } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { UntriedCheaper } from "./UntriedCheaper.ts"
import type { TaskVector } from "./text/TaskText.ts"

/**
 * A model's predicted probabilities of success, by predictor, before its outcome was known. Each in [0, 1].
 */
export interface Forecast {
  /** By the back-off groups without tags: lane, task type, and the difficulty if it is known. */
  readonly base: number
  /** By the back-off groups, tags included. */
  readonly cells: number
  readonly local: number
  /** The mixture of `cells` and `local`, without optimism. */
  readonly mixed: number
  /** The prediction after earlier attempts at the task; absent if no attempt was judged. */
  readonly given?: number
  /** `given` at each of `stats/DifficultySpread.spreads`; only the recommended model has it. */
  readonly bySpread?: ReadonlyArray<number>
}

/** One scored candidate as the ledger keeps it. */
export interface DecisionCandidate {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly estCostUsd: number
  /** Whether the candidate reached the threshold and met every constraint. */
  readonly isEligible: boolean
}

/** One recommendation as the ledger keeps it. The id is a UUIDv7 that contains `createdAt`. */
export interface Decision {
  readonly recommendationId: RecommendationId
  readonly workflowId: string | null
  readonly accountId: AccountId
  readonly createdAt: Date
  readonly lane: Lane
  readonly userId: string | null
  /**
   * The first 3,000 and last 1,000 characters of the task, which are embedded again when the outcome is
   * taught. Empty if the account keeps no words of a task, or once the words are past their age limit.
   */
  readonly taskExcerpt: string
  /** The vectors that stand in for the words when the outcome is taught; absent while the words are kept. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly recommendedModelId: string
  /** The prediction for the recommended model. */
  readonly predictedSuccess: number
  readonly threshold: number
  /** The value of a right result, USD; null if the threshold decided. */
  readonly successValueUsd: number | null
  readonly decisionBasis: DecisionBasis
  readonly selectionPolicy: SelectionPolicy
  /** The probability of this pick, in (0, 1]; 1 under `argmin`. */
  readonly propensity: number
  readonly isExploration: boolean
  readonly isEscalated: boolean
  /** Whether the caller runs its own default, whatever the answer is. */
  readonly isShadow: boolean
  /** The baseline of the guarantee whose evidence this decision adds to; null if it adds to none. */
  readonly guaranteeBaselineId: string | null
  /**
   * The rival of the trial. The rival runs with the probability `propensity`, or with the rest of it. At a
   * `propensity` of 1, both models of the pair run. Null without a trial.
   */
  readonly guaranteeCandidateId: string | null
  /**
   * Key of the task that this decision is an attempt at, as `TaskKey` makes it; null if the task is not
   * known.
   */
  readonly taskKey: string | null
  /**
   * Number of the attempt, from 1. 0 if no attempt was advised; null if the request is not about attempts.
   */
  readonly attemptNumber: number | null
  readonly costRecommendedUsd: number
  /**
   * The amount reserved in the account's budget beyond the estimate, until the report comes, USD. The margin
   * is the upper quartile less the estimate, times bills per estimate. Null without a budget, and in shadow.
   */
  readonly costMarginUsd: number | null
  /** Estimate of the most expensive scored candidate before the cost and latency filters. */
  readonly costPremiumUsd: number
  readonly baselineModelId: string | null
  /** Estimate of the declared baseline; null without a baseline that has a price. */
  readonly costDeclaredUsd: number | null
  readonly candidates: ReadonlyArray<DecisionCandidate>
  /** The recalled outcomes that get credit when the outcome is reported. */
  readonly neighbours: ReadonlyArray<{
    readonly entryId: string
    readonly modelId: string
    readonly weight: number
  }>
  /** The forecasts of every candidate. The lane calibrates with them when the model's outcome is reported. */
  readonly forecasts: ReadonlyArray<Forecast & { readonly modelId: string }>
  readonly warnings: ReadonlyArray<string>
  /** The untried cheaper model that the answer named; absent if it named none. */
  readonly untriedCheaper?: UntriedCheaper
  readonly catalogVersion: string
  readonly latencyMs: number
  /** Cost of asking the reasoner, USD, which may be 0; null if it was not asked. */
  readonly reasonerCostUsd: number | null
}

/**
 * Returns the model that the guarantee held in place of its baseline; null if it held none. A trial runs the
 * other model of the pair.
 */
export const heldBy = (
  { guaranteeBaselineId, guaranteeCandidateId, isExploration, recommendedModelId }: Pick<
    Decision, "guaranteeBaselineId" | "guaranteeCandidateId" | "isExploration" | "recommendedModelId"
  >
): string | null => {
  if (guaranteeBaselineId === null) return null
  const isBaseline = recommendedModelId === guaranteeBaselineId
  return isExploration ? (isBaseline ? guaranteeCandidateId : null) : isBaseline ? null : recommendedModelId
}

/** The fields that tell which model a decision's caller ran. */
export type RunChoice = Pick<Decision, "baselineModelId" | "isShadow" | "recommendedModelId">

/**
 * Returns the model to assume until a report names one: the recommended model. In shadow it is the request's
 * baseline, because the caller ran its own default.
 */
export const unreportedModelOf = ({ baselineModelId, isShadow, recommendedModelId }: RunChoice): string =>
  (isShadow ? baselineModelId : null) ?? recommendedModelId

/** The combined feedback on a decision. */
export interface Reconciliation {
  readonly feedbackAt: Date
  readonly chosenModelId: string
  readonly outcome: Outcome
  readonly quality: number
  readonly provenance: Provenance
  readonly errorCause: ErrorCause | null
  /** Whether the label may change predictions. False for telemetry alone and for infrastructure failures. */
  readonly teaches: boolean
  readonly isLate: boolean
  readonly actualCostUsd: number | null
  /** Cost of the tokens at list prices, USD. Set if the report had tokens and no bill. */
  readonly computedCostUsd: number | null
  readonly inputTokens: number | null
  /** A part of `inputTokens`. */
  readonly cachedInputTokens: number | null
  readonly outputTokens: number | null
  /** A part of `outputTokens`. */
  readonly reasoningTokens: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
}

/** A decision and its feedback, as the reports read them. */
export interface LedgerRow {
  readonly decision: Omit<
    Decision,
    "accountId" | "costMarginUsd" | "forecasts" | "neighbours" | "taskExcerpt" | "taskVectors"
  >
  readonly feedback: Reconciliation | null
}
