/* Evidence of a recommendation: a recalled outcome in the form that the caller gets. */
import { Schema } from "effect"
import { Probability } from "./Units.ts"
import { wire } from "./Wire.ts"

/** A recalled neighbour as the caller sees it. */
export const EvidenceRef = wire({
  entryId: Schema.String,
  referenceId: Schema.NullOr(Schema.String),
  modelId: Schema.String,
  /** Retrieval similarity, cosine in [-1, 1]. */
  score: Schema.Finite,
  knowledgeConfidence: Probability,
  observedSuccess: Probability,
  isStale: Schema.Boolean
}).annotate({ identifier: "EvidenceRef" })
export type EvidenceRef = typeof EvidenceRef.Type
