/* The answers of the report endpoints: savings, calibration, policy value. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "./Units.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

export const GroupBy = Schema.Literals(["cluster", "task_type", "lane"]).annotate({ identifier: "GroupBy" })
export type GroupBy = typeof GroupBy.Type

/** Over every recommendation in the window; the declared columns over those that named a baseline. */
const EstimatedSavings = wire({
  n: Schema.Int,
  costRecommendedUsd: UsdFigure,
  costPremiumUsd: UsdFigure,
  savingsVsPremiumUsd: UsdFigure,
  nDeclared: Schema.Int,
  costDeclaredUsd: UsdFigure,
  savingsVsDeclaredUsd: UsdFigure
}).annotate({ identifier: "EstimatedSavings" })

/** Over the reconciled subset only: recommendations whose feedback carried `actual_cost_usd`, 0 included. */
const RealizedSavings = wire({
  nReconciled: Schema.Int,
  realizedCostUsd: UsdFigure,
  estCostRecommendedUsd: UsdFigure,
  estCostPremiumUsd: UsdFigure,
  savingsVsPremiumEstUsd: UsdFigure,
  nDeclared: Schema.Int,
  estCostDeclaredUsd: UsdFigure,
  savingsVsDeclaredEstUsd: UsdFigure
}).annotate({ identifier: "RealizedSavings" })

export const ReportHealth = wire({
  recommendations: Schema.Int,
  feedbackCoverage: Figure,
  lateFeedbackShare: Figure,
  escalationRate: Figure,
  explorationShare: Figure,
  epsilonPolicyShare: Figure
}).annotate({ identifier: "ReportHealth" })
export type ReportHealth = typeof ReportHealth.Type

/** The two kinds of figures are never added up. */
export const SavingsSummary = wire({
  estimated: EstimatedSavings,
  realized: RealizedSavings,
  /** What the reasoner cost on the way, in neither of the two; null when the ledger says nothing of it. */
  reasonerCostUsd: nullable(UsdFigure),
  /**
   * Bills in `realized` more than 50 times what the decision's dearest candidate was estimated to cost, and
   * their amount, as long as no other bill of the model and cluster is within a factor of 5.
   */
  nCostOutliers: defaulted(Schema.Int, 0),
  costOutliersUsd: defaulted(UsdFigure, 0),
  /** `realized` without them; null when there are none. */
  realizedWithoutOutliers: nullable(RealizedSavings)
}).annotate({ identifier: "SavingsSummary" })
export type SavingsSummary = typeof SavingsSummary.Type

const SavingsGroup = Schema.Struct({
  key: Schema.String,
  summary: SavingsSummary,
  health: ReportHealth
}).annotate({ identifier: "SavingsGroup" })

export const SavingsResponse = wire({
  namespace: nullable(Schema.String),
  days: Schema.Finite,
  groupBy: nullable(GroupBy),
  summary: SavingsSummary,
  health: ReportHealth,
  groups: Schema.Array(SavingsGroup)
}).annotate({ identifier: "SavingsResponse" })
export type SavingsResponse = typeof SavingsResponse.Type

export const ReliabilityBin = wire({
  lo: Figure,
  hi: Figure,
  n: Schema.Int,
  avgPredicted: Schema.NullOr(Figure),
  avgRealized: Schema.NullOr(Figure)
}).annotate({ identifier: "ReliabilityBin" })

export const CalibrationReport = wire({
  sliceKey: Schema.String,
  n: Schema.Int,
  /** Expected calibration error against the outcome's success; null without outcomes, 0 is perfect. */
  ece: Schema.NullOr(Figure),
  eceShrunk: Schema.NullOr(Figure),
  eceQuality: Schema.NullOr(Figure),
  bins: Schema.Array(ReliabilityBin)
}).annotate({ identifier: "CalibrationReport" })
export type CalibrationReport = typeof CalibrationReport.Type

const DriftFlag = wire({
  cluster: Schema.String,
  modelId: Schema.String,
  direction: Schema.Literals(["over_predicting", "under_predicting"])
}).annotate({ identifier: "DriftFlag" })

export const CalibrationResponse = wire({
  namespace: nullable(Schema.String),
  days: Schema.Finite,
  reports: Schema.Array(CalibrationReport),
  driftFlags: Schema.Array(DriftFlag),
  health: ReportHealth
}).annotate({ identifier: "CalibrationResponse" })
export type CalibrationResponse = typeof CalibrationResponse.Type

/**
 * How `success_value` was estimated. `empirical`: the mean of what happened. `doubly-robust`: the outcome
 * model, corrected by outcomes that represent (nearly) all rows. `partly-model-based`: corrected on a part of
 * the rows or by a handful of outcomes. `model-based`: by the outcome model alone, since the log has no
 * outcome of the policy.
 */
export const EstimateBasis = Schema.Literals([
  "empirical", "doubly-robust", "partly-model-based", "model-based"
]).annotate({ identifier: "EstimateBasis" })
export type EstimateBasis = typeof EstimateBasis.Type

/** Success in [0, 1] and cost in US dollars per call of one way of choosing a model. */
export const PolicyEstimate = wire({
  policy: Schema.String,
  /** The one model of `best-single`, chosen on the first half of the log and judged on the second alone. */
  modelId: nullable(Schema.String),
  /** Trusted rows that it was judged on. */
  n: Schema.Int,
  successValue: Schema.NullOr(Figure),
  costValue: Schema.NullOr(UsdFigure),
  /** Share of `n` on which the model that ran is the one that the policy picks. */
  matchedShare: Figure,
  /** A 95 % interval of `success_value`. */
  successLow: Schema.NullOr(Figure),
  successHigh: Schema.NullOr(Figure),
  /** How many equally weighted outcomes `success_value` rests on, the outcome model left out. */
  effectiveSampleSize: Figure,
  basis: EstimateBasis,
  doublyRobustValue: nullable(Figure),
  /** Self-normalised inverse propensity: the matched outcomes alone, about the supported rows only. */
  ipsValue: nullable(Figure),
  /** The outcome model alone. */
  directValue: nullable(Figure),
  /** Share of `n` on which the log could have shown the policy's pick: it was made, or could be drawn. */
  supportedShare: nullable(Figure)
}).annotate({ identifier: "PolicyEstimate" })
export type PolicyEstimate = typeof PolicyEstimate.Type

const RegretReport = wire({
  nTrusted: Schema.Int,
  nTotalReconciled: Schema.Int,
  stochasticShare: Figure,
  policies: Schema.Array(PolicyEstimate),
  /** Model-based oracle success minus the deployed policy's; 0 as long as no trusted row followed it. */
  regretVsOracle: Figure,
  /**
   * Success of the recommended models minus that of the same models assigned at random to the same tasks,
   * with a 95 % interval: what choosing per task adds. 0 when the same model is always picked.
   */
  routingLift: nullable(Figure),
  routingLiftLow: nullable(Figure),
  routingLiftHigh: nullable(Figure),
  /** How the random side of the difference was estimated; the other side is what happened. */
  routingLiftBasis: nullable(EstimateBasis)
}).annotate({ identifier: "RegretReport" })

export const PolicyValueResponse = wire({
  orgId: Schema.String,
  since: Schema.String,
  days: Schema.Finite,
  namespace: nullable(Schema.String),
  report: RegretReport
}).annotate({ identifier: "PolicyValueResponse" })
export type PolicyValueResponse = typeof PolicyValueResponse.Type
