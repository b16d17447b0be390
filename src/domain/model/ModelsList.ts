/* The query and the answer of the catalog's list. */
import { Schema } from "effect"
import { TaskType } from "../Task.ts"
import { Moment } from "../Time.ts"
import { Usd } from "../Units.ts"
import { described, queryDefault, wire } from "../wire/Wire.ts"
import { ModelCard } from "./Model.ts"

export const ModelsQuery = {
  provider: described(Schema.optionalKey(Schema.String), "Only models of this provider, in any case."),
  task_type: described(Schema.optionalKey(TaskType), "Only models with a prior for this kind of task."),
  max_cost: described(
    Schema.optionalKey(Usd),
    "Only models whose prices of input and output are at most this, in US dollars per million tokens."
  ),
  include_stale: described(
    queryDefault(Schema.Boolean, true), "False leaves out models with old prices, if other models remain."
  )
}

export const ModelsResponse = wire({
  models: described(Schema.Array(ModelCard), "The models, sorted by input price."),
  catalogVersion: described(Schema.String, "Version of the catalog."),
  refreshedAt: described(Moment, "Time of the last price refresh, ISO 8601."),
  stale: described(Schema.Boolean, "Whether prices are too old to be trusted.")
}, { identifier: "ModelsResponse", description: "The models of the catalog." })
export type ModelsResponse = typeof ModelsResponse.Type
