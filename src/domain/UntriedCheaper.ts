/* The hint at a much cheaper model that an account has hardly tried on a kind of task. */
import { Schema } from "effect"
import { SentId } from "./RecommendationId.ts"
import { Moment } from "./Time.ts"
import { Price } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

/** `couldSaveUsdPer_1000` has an underscore, so that its name on the wire ends with `per_1000`. */
const fields = {
  modelId: described(Schema.String, "The cheaper model, such as `gpt-5` or `gpt-5#low`."),
  trials: described(
    Schema.Int, "Approximate number of further outcomes that would show whether the model succeeds often "
      + "enough."
  ),
  couldSaveUsdPer_1000: described(
    Price,
    "Saving per 1,000 such calls against the recommended model, in US dollars, at this task's estimated "
      + "costs."
  )
}

export const UntriedCheaper = wire(fields, {
  identifier: "UntriedCheaper",
  description: "A cheaper model that may succeed often enough, but has fewer than ten outcomes on this type "
    + "of task. The cheaper model costs at most half as much as the recommended model. Choices by "
    + "predictions alone may never try the cheaper model."
})
export type UntriedCheaper = typeof UntriedCheaper.Type

export const UntriedInKind = wire({
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  recommendedModelId: described(Schema.String, "The recommended model, such as `gpt-5` or `gpt-5#low`."),
  recommendationId: described(SentId, "Id of the recommendation that named the cheaper model."),
  createdAt: described(Moment, "Time of the recommendation, ISO 8601."),
  ...fields
}, {
  identifier: "UntriedInKind",
  description: "The cheaper, hardly tried model in the newest recommendation for a kind of task."
})
export type UntriedInKind = typeof UntriedInKind.Type
