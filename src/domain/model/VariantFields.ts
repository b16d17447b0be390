/* The fields by which an answer names a model and its level of reasoning effort. */
import { Schema } from "effect"
import { described } from "../wire/Wire.ts"

const level = described(
  Schema.optionalKey(Schema.String), "The model's level of reasoning effort; absent without one."
)

/** The field for the level of effort, for a struct that already has a field `model_id`. */
export const levelField = { effort: level }

export const variantFields = (words: string) =>
  ({ modelId: described(Schema.String, words), ...levelField })

export const pickFields = {
  recommendedModelId: described(Schema.String, "The recommended model."), recommendedEffort: level
}

export const baselineFields = {
  baselineModelId: described(Schema.NullOr(Schema.String), "The declared baseline; null if none was named."),
  baselineEffort: level
}
