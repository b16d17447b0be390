/* The answer of `GET /v1/observed-calls`. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ObservedGroup = wire({
  modelId: described(
    Schema.String, "The catalog's model, or the program's name of one that the catalog lacks."
  ),
  taskType: described(
    Schema.NullOr(Schema.String), "Kind of task, by the words of the prompt; null for calls without any."
  ),
  n: described(Schema.Int, "Calls, count."),
  nBroken: described(Schema.Int, "Those that the infrastructure broke, count."),
  nBilled: described(Schema.Int, "Those with a bill, count."),
  nJudged: described(Schema.Int, "Those with an evaluation, count."),
  inputTokens: described(Figure, "Sum of the input tokens, those of caches included."),
  cachedInputTokens: described(Figure, "Sum of those that a cache held."),
  cacheWriteInputTokens: described(Figure, "Sum of those that a cache took."),
  outputTokens: described(Figure, "Sum of the output tokens, those of reasoning included."),
  billedUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  listUsd: described(UsdFigure, "Cost of calls without a bill at list prices, in US dollars."),
  latencyMsP50: described(Schema.NullOr(Figure), "Median latency, ms; null without any."),
  quality: described(Schema.NullOr(Figure), "Mean of the evaluations, in [0, 1]; null without any.")
}, { identifier: "ObservedGroup", description: "The observed calls of a model on a kind of task." })

const ObservedLeftOut = wire({
  reason: described(Schema.String, "Why: `not_a_call`, `no_model`, `no_date` and others."),
  n: described(Figure, "Records, count; one that was sent again counts again.")
}, { identifier: "ObservedLeftOut", description: "Records of telemetry that are no observed call." })

export const ObservedCallsResponse = wire({
  groups: described(Schema.Array(ObservedGroup), "Calls by model and kind of task, at most 500 groups."),
  leftOut: described(Schema.Array(ObservedLeftOut), "Other data of the window's days, by reason.")
}, { identifier: "ObservedCallsResponse", description: "The calls that came by OpenTelemetry." })
