/* A model as reports compare it with another one on one kind of task. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

export const AdviceModel = wire({
  ...variantFields("The model."),
  success: described(Figure, "Its success on this kind of task, in [0, 1]."),
  successLow: described(Figure, "Lower end of its 95 % interval."),
  successHigh: described(Figure, "Upper end of its 95 % interval."),
  successBasis: described(
    Schema.Literals(["verdicts", "mixed", "prediction"]),
    "`verdicts` of this kind of task in this lane alone; `mixed`: some of them, and what the newest decision "
      + "predicted; `prediction`: that alone."
  ),
  nVerdicts: described(Schema.Int, "Its verdicts, count."),
  costUsd: described(UsdFigure, "Mean cost of a call, in US dollars."),
  costBasis: described(
    Schema.Literals(["calls", "estimate"]),
    "`calls`: bills and tokens at list prices; `estimate`: the newest decision's, in the proportion in which "
      + "the other model's calls cost more or less than its estimate."
  ),
  nCosted: described(Schema.Int, "Its calls with a known cost, count."),
  nObserved: described(
    Schema.optionalKey(Schema.Int),
    "Its calls that telemetry shows, count; absent without any. Their evaluations count as verdicts, and "
      + "make nothing known: no prediction says which tasks the model got."
  )
}, { identifier: "AdviceModel", description: "A model on one kind of task, as advice compares it." })
export type AdviceModel = typeof AdviceModel.Type

/** How sure a comparison is. */
export const Certainty = Schema.Literals(["known", "tried", "believed"])
