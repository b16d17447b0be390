/* The answer of the dashboard endpoint. */
import { Schema } from "effect"
import { baselineFields, pickFields, variantFields } from "../model/VariantFields.ts"
import { CostSource, Outcome } from "../feedback/Feedback.ts"
import { DecisionBasis } from "../RankedModel.ts"
import { Coverage } from "./Coverage.ts"
import { JudgeWorth } from "./JudgeWorth.ts"
import { SavingsSummary } from "./Report.ts"
import { ShadowReport } from "./ShadowReport.ts"
import { VerdictsNeeded } from "./VerdictsNeeded.ts"
import { SentId } from "../RecommendationId.ts"
import { Day, Moment } from "../Time.ts"
import { UntriedInKind } from "../UntriedCheaper.ts"
import { Figure, Price, UsdFigure } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

/** What was decided on one day, UTC; feedback counts on the day of its decision, however late it came. */
export const SavingsDay = wire({
  day: described(Day, "The day, UTC, such as `2026-11-21`."),
  summary: described(SavingsSummary, "Its savings; feedback counts on the day of its decision.")
}, { identifier: "SavingsDay", description: "Savings of the decisions of one day." })

/** The outcomes of one model in one cluster, counted where it ran. */
export const ClusterModel = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...variantFields("The model."),
  nRecommended: described(Schema.Int, "Decisions that recommended it, run or not, count."),
  nOutcomes: described(Schema.Int, "Outcomes of its runs that teach, count."),
  successRate: described(
    Schema.NullOr(Figure), "Share of success, partial success counted as one half; null without outcomes."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of Wilson's 95 % interval of the rate."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of Wilson's 95 % interval of the rate."),
  predictedSuccess: described(
    Schema.NullOr(Figure), "Mean prediction for those of the runs that were predicted; null without any."
  ),
  nBilled: described(Schema.Int, "Runs with a reported cost, 0 included, count."),
  meanCostUsd: described(Schema.NullOr(UsdFigure), "Mean reported cost, in US dollars; null without any."),
  nCostOutliers: described(
    defaulted(Schema.Int, 0),
    "Those of the reported costs that are more than 50 times the most expensive candidate's estimate while "
      + "no other cost of the model and kind of task confirms them, count."
  ),
  meanCostWithoutOutliersUsd: described(
    nullable(UsdFigure), "Mean reported cost without those, in US dollars; null where none is left."
  )
}, {
  identifier: "ClusterModel",
  description: "The outcomes of one model on one kind of task, counted where it ran."
})
export type ClusterModel = typeof ClusterModel.Type

/** What a model that ran cost on one day. */
export const SpendDay = wire({
  day: described(Day, "The day, UTC, of the decisions."),
  ...variantFields("The model that ran; empty for all others than the dearest 7."),
  n: described(Schema.Int, "Calls with a bill or token counts, count."),
  billedUsd: described(UsdFigure, "Sum of their bills, in US dollars."),
  listPricesUsd: described(UsdFigure, "Cost of the others at list prices, in US dollars.")
}, { identifier: "SpendDay", description: "Spending on one model on one day; the days add up to `spend`." })
export type SpendDay = typeof SpendDay.Type

/** How fast and how sound the calls of a model were. */
const ModelCalls = wire({
  ...variantFields("The model that ran."),
  n: described(Schema.Int, "Reported calls, count."),
  nBroken: described(Schema.Int, "Those that the infrastructure broke, count."),
  latencyMsP50: described(Schema.NullOr(Figure), "Median latency, ms; null without any."),
  latencyMsP95: described(Schema.NullOr(Figure), "95th percentile of the latency, ms; null without any.")
}, { identifier: "ModelCalls", description: "Latency and failures of a model's newest reported calls." })

const DeclaredBaseline = wire({
  ...variantFields("The declared baseline."),
  n: described(Schema.Int, "Decisions that declared it, count.")
}, { identifier: "DeclaredBaseline", description: "A model that callers would otherwise use." })

/** The candidate that would have been picked without the recommended one. */
export const RunnerUp = wire({
  ...variantFields("The model."),
  predictedSuccess: described(Figure, "Its predicted success."),
  estCostUsd: described(UsdFigure, "Its estimated cost, in US dollars.")
}, {
  identifier: "RunnerUp",
  description: "The candidate that would have been picked without the recommended one."
})
export type RunnerUp = typeof RunnerUp.Type

