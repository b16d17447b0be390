/** The answers of the dashboard and of the search for decisions. */
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
import { windowFields } from "./Window.ts"

export const SavingsDay = wire({
  day: described(Day, "The day, UTC, such as `2026-11-21`."),
  summary: described(SavingsSummary, "Savings of the day. Feedback counts on the day of its decision.")
}, { identifier: "SavingsDay", description: "Savings of one day's decisions." })

export const ClusterModel = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...variantFields("The model."),
  nRecommended: described(Schema.Int, "Decisions that recommended the model, whether it ran or not, count."),
  nOutcomes: described(Schema.Int, "Outcomes of the model's runs that teach, count."),
  successRate: described(
    Schema.NullOr(Figure), "Share of successes, partial ones counted as one half; null without outcomes."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of Wilson's 95 % interval of the rate."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of Wilson's 95 % interval of the rate."),
  predictedSuccess: described(
    Schema.NullOr(Figure), "Mean prediction for the runs that had a prediction; null without any."
  ),
  nBilled: described(Schema.Int, "Runs with a reported cost, count. A reported 0 counts."),
  meanCostUsd: described(Schema.NullOr(UsdFigure), "Mean reported cost, in US dollars; null without any."),
  nCostOutliers: described(
    defaulted(Schema.Int, 0),
    "Reported costs above 50 times the most expensive candidate's estimate that no other cost of this model "
      + "and kind confirms, count."
  ),
  meanCostWithoutOutliersUsd: described(
    nullable(UsdFigure), "Mean reported cost without the outliers, in US dollars; null if no cost is left."
  )
}, { identifier: "ClusterModel", description: "Outcomes of one model on the tasks of one kind that it ran." })
export type ClusterModel = typeof ClusterModel.Type

export const SpendDay = wire({
  day: described(Day, "The day, UTC, of the decisions."),
  ...variantFields("The model that ran. Empty for all models but the 7 most expensive."),
  n: described(Schema.Int, "Calls with a bill or token counts, count."),
  billedUsd: described(UsdFigure, "Sum of the bills of the calls in `n`, in US dollars."),
  listPricesUsd: described(UsdFigure, "Cost of calls without a bill at list prices, in US dollars.")
}, { identifier: "SpendDay", description: "Spending on one model on one day. The days add up to the report's "
  + "`spend`." })
export type SpendDay = typeof SpendDay.Type

const ModelCalls = wire({
  ...variantFields("The model that ran."),
  n: described(Schema.Int, "Reported calls, count."),
  nBroken: described(Schema.Int, "Calls that the infrastructure broke, count."),
  latencyMsP50: described(Schema.NullOr(Figure), "Median latency, ms; null without any."),
  latencyMsP95: described(Schema.NullOr(Figure), "95th percentile of the latency, ms; null without any.")
}, { identifier: "ModelCalls", description: "Latency and failures of a model among the account's newest "
  + "reported calls." })

const DeclaredBaseline = wire({
  ...variantFields("The declared baseline."),
  n: described(Schema.Int, "Decisions that declared this baseline, count.")
}, { identifier: "DeclaredBaseline", description: "A model that callers would use without the service." })

export const RunnerUp = wire({
  ...variantFields("The model."),
  predictedSuccess: described(Figure, "The candidate's predicted success."),
  estCostUsd: described(UsdFigure, "The candidate's estimated cost, in US dollars.")
}, {
  identifier: "RunnerUp",
  description: "The best candidate besides the recommended model, by predictions and costs."
})
export type RunnerUp = typeof RunnerUp.Type

const DecisionOutcome = wire({
  feedbackAt: described(Moment, "Time of the feedback, ISO 8601."),
  ...variantFields("The model that ran. It may differ from the recommended model."),
  outcome: described(Outcome, "How the call went."),
  quality: described(Figure, "Quality of the result, in [0, 1]."),
  provenance: described(Schema.String, "Source of the label; `assertion` if none was named."),
  teaches: described(Schema.Boolean, "Whether the label may change predictions."),
  actualCostUsd: described(Schema.NullOr(UsdFigure), "The bill in US dollars; null if not reported."),
  costSource: described(nullable(CostSource), "Source of the cost; null if unknown."),
  computedCostUsd: described(nullable(Price), "Cost at list prices, in US dollars, if no bill was reported.")
}, { identifier: "DecisionOutcome", description: "The reported outcome of a decision." })

