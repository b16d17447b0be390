/* A decision: the ledger's record of one recommendation, and of its feedback. */
import type { ErrorCause, Outcome, Provenance } from "./feedback/Feedback.ts"
import type { DecisionBasis } from "./RankedModel.ts"
import type { SelectionPolicy } from "./Recommendation.ts"
import type { RecommendationId } from "./RecommendationId.ts"
import type { AccountId, Lane } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { UntriedCheaper } from "./UntriedCheaper.ts"
import type { TaskVector } from "./text/TaskText.ts"

/** The probabilities of success that the predictors gave a model before its outcome was known, in [0, 1]. */
export interface Forecast {
  /** The cell of the task type, tags left out. */
  readonly base: number
  /** The most specific cell. */
  readonly cells: number
  readonly local: number
  /** What the two together said, optimism left out. */
  readonly mixed: number
  /** What that came to given earlier attempts at the task; absent where none was judged. */
  readonly given?: number
  /** That at each of `stats/DifficultySpread.spreads`; kept of the recommended model alone. */
  readonly bySpread?: ReadonlyArray<number>
}

/** What the ledger keeps of one scored candidate, for counterfactuals. */
export interface DecisionCandidate {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly estCostUsd: number
  /** Cleared the threshold and every constraint. */
  readonly isEligible: boolean
}

/** One recommendation as the ledger keeps it. The id is a UUIDv7, whose time is `createdAt`. */
export interface Decision {
  readonly recommendationId: RecommendationId
  readonly workflowId: string | null
  readonly accountId: AccountId
  readonly createdAt: Date
  readonly lane: Lane
  readonly userId: string | null
  /**
   * First 3,000 and last 1,000 characters; embedded again when the outcome is taught. Empty where no word of
   * a task is kept, and where it is older than texts are kept.
   */
  readonly taskExcerpt: string
  /** What the outcome is taught with instead of the words; absent while they are kept. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly recommendedModelId: string
  /** Of the recommended model. */
  readonly predictedSuccess: number
  readonly threshold: number
  /** What a right result counted as worth, USD; null where the threshold decided. */
  readonly successValueUsd: number | null
  readonly decisionBasis: DecisionBasis
  readonly selectionPolicy: SelectionPolicy
  /** Probability with which the recommended model was picked, in (0, 1]; 1 under `argmin`. */
  readonly propensity: number
  readonly isExploration: boolean
  readonly isEscalated: boolean
  /** Asked in shadow: the caller runs its own default, whatever the answer is. */
  readonly isShadow: boolean
  /** The baseline of the guarantee that it counts for; null where it counts for none. */
  readonly guaranteeBaselineId: string | null
  /**
   * The other model that was to run with a known probability: with that of the pick, or with the rest of it.
   * Under a propensity of 1 both were to run. Null without a trial.
   */
  readonly guaranteeCandidateId: string | null
  /** The task that it is an attempt at, `TaskKey`; null where that is not known. */
  readonly taskKey: string | null
  /** From 1; 0 where no attempt was advised; null for a request that is not about attempts. */
  readonly attemptNumber: number | null
  readonly costRecommendedUsd: number
  /**
   * What it reserves of its account's budget above the estimate until it is reported, USD: the upper quartile
   * less the estimate, times bills per estimate. Null without a budget, and in shadow.
   */
  readonly costMarginUsd: number | null
  /** The dearest scored candidate before the cost and latency filters. */
  readonly costPremiumUsd: number
  readonly baselineModelId: string | null
  /** Null without a declared baseline that could be priced. */
  readonly costDeclaredUsd: number | null
  readonly candidates: ReadonlyArray<DecisionCandidate>
  /** The recalled neighbours, for credit. */
  readonly neighbours: ReadonlyArray<{
    readonly entryId: string
    readonly modelId: string
    readonly weight: number
  }>
  /** Of every candidate: the lane learns from it when the model's outcome is reported. */
  readonly forecasts: ReadonlyArray<Forecast & { readonly modelId: string }>
  readonly warnings: ReadonlyArray<string>
  /** What the answer named; absent where it named none. */
  readonly untriedCheaper?: UntriedCheaper
  readonly catalogVersion: string
  readonly latencyMs: number
  /** What asking the reasoner cost, an explicit 0 included; null where it was not asked. */
  readonly reasonerCostUsd: number | null
}

/**
 * The model that the decision's guarantee holds in place of its baseline; null where it holds none. A trial
 * runs the other one of the two.
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

/** What says which model a decision's caller ran. */
export type RunChoice = Pick<Decision, "baselineModelId" | "isShadow" | "recommendedModelId">

/**
 * The model that ran as long as no report names one: the recommended one. In shadow it did not run: the
 * caller ran its own default, which is the baseline of its request.
 */
export const unreportedModelOf = ({ baselineModelId, isShadow, recommendedModelId }: RunChoice): string =>
  (isShadow ? baselineModelId : null) ?? recommendedModelId

/** The feedback that a decision has received. */
export interface Reconciliation {
  readonly feedbackAt: Date
  readonly chosenModelId: string
  readonly outcome: Outcome
  readonly quality: number
  readonly provenance: Provenance
  readonly errorCause: ErrorCause | null
  /** The label may move the posterior: not telemetry only, not infrastructure. */
  readonly teaches: boolean
  readonly isLate: boolean
  readonly actualCostUsd: number | null
  /** From the tokens at list prices, where the report had them and no bill, USD. */
  readonly computedCostUsd: number | null
  readonly inputTokens: number | null
  /** Part of the input. */
  readonly cachedInputTokens: number | null
  readonly outputTokens: number | null
  /** Part of the output. */
  readonly reasoningTokens: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
}

/** A decision with the feedback it received, if any, as the reports read it. */
export interface LedgerRow {
  readonly decision: Omit<
    Decision,
    "accountId" | "costMarginUsd" | "forecasts" | "neighbours" | "taskExcerpt" | "taskVectors"
  >
  readonly feedback: Reconciliation | null
}