const DecisionOutcome = wire({
  feedbackAt: described(Moment, "When feedback arrived, ISO 8601."),
  ...variantFields("The model that ran, which need not be the recommended one."),
  outcome: described(Outcome, "How the call went."),
  quality: described(Figure, "Quality of the result, in [0, 1]."),
  provenance: described(Schema.String, "Where the label comes from; `assertion` when no source was named."),
  teaches: described(Schema.Boolean, "Whether the label may change predictions."),
  actualCostUsd: described(
    Schema.NullOr(UsdFigure), "Cost that was billed, in US dollars; null when not reported."
  ),
  costSource: described(nullable(CostSource), "Source of the cost; null when no cost is known."),
  computedCostUsd: described(
    nullable(Price), "The cost by list prices, in US dollars, where no bill was reported."
  )
}, { identifier: "DecisionOutcome", description: "Reported outcome of a decision." })

/** One decision as the ledger keeps it, without the task. */
export const RecentDecision = wire({
  recommendationId: described(SentId, "Id of the recommendation."),
  createdAt: described(Moment, "When it was made, ISO 8601."),
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...pickFields,
  predictedSuccess: described(Figure, "Its predicted success."),
  threshold: described(Figure, "The predicted success that a model had to reach."),
  estCostUsd: described(UsdFigure, "Its estimated cost, in US dollars."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidate, in US dollars."),
  ...baselineFields,
  costDeclaredUsd: described(
    Schema.NullOr(UsdFigure), "Its estimated cost, in US dollars; null when it has no price."
  ),
  runnerUp: described(Schema.NullOr(RunnerUp), "The next best candidate; null when nothing else was scored."),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  shadow: described(
    defaulted(Schema.Boolean, false),
    "Whether it was asked in `shadow`: the caller ran its own default, and no figure of savings counts it."
  ),
  warnings: described(Schema.Array(Schema.String), "The warnings of the answer."),
  rationale: described(Schema.String, "Why the model was picked, in one sentence."),
  outcome: described(Schema.NullOr(DecisionOutcome), "Reported outcome; null until feedback arrives.")
}, { identifier: "RecentDecision", description: "One decision as the ledger keeps it, without the task." })
export type RecentDecision = typeof RecentDecision.Type

/** What the dashboard shows beside the reports: aggregates, and the last decisions. */
export const DashboardResponse = wire({
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  savingsByDay: described(Schema.Array(SavingsDay), "Savings of each day with decisions, oldest first."),
  clusterModels: described(
    Schema.Array(ClusterModel),
    "Models by kind of task, sorted; at most 200, those with the most decisions and outcomes."
  ),
  clusterModelsLeftOut: described(Schema.Int, "Pairs of kind of task and model beyond those, count."),
  shadow: described(
    nullable(ShadowReport), "Had the advice been followed, over decisions in shadow; null without any."
  ),
  coverage: described(
    nullable(Coverage), "How many decisions have a verdict; null from a service that does not say."
  ),
  judges: described(
    defaulted(Schema.Array(JudgeWorth), []),
    "Reliability of judges, readers and callers, from their verdicts that a gate or a person checked."
  ),
  untriedCheaper: described(
    defaulted(Schema.Array(UntriedInKind), []),
    "Much cheaper models that were hardly tried, by lane and kind of task, as the newest of the decisions "
      + "below named them; the largest saving first."
  ),
  verdictsNeeded: described(
    defaulted(Schema.Array(VerdictsNeeded), []),
    "How many more verdicts distinguish two models, by kind of task, those with most verdicts first."
  ),
  spendByDay: described(
    defaulted(Schema.Array(SpendDay), []),
    "Spending by day and by the model that ran, oldest first; without decisions in shadow."
  ),
  modelCalls: described(
    defaulted(Schema.Array(ModelCalls), []),
    "Latency and failures of the models in the newest 5,000 reported calls, at most 50, most calls first."
  ),
  baselines: described(
    defaulted(Schema.Array(DeclaredBaseline), []),
    "The declared baselines that have a price, the most frequent first, at most 3."
  ),
  decisions: described(Schema.Array(RecentDecision), "The last decisions, newest first; at most 50.")
}, { identifier: "DashboardResponse", description: "Data of the dashboard in addition to the reports." })
export type DashboardResponse = typeof DashboardResponse.Type

/** Calls by how they came out; `none` is no feedback yet. */
export const CallOutcome = Schema.Literals([...Outcome.literals, "none"])
export type CallOutcome = typeof CallOutcome.Type

export const CallsResponse = wire({
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  decisions: described(Schema.Array(RecentDecision), "Decisions that match, newest first; at most 50."),
  next: described(nullable(SentId), "Value of `before` for the next ones; null if there are none.")
}, { identifier: "CallsResponse", description: "Decisions that were searched for." })
export type CallsResponse = typeof CallsResponse.Type
