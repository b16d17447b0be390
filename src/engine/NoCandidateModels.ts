/** The only failure of a recommendation. */
import { Effect, Schema } from "effect"

const none = Effect.succeed([])

/** The constraints eliminated every catalog model: the one failure that a recommendation keeps. */
export class NoCandidateModels extends Schema.TaggedError<NoCandidateModels>()("NoCandidateModels", {
  /** The workflow step that was left without a model; null for a single recommendation. */
  stepId: Schema.NullOr(Schema.String),
  /**
   * How many of the remaining models each constraint removed, in order, by its name on the wire. `unknown` of
   * them were removed because their ability is not known.
   */
  removals: Schema.Array(
    Schema.Struct({ constraint: Schema.String, count: Schema.Int, unknown: Schema.Int })
  ).pipe(Schema.withConstructorDefault(none)),
  /** Ids of the request that name no model, as they were sent. */
  unknownIds: Schema.Array(Schema.String).pipe(Schema.withConstructorDefault(none))
}) {
  /** The failure, as that of a step of a workflow. */
  ofStep(stepId: string): NoCandidateModels {
    return new NoCandidateModels({ stepId, removals: this.removals, unknownIds: this.unknownIds })
  }
}
