/* How many more verdicts distinguish two models: a part of the dashboard's answer. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Figure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ComparedModel = wire({
  ...variantFields("The model."),
  nVerdicts: described(Schema.Int, "Its verdicts in the window, count."),
  success: described(
    Figure, "Its success by these, partial success as one half, shrunk toward that of all models."
  )
}, { identifier: "ComparedModel", description: "A model that is compared with another on one kind of task." })

export const VerdictsNeeded = wire({
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  usual: described(ComparedModel, "The model that was recommended most."),
  rival: described(
    ComparedModel,
    "The one nearest to it in success that is cheaper, of unknown cost, or succeeds more often, of those not "
      + "distinguished yet."
  ),
  verdicts: described(
    Schema.NullOr(Schema.Int),
    "Further verdicts, half of them of each model, until the better one is known, or known to be less than "
      + "0.05 worse, with 95 % confidence; 0 where it is, null where more than 4,000 would not do."
  ),
  verdictsPaired: described(Schema.NullOr(Schema.Int), "The same where both models run each task."),
  verdictsPerDay: described(Figure, "Verdicts of all models on this kind of task, per day."),
  days: described(
    Schema.NullOr(Schema.Int), "Days that `verdicts` takes if all verdicts of this kind go to the two models."
  )
}, {
  identifier: "VerdictsNeeded",
  description: "How many more verdicts distinguish the usual model of a kind of task and its nearest rival."
})
export type VerdictsNeeded = typeof VerdictsNeeded.Type
