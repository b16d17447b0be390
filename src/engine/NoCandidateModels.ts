/** The failure of a request without candidates. */
import { Effect, Schema } from "effect"

const none = Effect.succeed([])

/** The constraints excluded every catalog model. */
export class NoCandidateModels extends Schema.TaggedError<NoCandidateModels>()("NoCandidateModels", {
  /** The workflow step without a model, or null for a single recommendation. */
  stepId: Schema.NullOr(Schema.String),
  /**
   * The number of models that each constraint removed, in order, by its name on the wire. `unknown` counts
   * the removed models whose ability is not known.
   */
  removals: Schema.Array(
    Schema.Struct({ constraint: Schema.String, count: Schema.Int, unknown: Schema.Int })
  ).pipe(Schema.withConstructorDefault(none)),
  /** The ids of the request that name no model. */
  unknownIds: Schema.Array(Schema.String).pipe(Schema.withConstructorDefault(none))
}) {
  /** The failure with the step of a workflow. */
  ofStep(stepId: string): NoCandidateModels {
    return new NoCandidateModels({ stepId, removals: this.removals, unknownIds: this.unknownIds })
  }
}
