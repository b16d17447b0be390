/* The answers of two report endpoints: savings and calibration. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { FollowedSavings } from "./FollowedSavings.ts"
import { SavingsComparison } from "./SavingsComparison.ts"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

export const GroupBy = Schema.Literals(["cluster", "task_type", "lane", "model", "user_id", "tag"]).annotate({
  identifier: "GroupBy", description: "Field by which a report is grouped."
})
export type GroupBy = typeof GroupBy.Type

/** Over every recommendation in the window; the declared columns over those that named a baseline. */
const EstimatedSavings = wire({
  n: described(Schema.Int, "Recommendations, count."),
  costRecommendedUsd: described(UsdFigure, "Estimated cost of the recommended models, in US dollars."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidates, in US dollars."),
  savingsVsPremiumUsd: described(UsdFigure, "`cost_premium_usd` less `cost_recommended_usd`."),
  nDeclared: described(Schema.Int, "Recommendations that declared a baseline, count."),
  costDeclaredUsd: described(UsdFigure, "Estimated cost of the declared baselines, in US dollars."),
  savingsVsDeclaredUsd: described(
    UsdFigure, "`cost_declared_usd` less what the recommended models of the same requests cost."
  )
}, {
  identifier: "EstimatedSavings",
  description: "Estimated costs over every recommendation in the window."
})

/** Over the reconciled subset only: recommendations whose feedback carried `actual_cost_usd`, 0 included. */
const RealizedSavings = wire({
  nReconciled: described(Schema.Int, "Recommendations with a bill, count."),
  realizedCostUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  estCostRecommendedUsd: described(
    UsdFigure, "Estimated cost of the recommended models, in US dollars."
  ),
  estCostPremiumUsd: described(
    UsdFigure, "Estimated cost of the most expensive candidates, in US dollars."
  ),
  savingsVsPremiumEstUsd: described(UsdFigure, "`est_cost_premium_usd` less `realized_cost_usd`."),
  nDeclared: described(Schema.Int, "Those that declared a baseline, count."),
  estCostDeclaredUsd: described(
    UsdFigure, "Estimated cost of the declared baselines, in US dollars."
  ),
  savingsVsDeclaredEstUsd: described(
    UsdFigure, "`est_cost_declared_usd` less the bills of the same requests."
  )
}, {
  identifier: "RealizedSavings",
  description: "Bills against estimates, over the recommendations whose feedback carried"
    + " `actual_cost_usd`, 0 included."
})

export const ReportHealth = wire({
  recommendations: described(Schema.Int, "Recommendations, count."),
  feedbackCoverage: described(Figure, "Share that ever received feedback."),
  lateFeedbackShare: described(Figure, "Share of that feedback that came after more than 7 days."),
  escalationRate: described(Figure, "Share for which escalation was suggested."),
  explorationShare: described(Figure, "Share whose pick was drawn to explore."),
  epsilonPolicyShare: described(Figure, "Share made under `epsilon_softmax`.")
}, { identifier: "ReportHealth", description: "Rates over the recommendations of a window, each in [0, 1]." })
export type ReportHealth = typeof ReportHealth.Type

/** What was spent, whatever was advised and saved. */
const Spend = wire({
  costUsd: described(UsdFigure, "`billed_usd` and `list_prices_usd` together, in US dollars."),
  billedUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  nBilled: described(Schema.Int, "Recommendations with a bill, count."),
  listPricesUsd: described(
    UsdFigure,
    "Cost of the others' tokens, in US dollars, at the list prices of when they were reported."
  ),
  nListPrices: described(Schema.Int, "Recommendations with token counts and no bill, count."),
  coverage: described(
    Schema.NullOr(Figure), "Share of either among recommendations with feedback; null without feedback."
  )
}, {
  identifier: "Spend",
  description: "Cost of the calls: by their bills, else by their tokens at list prices."
})

/** Estimated and realized figures are never added up. */
export const SavingsSummary = wire({
  estimated: described(EstimatedSavings, "By estimates alone, over every recommendation."),
  realized: described(RealizedSavings, "By the bills, over the recommendations that have one."),
  spend: described(Spend, "Spending."),
  reasonerCostUsd: described(
    nullable(UsdFigure),
    "Cost of the reasoner, in US dollars, which the other figures leave out; null when it is not known."
  ),
  nCostOutliers: described(
    defaulted(Schema.Int, 0),
    "Bills in `realized` of more than 50 times the highest estimate that no other bill confirms, count."
  ),
  costOutliersUsd: described(defaulted(UsdFigure, 0), "The amount of those bills, in US dollars."),
  realizedWithoutOutliers: described(
    nullable(RealizedSavings), "`realized` without them; null when there are none."
  ),
  followed: described(
    nullable(FollowedSavings),
    "Saving from following the advice, also of a group or a day; null from a version that lacks it."
  )
}, { identifier: "SavingsSummary", description: "Estimated and realized savings, which are never added up." })
export type SavingsSummary = typeof SavingsSummary.Type

/** Finished tasks and what they cost. */
const TaskReport = wire({
  n: described(Schema.Int, "Tasks of which an attempt was reported, count."),
  nFinished: described(Schema.Int, "Those of which an attempt passed, count."),
  nFinishedAtFirst: described(Schema.Int, "Those of which the first attempt passed, count."),
  nAbandoned: described(
    Schema.Int, "Those without a passed attempt whose newest recommendation is a day old, count."
  ),
  nOpen: described(Schema.Int, "The others, count."),
  nUnknown: described(Schema.Int, "Reported recommendations of which no task is known, count."),
  finishedShare: described(
    Schema.NullOr(Figure), "Share of finished tasks among finished and abandoned ones; null without these."
  ),
  finishedLow: described(Schema.NullOr(Figure), "Lower end of its 95 % interval."),
  finishedHigh: described(Schema.NullOr(Figure), "Upper end of its 95 % interval."),
  attemptsPerTask: described(
    Schema.NullOr(Figure), "Mean of the reported attempts at a finished or abandoned task; null without one."
  ),
  nCosted: described(
    Schema.Int, "Finished and abandoned tasks of which the cost of every reported attempt is known, count."
  ),
  costPerFinishedUsd: described(
    Schema.NullOr(UsdFigure),
    "Total cost of these per finished task, in US dollars; null if none was finished."
  ),
  costLowUsd: described(Schema.NullOr(UsdFigure), "Lower end of its 95 % interval."),
  costHighUsd: described(
    Schema.NullOr(UsdFigure), "Upper end of its 95 % interval; null with fewer than two finished tasks."
  )
}, {
  identifier: "TaskReport",
  description: "Tasks, joined from attempts by `task_id` or by the recommendations that `attempts` name. The "
    + "best model alone is `best-single` of `GET /v1/policy-value`."
})
export type TaskReport = typeof TaskReport.Type

const SavingsGroup = wire({
  key: described(
    Schema.String,
    "The group: a cluster, a task type, a lane, the recommended model, a user or a tag; empty for"
      + " recommendations without a user or a tag."
  ),
  summary: described(SavingsSummary, "Its savings."),
  comparison: described(
    nullable(SavingsComparison),
    "As of the whole, for the lanes, users and tags with the largest bills, at most 6; else null."
  ),
  health: described(ReportHealth, "Its rates.")
}, { identifier: "SavingsGroup", description: "The savings of one group." })

export const SavingsResponse = wire({
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  groupBy: described(nullable(GroupBy), "Field by which groups are made; null without groups."),
  summary: described(SavingsSummary, "Savings over the whole window."),
  comparison: described(
    nullable(SavingsComparison),
    "Success and cost under the advice against the declared baseline; null while outcomes cannot be read."
  ),
  health: described(ReportHealth, "Rates over the whole window."),
  tasks: described(
    nullable(TaskReport),
    "Tasks and what a finished one cost; null where no attempt says which task it is at."
  ),
  groups: described(
    Schema.Array(SavingsGroup),
    "The same by group, sorted by key; empty without `group_by`. The 100 lanes, models, users or tags with"
      + " the most recommendations; the key of all others is empty. One with several tags is in several."
  )
}, { identifier: "SavingsResponse", description: "Savings from the recommendations." })
export type SavingsResponse = typeof SavingsResponse.Type

export const ReliabilityBin = wire({
  lo: described(Figure, "Lower end of the interval."),
  hi: described(Figure, "Upper end of the interval."),
  n: described(Schema.Int, "Outcomes, count."),
  avgPredicted: described(Schema.NullOr(Figure), "Mean prediction; null without outcomes."),
  avgRealized: described(Schema.NullOr(Figure), "Mean success; null without outcomes.")
}, { identifier: "ReliabilityBin", description: "Outcomes whose prediction lay in one interval." })

export const CalibrationReport = wire({
  sliceKey: described(Schema.String, "The slice: `global`, or a task type."),
  n: described(Schema.Int, "Outcomes, count."),
  ece: described(
    Schema.NullOr(Figure), "Expected calibration error against success; 0 is perfect, null without outcomes."
  ),
  eceShrunk: described(
    Schema.NullOr(Figure), "The same, each bin shrunk toward no error by how few outcomes it has."
  ),
  eceQuality: described(Schema.NullOr(Figure), "The same against the quality that was taught."),
  bins: described(Schema.Array(ReliabilityBin), "The outcomes by their prediction.")
}, {
  identifier: "CalibrationReport",
  description: "How well predictions agreed with outcomes, over one slice."
})
export type CalibrationReport = typeof CalibrationReport.Type

const DriftFlag = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...variantFields("The model."),
  direction: described(
    Schema.Literals(["over_predicting", "under_predicting"]),
    "Whether its predictions are too high or too low."
  ),
  leftAt: described(
    nullable(Moment),
    "When it last ran there, ISO 8601, where 10 outcomes of other models or more followed over a day or more;"
      + " null while it runs."
  )
}, {
  identifier: "DriftFlag",
  description: "A model that repeatedly does better or worse than predicted on one kind of task."
})

export const CalibrationResponse = wire({
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  reports: described(
    Schema.Array(CalibrationReport), "The whole window first, then one report per task type."
  ),
  driftFlags: described(Schema.Array(DriftFlag), "Models whose predictions drift."),
  health: described(ReportHealth, "Rates over the whole window.")
}, { identifier: "CalibrationResponse", description: "Predicted success against outcomes." })
export type CalibrationResponse = typeof CalibrationResponse.Type
