/** The answers of the reports on savings and calibration. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { FollowedSavings } from "./FollowedSavings.ts"
import { SavingsComparison } from "./SavingsComparison.ts"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"
import { windowFields } from "./Window.ts"

export const GroupBy = Schema.Literals(["cluster", "task_type", "lane", "model", "user_id", "tag"]).annotate({
  identifier: "GroupBy", description: "The field that groups a report."
})
export type GroupBy = typeof GroupBy.Type

const EstimatedSavings = wire({
  n: described(Schema.Int, "Recommendations, count."),
  costRecommendedUsd: described(UsdFigure, "Estimated cost of the recommended models, in US dollars."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidates, in US dollars."),
  savingsVsPremiumUsd: described(UsdFigure, "`cost_premium_usd` less `cost_recommended_usd`."),
  nDeclared: described(Schema.Int, "Recommendations that declared a baseline with a price, count."),
  costDeclaredUsd: described(UsdFigure, "Estimated cost of the declared baselines, in US dollars."),
  savingsVsDeclaredUsd: described(
    UsdFigure, "`cost_declared_usd` less the recommended models' cost for the same requests."
  )
}, {
  identifier: "EstimatedSavings",
  description: "Sums of estimated costs over all recommendations of the window except those in shadow."
})

const RealizedSavings = wire({
  nReconciled: described(Schema.Int, "Recommendations with a bill, count."),
  realizedCostUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  estCostRecommendedUsd: described(UsdFigure, "Estimated cost of the recommended models, in US dollars."),
  estCostPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidates, in US dollars."),
  savingsVsPremiumEstUsd: described(UsdFigure, "`est_cost_premium_usd` less `realized_cost_usd`."),
  nDeclared: described(Schema.Int, "Recommendations with a bill that declared a baseline with a price, "
    + "count."),
  estCostDeclaredUsd: described(UsdFigure, "Estimated cost of the declared baselines, in US dollars."),
  savingsVsDeclaredEstUsd: described(
    UsdFigure, "`est_cost_declared_usd` less the bills of the same requests."
  )
}, {
  identifier: "RealizedSavings",
  description: "Bills compared with estimates, over recommendations with a reported `actual_cost_usd`, "
    + "including 0."
})

export const ReportHealth = wire({
  recommendations: described(Schema.Int, "Recommendations, count."),
  feedbackCoverage: described(Figure, "Share of recommendations with any feedback."),
  lateFeedbackShare: described(Figure, "Share of the feedback that came after more than 7 days."),
  escalationRate: described(Figure, "Share of recommendations with a suggested escalation."),
  explorationShare: described(Figure, "Share of recommendations whose model was drawn at random to explore."),
  epsilonPolicyShare: described(Figure, "Share of recommendations made under `epsilon_softmax`.")
}, { identifier: "ReportHealth", description: "Rates of feedback, escalation and exploration in a window, "
  + "each in [0, 1]." })
export type ReportHealth = typeof ReportHealth.Type

const Spend = wire({
  costUsd: described(UsdFigure, "`billed_usd` and `list_prices_usd` together, in US dollars."),
  billedUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  nBilled: described(Schema.Int, "Recommendations with a bill, count."),
  listPricesUsd: described(
    UsdFigure, "Cost of tokens without a bill, in US dollars, at the list prices at the time of the report."
  ),
  nListPrices: described(Schema.Int, "Recommendations with token counts and no bill, count."),
  coverage: described(
    Schema.NullOr(Figure), "Share of recommendations with a bill or token counts among those with feedback; "
      + "null without feedback."
  )
}, { identifier: "Spend", description: "Cost of the calls: by bills, and by tokens at list prices if there "
  + "is no bill." })

export const SavingsSummary = wire({
  estimated: described(EstimatedSavings, "Estimates, over all recommendations except those in shadow."),
  realized: described(RealizedSavings, "Bills, over recommendations that have one."),
  spend: described(Spend, "Spending."),
  reasonerCostUsd: described(
    nullable(UsdFigure), "Cost of the reasoner, in US dollars. No other figure includes this cost. Null if "
      + "unknown."
  ),
  nCostOutliers: described(
    defaulted(Schema.Int, 0),
    "Bills in `realized` above 50 times the highest estimate that no other bill confirms, count."
  ),
  costOutliersUsd: described(defaulted(UsdFigure, 0), "Sum of the bills that `n_cost_outliers` counts, in US "
    + "dollars."),
  realizedWithoutOutliers: described(
    nullable(RealizedSavings), "`realized` without the outliers; null if there are none."
  ),
  followed: described(
    nullable(FollowedSavings),
    "Saving from following the advice, also for a group or a day. Null from a version without this figure."
  )
}, { identifier: "SavingsSummary", description: "Estimated and realized savings, which are never added "
  + "together." })
export type SavingsSummary = typeof SavingsSummary.Type

const TaskReport = wire({
  n: described(Schema.Int, "Tasks with a reported attempt, count."),
  nFinished: described(Schema.Int, "Tasks with a passed attempt, count."),
  nFinishedAtFirst: described(Schema.Int, "Tasks whose first attempt passed, count."),
  nAbandoned: described(
    Schema.Int, "Tasks without a passed attempt whose newest recommendation is at least a day old, count."
  ),
  nOpen: described(Schema.Int, "All other tasks, count."),
  nUnknown: described(Schema.Int, "Reported recommendations without a known task, count."),
  finishedShare: described(
    Schema.NullOr(Figure), "Share of finished tasks among finished and abandoned ones; null without any."
  ),
  finishedLow: described(Schema.NullOr(Figure), "Lower end of the 95 % interval of `finished_share`."),
  finishedHigh: described(Schema.NullOr(Figure), "Upper end of the 95 % interval of `finished_share`."),
  attemptsPerTask: described(
    Schema.NullOr(Figure),
    "Mean number of reported attempts per finished or abandoned task; null without any."
  ),
  nCosted: described(
    Schema.Int, "Finished and abandoned tasks with a known cost of every reported attempt, count."
  ),
  costPerFinishedUsd: described(
    Schema.NullOr(UsdFigure),
    "Total cost of the `n_costed` tasks per finished task, in US dollars; null if none was finished."
  ),
  costLowUsd: described(Schema.NullOr(UsdFigure), "Lower end of the 95 % interval of "
    + "`cost_per_finished_usd`."),
  costHighUsd: described(
    Schema.NullOr(UsdFigure), "Upper end of the 95 % interval of `cost_per_finished_usd`; null with fewer "
      + "than two finished tasks."
  )
}, {
  identifier: "TaskReport",
  description: "Tasks, whose attempts are joined by `task_id` or `attempts`."
})
export type TaskReport = typeof TaskReport.Type

const SavingsGroup = wire({
  key: described(
    Schema.String,
    "The group: a cluster, task type, lane, recommended model, user or tag. Empty for recommendations "
      + "without a user or tag."
  ),
  summary: described(SavingsSummary, "The savings of the group."),
  comparison: described(
    nullable(SavingsComparison),
    "Comparison within the group, for the lanes, users and tags with the largest bills, at most 6; otherwise "
      + "null."
  ),
  health: described(ReportHealth, "Rates of the group.")
}, { identifier: "SavingsGroup", description: "The savings within one group." })

export const SavingsResponse = wire({
  ...windowFields,
  groupBy: described(nullable(GroupBy), "The field that makes the groups; null without groups."),
  summary: described(SavingsSummary, "Savings over the whole window."),
  comparison: described(
    nullable(SavingsComparison),
    "Success and cost under the advice against the declared baseline; null if outcomes cannot be read."
  ),
  health: described(ReportHealth, "Rates over the whole window."),
  tasks: described(nullable(TaskReport), "Finished tasks and their cost; null if no attempt names its task."),
  groups: described(
    Schema.Array(SavingsGroup),
    "The same by group, sorted by key; empty without `group_by`. At most the 100 most frequent lanes, "
      + "models, users or tags; the rest are one group with an empty key. A recommendation with several tags "
      + "is in several groups."
  )
}, { identifier: "SavingsResponse", description: "Savings from the recommendations." })
export type SavingsResponse = typeof SavingsResponse.Type

export const ReliabilityBin = wire({
  lo: described(Figure, "Lower end of the interval."),
  hi: described(Figure, "Upper end of the interval."),
  n: described(Schema.Int, "Outcomes, count."),
  avgPredicted: described(Schema.NullOr(Figure), "Mean prediction; null without outcomes."),
  avgRealized: described(Schema.NullOr(Figure), "Mean success; null without outcomes.")
}, { identifier: "ReliabilityBin", description: "Outcomes whose predictions are in one interval." })

export const CalibrationReport = wire({
  sliceKey: described(Schema.String, "The slice: `global`, or a task type."),
  n: described(Schema.Int, "Outcomes, count."),
  ece: described(
    Schema.NullOr(Figure), "Expected calibration error against success: 0 is perfect; null without outcomes."
  ),
  eceShrunk: described(Schema.NullOr(Figure), "The same error, shrunk toward the error of the whole window, "
    + "with a weight of 20 outcomes."),
  eceQuality: described(Schema.NullOr(Figure), "The same error, measured against the taught quality."),
  bins: described(Schema.Array(ReliabilityBin), "The outcomes by their prediction.")
}, { identifier: "CalibrationReport", description: "Agreement between predictions and outcomes in one "
  + "slice." })
export type CalibrationReport = typeof CalibrationReport.Type

const DriftFlag = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  ...variantFields("The model."),
  direction: described(
    Schema.Literals(["over_predicting", "under_predicting"]),
    "Whether the model's predictions are too high or too low."
  ),
  leftAt: described(
    nullable(Moment),
    "Time of the model's last run, ISO 8601. Null unless at least 10 outcomes of other models followed, one "
      + "of them at least a day later."
  )
}, {
  identifier: "DriftFlag",
  description: "A model that repeatedly succeeds more or less often than predicted on one kind of task."
})

export const CalibrationResponse = wire({
  ...windowFields,
  reports: described(
    Schema.Array(CalibrationReport), "First the whole window, then one report per task type."
  ),
  driftFlags: described(Schema.Array(DriftFlag), "Models whose predictions drift."),
  health: described(ReportHealth, "Rates over the whole window.")
}, { identifier: "CalibrationResponse", description: "Predicted success compared with outcomes." })
export type CalibrationResponse = typeof CalibrationResponse.Type
