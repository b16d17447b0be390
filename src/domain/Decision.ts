/* A decision: the ledger's record of one recommendation, and of its feedback. */
import { Schema } from "effect"
import { PrepaidEstimates } from "./account/Prepaid.ts"
import type { ErrorCause, Outcome, Provenance } from "./Feedback.ts"
import { DecisionBasis } from "./RankedModel.ts"
import { SelectionPolicy } from "./Recommendation.ts"
import { RecommendationId } from "./RecommendationId.ts"
import { AccountId, Lane } from "./Scope.ts"
import { Cluster, Difficulty, TaskType } from "./Task.ts"
import { TaskVector } from "./text/TaskText.ts"

/** The probabilities of success that the predictors gave a model before its outcome was known, in [0, 1]. */
const Forecast = Schema.Struct({
  /** The cell of the task type, tags left out. */
  base: Schema.Finite,
  /** The most specific cell. */
  cells: Schema.Finite,
  local: Schema.Finite,
  /** What the two together said, optimism left out. */
  mixed: Schema.Finite,
  /** What that came to given earlier attempts at the task; absent where none was judged. */
  given: Schema.optionalKey(Schema.Finite),
  /** That at each of `stats/DifficultySpread.spreads`; kept of the recommended model alone. */
  bySpread: Schema.optionalKey(Schema.Array(Schema.Finite))
})
export type Forecast = typeof Forecast.Type

/** What the ledger keeps of one scored candidate, for counterfactuals. */
const DecisionCandidate = Schema.Struct({
  modelId: Schema.String,
  predictedSuccess: Schema.Finite,
  estCostUsd: Schema.Finite,
  /** Cleared the threshold and every constraint. */
  isEligible: Schema.Boolean
})
export type DecisionCandidate = typeof DecisionCandidate.Type

/** One recommendation as the ledger keeps it. The id is a UUIDv7, whose time is `createdAt`. */
export const Decision = Schema.Struct({
  recommendationId: RecommendationId,
  workflowId: Schema.NullOr(Schema.String),
  accountId: AccountId,
  createdAt: Schema.Date,
  lane: Lane,
  userId: Schema.NullOr(Schema.String),
  /**
   * First 3,000 and last 1,000 characters; embedded again when the outcome is taught. Empty where no word of
   * a task is kept, and where it was the oldest text of an account that had too much of it.
   */
  taskExcerpt: Schema.String,
  /** What the outcome is taught with instead of the words; absent while they are kept. */
  taskVectors: Schema.optionalKey(Schema.Array(TaskVector)),
  taskType: TaskType,
  difficulty: Difficulty,
  cluster: Cluster,
  tags: Schema.Array(Schema.String),
  recommendedModelId: Schema.String,
  /** Of the recommended model. */
  predictedSuccess: Schema.Finite,
  threshold: Schema.Finite,
  /** What a right result counted as worth, USD; null where the threshold decided. */
  successValueUsd: Schema.NullOr(Schema.Finite),
  decisionBasis: DecisionBasis,
  selectionPolicy: SelectionPolicy,
  /** Probability with which the recommended model was picked, in (0, 1]; 1 under `argmin`. */
  propensity: Schema.Finite,
  isExploration: Schema.Boolean,
  isEscalated: Schema.Boolean,
  /** Asked in shadow: the caller runs its own default, whatever the answer is. */
  isShadow: Schema.Boolean,
  /** The baseline of the guarantee that it counts for; null where it counts for none. */
  guaranteeBaselineId: Schema.NullOr(Schema.String),
  /**
   * The other model that was to run with a known probability: with that of the pick, or with the rest of it.
   * Under a propensity of 1 both were to run. Null without a trial.
   */
  guaranteeCandidateId: Schema.NullOr(Schema.String),
  /** The task that it is an attempt at, `TaskKey`; null where that is not known. */
  taskKey: Schema.NullOr(Schema.String),
  /** From 1; null for a request that is not about attempts. */
  attemptNumber: Schema.NullOr(Schema.Finite),
  costRecommendedUsd: Schema.Finite,
  /**
   * What it reserves of its account's budget above the estimate until it is reported, USD: the upper quartile
   * less the estimate, times bills per estimate. Null without a budget, and in shadow.
   */
  costMarginUsd: Schema.NullOr(Schema.Finite),
  /** The dearest scored candidate before the cost and latency filters. */
  costPremiumUsd: Schema.Finite,
  baselineModelId: Schema.NullOr(Schema.String),
  /** Null without a declared baseline that could be priced. */
  costDeclaredUsd: Schema.NullOr(Schema.Finite),
  candidates: Schema.Array(DecisionCandidate),
  /** The recalled neighbours, for credit. */
  neighbours: Schema.Array(Schema.Struct({
    entryId: Schema.String, modelId: Schema.String, weight: Schema.Finite
  })),
  /** Of every candidate: the lane learns from it when the model's outcome is reported. */
  forecasts: Schema.Array(Schema.Struct({ modelId: Schema.String, ...Forecast.fields })),
  warnings: Schema.Array(Schema.String),
  /** Of models whose tokens were paid already; absent without any. */
  prepaidTokens: Schema.optionalKey(PrepaidEstimates),
  catalogVersion: Schema.String,
  latencyMs: Schema.Finite,
  /** What asking the reasoner cost, an explicit 0 included; null where it was not asked. */
  reasonerCostUsd: Schema.NullOr(Schema.Finite)
})
export interface Decision extends Schema.Schema.Type<typeof Decision> {}

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
    | "accountId" | "costMarginUsd" | "forecasts" | "neighbours" | "prepaidTokens" | "taskExcerpt"
    | "taskVectors"
  >
  readonly feedback: Reconciliation | null
}
