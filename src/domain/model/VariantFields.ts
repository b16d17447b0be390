/* The fields by which an answer names a model, and its level of reasoning effort where it has one. */
import { Schema } from "effect"
import { described } from "../wire/Wire.ts"

const level = described(
  Schema.optionalKey(Schema.String), "The level of reasoning effort of that model; absent where it has none."
)

/** Beside a field `model_id` of its own. */
export const levelField = { effort: level }

/** The field `model_id`, described so, and beside it the level. */
export const variantFields = (words: string) =>
  ({ modelId: described(Schema.String, words), ...levelField })

/** The recommended model. */
export const pickFields = {
  recommendedModelId: described(Schema.String, "The recommended model."), recommendedEffort: level
}

/** The declared baseline. */
export const baselineFields = {
  baselineModelId: described(
    Schema.NullOr(Schema.String), "The declared baseline; null when none was named."
  ),
  baselineEffort: level
}
