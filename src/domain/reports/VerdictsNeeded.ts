/** How many verdicts would distinguish two models. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Figure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ComparedModel = wire({
  ...variantFields("The model."),
  nVerdicts: described(Schema.Int, "The model's verdicts in the window, count."),
  success: described(
    Figure, "The model's success by these verdicts, with a partial success as one half, shrunk toward the "
      + "mean of all models."
  )
}, { identifier: "ComparedModel", description: "One of the two compared models, with its verdicts on a kind "
  + "of task." })

export const VerdictsNeeded = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  usual: described(ComparedModel, "The model that was recommended most."),
  rival: described(
    ComparedModel,
    "The rival of nearest success, if possible one that is not distinguished yet. A rival may be cheaper, or "
      + "succeeds more often."
  ),
  verdicts: described(
    Schema.NullOr(Schema.Int),
    "Further verdicts, half for each model, until the better model is known, or known to be less than 0.05 "
      + "worse, with 95 % confidence. 0 if it is known; null if more than 4,000 would be needed."
  ),
  verdictsPaired: described(Schema.NullOr(Schema.Int), "Further verdicts that are needed if both models run "
    + "each task."),
  verdictsPerDay: described(Figure, "Verdicts of all models on this kind of task, per day."),
  days: described(
    Schema.NullOr(Schema.Int), "Days that `verdicts` takes if all verdicts of this kind go to the two models."
  )
}, {
  identifier: "VerdictsNeeded",
  description: "Number of verdicts that would distinguish the usual model of a kind of task from its nearest "
    + "rival."
})
export type VerdictsNeeded = typeof VerdictsNeeded.Type
