/** The failure of a request that no catalog model can serve. */
import { Effect, Schema } from "effect"

const none = Effect.succeed([])

export class NoCandidateModels extends Schema.TaggedError<NoCandidateModels>()("NoCandidateModels", {
  /** Id of the workflow's step; null if the request is a single recommendation. */
  stepId: Schema.NullOr(Schema.String),
  /**
   * Numbers of models that constraints removed, in the order of the checks. `constraint` is a name such as
   * `data_regions`. `unknown` counts removed models of which the catalog does not know whether they meet the
   * constraint.
   */
  removals: Schema.Array(
    Schema.Struct({ constraint: Schema.String, count: Schema.Int, unknown: Schema.Int })
  ).pipe(Schema.withConstructorDefault(none)),
  /** Named ids that the catalog does not know. */
  unknownIds: Schema.Array(Schema.String).pipe(Schema.withConstructorDefault(none))
}) {
  ofStep(stepId: string): NoCandidateModels {
    return new NoCandidateModels({ stepId, removals: this.removals, unknownIds: this.unknownIds })
  }
}
