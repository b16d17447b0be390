/* The answer of `GET /v1/observed-calls`. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ObservedGroup = wire({
  modelId: described(Schema.String, "The catalog's model, or the program's name for an unknown model."),
  taskType: described(
    Schema.NullOr(Schema.String), "Kind of task by the words of the prompt; null without words."
  ),
  n: described(Schema.Int, "Calls, count."),
  nBroken: described(Schema.Int, "Calls that the infrastructure broke, count."),
  nBilled: described(Schema.Int, "Calls with a bill, count."),
  nJudged: described(Schema.Int, "Calls with an evaluation, count."),
  inputTokens: described(Figure, "Sum of input tokens, cached ones included."),
  cachedInputTokens: described(Figure, "Sum of input tokens read from a cache."),
  cacheWriteInputTokens: described(Figure, "Sum of input tokens written to a cache."),
  outputTokens: described(Figure, "Sum of output tokens, reasoning tokens included."),
  billedUsd: described(UsdFigure, "Sum of the bills, in US dollars."),
  listUsd: described(UsdFigure, "Cost of calls without a bill at list prices, in US dollars."),
  latencyMsP50: described(Schema.NullOr(Figure), "Median latency, ms; null without any."),
  quality: described(Schema.NullOr(Figure), "Mean of the evaluations, in [0, 1]; null without any.")
}, { identifier: "ObservedGroup", description: "The observed calls of one model on one kind of task." })

const ObservedLeftOut = wire({
  reason: described(
    Schema.String,
    "The reason: `not_a_call`, `no_model`, `no_date` and others. A call that names its recommendation in the "
      + "attribute `sextant.recommendation_id` is `recommended`, because the decision counts the call."
  ),
  n: described(Figure, "Records, count. A record that was sent twice counts twice.")
}, { identifier: "ObservedLeftOut", description: "Telemetry records that do not count as observed calls, by "
  + "reason." })

export const ObservedCallsResponse = wire({
  groups: described(Schema.Array(ObservedGroup), "Calls by model and kind of task, at most 500 groups."),
  leftOut: described(Schema.Array(ObservedLeftOut), "Other records on the window's days, by reason.")
}, { identifier: "ObservedCallsResponse", description: "Calls that are known only from OpenTelemetry." })