export const RecentDecision = wire({
  recommendationId: described(SentId, "Id of the recommendation."),
  createdAt: described(Moment, "Time of the recommendation, ISO 8601."),
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...pickFields,
  predictedSuccess: described(Figure, "The recommended model's predicted success."),
  threshold: described(Figure, "The predicted success that a model had to reach."),
  estCostUsd: described(UsdFigure, "The recommended model's estimated cost, in US dollars."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidate, in US dollars."),
  ...baselineFields,
  costDeclaredUsd: described(
    Schema.NullOr(UsdFigure), "The declared baseline's estimated cost, in US dollars; null without a price."
  ),
  runnerUp: described(Schema.NullOr(RunnerUp), "The next best candidate; null if nothing else was scored."),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  shadow: described(
    defaulted(Schema.Boolean, false),
    "Whether the caller ran its own default (`shadow`). No figure of savings counts a decision in shadow."
  ),
  warnings: described(Schema.Array(Schema.String), "The warnings of the answer."),
  rationale: described(Schema.String, "One sentence on why the model was picked."),
  outcome: described(Schema.NullOr(DecisionOutcome), "Reported outcome; null until feedback arrives.")
}, { identifier: "RecentDecision", description: "One decision in the ledger, without the task's text." })
export type RecentDecision = typeof RecentDecision.Type

export const DashboardResponse = wire({
  ...windowFields,
  savingsByDay: described(Schema.Array(SavingsDay), "Savings of each day with decisions, oldest first."),
  clusterModels: described(
    Schema.Array(ClusterModel),
    "Models by kind of task, sorted. At most 200, with the most decisions and outcomes."
  ),
  clusterModelsLeftOut: described(Schema.Int, "Further pairs of kind of task and model, count."),
  shadow: described(
    nullable(ShadowReport), "Effect of following the advice, over decisions in shadow; null without any."
  ),
  coverage: described(
    nullable(Coverage), "Decisions with a verdict; null from a service without this figure."
  ),
  judges: described(
    defaulted(Schema.Array(JudgeWorth), []),
    "Reliability of judges, readers and callers, measured where a gate or a person judged too."
  ),
  untriedCheaper: described(
    defaulted(Schema.Array(UntriedInKind), []),
    "Much cheaper, hardly tried models, by lane and kind of task, from the newest of the decisions below. "
      + "The largest saving first."
  ),
  verdictsNeeded: described(
    defaulted(Schema.Array(VerdictsNeeded), []),
    "Further verdicts that would distinguish two models, by kind of task, the kinds with most verdicts first."
  ),
  spendByDay: described(
    defaulted(Schema.Array(SpendDay), []),
    "Spending by day and model, oldest first, without decisions in shadow."
  ),
  modelCalls: described(
    defaulted(Schema.Array(ModelCalls), []),
    "Latency and failures of models in the newest 5,000 reported calls. At most 50, most calls first."
  ),
  baselines: described(
    defaulted(Schema.Array(DeclaredBaseline), []),
    "The declared baselines. At most 3, the most frequent first."
  ),
  decisions: described(Schema.Array(RecentDecision), "The last decisions, newest first; at most 50.")
}, { identifier: "DashboardResponse", description: "Data of the dashboard in addition to the reports." })
export type DashboardResponse = typeof DashboardResponse.Type

export const CallOutcome = Schema.Literals([...Outcome.literals, "none"])
export type CallOutcome = typeof CallOutcome.Type

export const CallsResponse = wire({
  ...windowFields,
  decisions: described(Schema.Array(RecentDecision), "Decisions that match, newest first; at most 50."),
  next: described(nullable(SentId), "Value of `before` for the next page; null on the last page.")
}, { identifier: "CallsResponse", description: "The decisions that match a search." })
export type CallsResponse = typeof CallsResponse.Type
