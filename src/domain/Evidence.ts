/* The recalled outcomes behind a recommendation, in the form that the caller sees. */
import { Schema } from "effect"
import { variantFields } from "./model/VariantFields.ts"
import { Probability } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

export const EvidenceRef = wire({
  entryId: described(
    Schema.String,
    "Id of the entry in the account's memory. The id of a benchmark's result begins with `seed:`."
  ),
  referenceId: described(Schema.NullOr(Schema.String), "A stable reference of the entry."),
  ...variantFields("The model that the outcome is about."),
  score: described(Schema.Finite, "Cosine similarity to the task, in [-1, 1]; 0 for a benchmark's result."),
  knowledgeConfidence: described(Probability, "Estimated reliability of the entry."),
  observedSuccess: described(Probability, "Recorded quality of the outcome."),
  isStale: described(Schema.Boolean, "Whether the entry is too old to weigh much.")
}, { identifier: "EvidenceRef", description: "A past outcome or a benchmark's result that informed a "
  + "prediction." })
export type EvidenceRef = typeof EvidenceRef.Type
