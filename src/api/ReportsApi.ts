/** The endpoints of reports, such as savings, calibration, advice, and the dashboard's data. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AdviceResponse } from "../domain/reports/Advice.ts"
import { CallOutcome, CallsResponse, DashboardResponse } from "../domain/reports/Dashboard.ts"
import { DecisionResponse } from "../domain/reports/DecisionReport.ts"
import { ObservedCallsResponse } from "../domain/reports/ObservedCalls.ts"
import { PolicyValueResponse } from "../domain/reports/PolicyValue.ts"
import { RecommendationId } from "../domain/RecommendationId.ts"
import { CalibrationResponse, GroupBy, SavingsResponse } from "../domain/reports/Report.ts"
import { RetirementResponse } from "../domain/reports/Retirement.ts"
import { Namespace } from "../domain/Scope.ts"
import { ReportDates, ReportDays } from "../domain/Units.ts"
import { described, queryDefault } from "../domain/wire/Wire.ts"
import { Identifier } from "../domain/text/Text.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"

const windowQuery = {
  namespace: described(Schema.optionalKey(Namespace), "Only this namespace. Default: all lanes."),
  days: described(queryDefault(ReportDays, 30), "Days of the window, up to now, unless `dates` is sent."),
  dates: described(
    Schema.optionalKey(ReportDates),
    "Calendar dates instead of `days`, UTC, both included: `2026-11-01/2026-11-14`. At most 366 days."
  ),
  model: described(
    Schema.optionalKey(Identifier),
    "Only decisions that recommended this model, such as `gpt-5.5` or `gpt-5.5#low`."
  ),
  tag: described(Schema.optionalKey(Identifier), "Only decisions with this tag."),
  user_id: described(Schema.optionalKey(Identifier), "Only decisions of this user.")
}

const savingsQuery = {
  ...windowQuery,
  group_by: described(Schema.optionalKey(GroupBy), "The field to group by. Default: no groups.")
}

const savings = HttpApiEndpoint.get("savings", "/savings", {
  query: savingsQuery,
  success: SavingsResponse
}).annotateMerge(documented({
  summary: "What the recommendations saved",
  query: savingsQuery,
  right: "read",
  description: [
    "`followed` is the saving of followed advice against the declared `baseline_model_id`, by bills and",
    "separately at list prices. `estimated` and `realized` compare estimates and bills with the estimates",
    "of that baseline and of the most expensive candidate, which is generous. For example",
    "`GET /v1/savings?namespace=checkout&days=7&group_by=task_type`."
  ].join("\n")
}))

const calibration = HttpApiEndpoint.get("calibration", "/calibration", {
  query: windowQuery,
  success: CalibrationResponse
}).annotateMerge(documented({
  summary: "Predicted success against realized outcomes",
  query: windowQuery,
  right: "read",
  description: [
    "First a global report, then one report per task type; an `ece` of 0 is perfect. `drift_flags` name",
    "models that repeatedly succeed more or less often than predicted. For example",
    "`GET /v1/calibration?days=30`."
  ].join("\n")
}))

const policyValue = HttpApiEndpoint.get("policyValue", "/policy-value", {
  query: windowQuery,
  success: PolicyValueResponse
}).annotateMerge(documented({
  summary: "What other routing policies would have earned",
  query: windowQuery,
  right: "read",
  description: [
    "Doubly robust off-policy estimates over decisions with gate or human labels. For example",
    "`GET /v1/policy-value?days=90`."
  ].join("\n")
}))

const dashboard = HttpApiEndpoint.get("dashboard", "/dashboard", {
  query: windowQuery,
  success: DashboardResponse
}).annotateMerge(documented({
  summary: "Savings by day, models by kind of task, the last decisions",
  query: windowQuery,
  right: "read",
  description: [
    "Data of the page at `/dashboard` beyond the other reports: savings by UTC day of decision, the success",
    "of each model by kind of task, and the last 50 decisions with their rationale, without the tasks. For",
    "example `GET /v1/dashboard?namespace=checkout&days=7`."
  ].join("\n")
}))

const callsQuery = {
  ...windowQuery,
  outcome: described(
    Schema.optionalKey(CallOutcome), "Only calls with this outcome; `none`: without feedback."
  ),
  before: described(
    Schema.optionalKey(RecommendationId), "Only decisions older than this decision: send `next` of the "
      + "previous page."
  )
}

const calls = HttpApiEndpoint.get("calls", "/calls", {
  query: callsQuery,
  success: CallsResponse
}).annotateMerge(documented({
  summary: "Search decisions",
  query: callsQuery,
  right: "read",
  description: [
    "Decisions of a window by model, namespace, tag, user and outcome, newest first, 50 per page, in the",
    "form of `GET /v1/dashboard`. For example `GET /v1/calls?outcome=failure&model=gpt-5`."
  ].join("\n")
}))

const advice = HttpApiEndpoint.get("advice", "/advice", {
  query: windowQuery,
  success: AdviceResponse
}).annotateMerge(documented({
  summary: "What to change, and how sure that is",
  query: windowQuery,
  right: "read",
  description: [
    "For each lane and kind of task, a cheaper model than the usual one: `move` if verdicts and costs of",
    "both models prove it, otherwise the cheapest way to find out. At most five rows, the largest",
    "monthly saving first. For example `GET /v1/advice?namespace=checkout&days=30`."
  ].join("\n")
}))

const { model: _, ...placeQuery } = windowQuery

const retirementQuery = {
  model_id: described(
    Identifier, "The model that retires, by any of its names, or by its name in telemetry."
  ),
  ...placeQuery
}

const retirement = HttpApiEndpoint.get("retirement", "/retirement", {
  query: retirementQuery,
  success: RetirementResponse
}).annotateMerge(documented({
  summary: "Where a model is used, and what may replace it",
  query: retirementQuery,
  right: "read",
  description: [
    "By kind of task: its calls, also those known only from telemetry, and its successors by your outcomes",
    "and by priors. Also the cost of an audition, and the commands to keep the success until the last day",
    "and to switch. The model must be in the catalog or in your calls. For example",
    "`GET /v1/retirement?model_id=gpt-4o&days=30`."
  ].join("\n")
}))

const decisionQuery = {
  recommendation_id: described(RecommendationId, "The id of a recommendation, or of a step of a workflow.")
}

const decision = HttpApiEndpoint.get("decision", "/decision", {
  query: decisionQuery,
  success: DecisionResponse
}).annotateMerge(documented({
  summary: "Why a model was recommended, and what came of it",
  query: decisionQuery,
  right: "read",
  description: [
    "One decision in the ledger: candidates with predictions and costs, why each could or could not be",
    "picked, the nearest setting with another pick, and the reported outcomes. Never the task. An unknown",
    "id is not an error: `decision` is null. For example",
    "`GET /v1/decision?recommendation_id=01890a5d-ac96-774b-bcce-b302099a8057`."
  ].join("\n")
}))

const observedQuery = { days: windowQuery.days, dates: windowQuery.dates }

const observedCalls = HttpApiEndpoint.get("observedCalls", "/observed-calls", {
  query: observedQuery,
  success: ObservedCallsResponse
}).annotateMerge(documented({
  summary: "What other programs called, by their telemetry",
  query: observedQuery,
  right: "read",
  description: [
    "The calls known from OpenTelemetry, by model and kind of task, the most expensive first. They are not",
    "decisions: no saving and no prediction comes from them. `left_out` counts other records by reason.",
    "For example `GET /v1/observed-calls?days=7`."
  ].join("\n")
}))

export class ReportsApi extends HttpApiGroup.make("reports")
  .add(savings, calibration, policyValue, dashboard, calls, advice, retirement, decision, observedCalls)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Reports", description: "Savings, calibration and policy "
    + "value" }))
{}
