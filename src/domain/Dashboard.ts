/* The answer of the dashboard endpoint. */
import { Schema } from "effect"
import { CostSource, Outcome } from "./Feedback.ts"
import { DecisionBasis } from "./Recommendation.ts"
import { SavingsSummary } from "./Report.ts"
import { Figure, Price, UsdFigure } from "./Units.ts"
import { nullable, wire } from "./Wire.ts"

/** What was decided on one day, UTC; feedback counts on the day of its decision, however late it came. */
export const SavingsDay = Schema.Struct({
  /** `2026-11-21` */
  day: Schema.String,
  summary: SavingsSummary
}).annotate({ identifier: "SavingsDay" })

/** The outcomes of one model in one cluster, counted where it ran. */
export const ClusterModel = wire({
  cluster: Schema.String,
  modelId: Schema.String,
  /** Decisions that recommended it, run or not. */
  nRecommended: Schema.Int,
  /** Outcomes of its runs that teach; partial success counts one half. */
  nOutcomes: Schema.Int,
  successRate: Schema.NullOr(Figure),
  /** Wilson's 95 % interval of the rate. */
  successLow: Schema.NullOr(Figure),
  successHigh: Schema.NullOr(Figure),
  /** Mean prediction for those of the runs that were predicted. */
  predictedSuccess: Schema.NullOr(Figure),
  /** Runs with a reported cost, 0 included. */
  nBilled: Schema.Int,
  meanCostUsd: Schema.NullOr(UsdFigure)
}).annotate({ identifier: "ClusterModel" })
export type ClusterModel = typeof ClusterModel.Type

/** The candidate that would have been picked without the recommended one. */
export const RunnerUp = wire({
  modelId: Schema.String,
  predictedSuccess: Figure,
  estCostUsd: UsdFigure
}).annotate({ identifier: "RunnerUp" })
export type RunnerUp = typeof RunnerUp.Type

const DecisionOutcome = wire({
  feedbackAt: Schema.String,
  /** The model that ran, which need not be the recommended one. */
  modelId: Schema.String,
  outcome: Outcome,
  quality: Figure,
  /** `gate`, `judge`, `human`, `none`, or `assertion` when the caller named no source. */
  provenance: Schema.String,
  /** The label may change predictions: not telemetry only, not a failure of infrastructure. */
  teaches: Schema.Boolean,
  actualCostUsd: Schema.NullOr(UsdFigure),
  /** What the cost rests on; null when no cost is known. */
  costSource: nullable(CostSource),
  /** The cost by list prices, where no bill was reported. */
  computedCostUsd: nullable(Price)
}).annotate({ identifier: "DecisionOutcome" })

/** One decision as the ledger keeps it, without the task. */
export const RecentDecision = wire({
  recommendationId: Schema.String,
  createdAt: Schema.String,
  lane: Schema.String,
  cluster: Schema.String,
  recommendedModelId: Schema.String,
  predictedSuccess: Figure,
  threshold: Figure,
  estCostUsd: UsdFigure,
  /** The dearest candidate before the cost and latency filters. */
  costPremiumUsd: UsdFigure,
  baselineModelId: Schema.NullOr(Schema.String),
  costDeclaredUsd: Schema.NullOr(UsdFigure),
  /** Null when nothing else was scored. */
  runnerUp: Schema.NullOr(RunnerUp),
  decisionBasis: DecisionBasis,
  warnings: Schema.Array(Schema.String),
  rationale: Schema.String,
  /** Null until feedback arrives. */
  outcome: Schema.NullOr(DecisionOutcome)
}).annotate({ identifier: "RecentDecision" })
export type RecentDecision = typeof RecentDecision.Type

/** What the dashboard shows beside the reports: aggregates, and the last decisions. */
export const DashboardResponse = wire({
  namespace: nullable(Schema.String),
  days: Schema.Finite,
  /** Days with decisions only, oldest first. */
  savingsByDay: Schema.Array(SavingsDay),
  /** At most 200, those with the most decisions and outcomes, sorted by cluster, then model. */
  clusterModels: Schema.Array(ClusterModel),
  /** Pairs of cluster and model past those 200. */
  clusterModelsLeftOut: Schema.Int,
  /** At most 50, newest first. */
  decisions: Schema.Array(RecentDecision)
}).annotate({ identifier: "DashboardResponse" })
export type DashboardResponse = typeof DashboardResponse.Type
