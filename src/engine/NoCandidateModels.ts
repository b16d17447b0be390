/** The only failure of a recommendation. */
import { Schema } from "effect"

/** The constraints eliminated every catalog model: the one failure that a recommendation keeps. */
export class NoCandidateModels extends Schema.TaggedError<NoCandidateModels>()("NoCandidateModels", {
  /** The workflow step that was left without a model; null for a single recommendation. */
  stepId: Schema.NullOr(Schema.String)
}) {}
