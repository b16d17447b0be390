/* Evidence of a recommendation: a recalled outcome in the form that the caller gets. */
import { Schema } from "effect"
import { variantFields } from "./model/VariantFields.ts"
import { Probability } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

/** A recalled neighbour as the caller sees it. */
export const EvidenceRef = wire({
  entryId: described(
    Schema.String, "The entry in the account's memory; `seed:` begins the id of a benchmark's result."
  ),
  referenceId: described(Schema.NullOr(Schema.String), "A stable reference of the entry."),
  ...variantFields("The model that the outcome is about."),
  score: described(Schema.Finite, "Similarity to the task, a cosine in [-1, 1]; 0 for a benchmark's result."),
  knowledgeConfidence: described(Probability, "How reliable the memory holds the entry to be."),
  observedSuccess: described(Probability, "Recorded quality of the outcome."),
  isStale: described(Schema.Boolean, "Whether the entry is too old to weigh much.")
}, { identifier: "EvidenceRef", description: "A past outcome that informed a prediction." })
export type EvidenceRef = typeof EvidenceRef.Type
