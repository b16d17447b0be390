/* A much cheaper model that an account has hardly tried on a kind of task. */
import { Schema } from "effect"
import { SentId } from "./RecommendationId.ts"
import { Moment } from "./Time.ts"
import { Price } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

/** The number is a word of its own on the wire. */
const fields = {
  modelId: described(Schema.String, "The cheaper model; `gpt-5#low` at a level of effort."),
  trials: described(
    Schema.Int, "About how many outcomes of it would settle whether it succeeds often enough, count."
  ),
  couldSaveUsdPer_1000: described(
    Price, "How much less 1,000 such calls of it would cost than those of the recommended model, in "
      + "US dollars, at this task's estimated costs."
  )
}

export const UntriedCheaper = wire(fields, {
  identifier: "UntriedCheaper",
  description: "A model that costs half as much or less, may succeed as often as is asked, and has fewer "
    + "than ten outcomes on this type of task. A choice by predictions may never try it."
})
export type UntriedCheaper = typeof UntriedCheaper.Type

export const UntriedInKind = wire({
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  recommendedModelId: described(
    Schema.String, "The model that was recommended; `gpt-5#low` at a level of effort."
  ),
  recommendationId: described(SentId, "Id of the recommendation that named the cheaper model."),
  createdAt: described(Moment, "When it was made, ISO 8601."),
  ...fields
}, {
  identifier: "UntriedInKind",
  description: "The cheaper, hardly tried model that the newest recommendation for a kind of task named."
})
export type UntriedInKind = typeof UntriedInKind.Type
