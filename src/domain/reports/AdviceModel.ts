/* A model on one kind of task, as a report compares it with another model. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

export const AdviceModel = wire({
  ...variantFields("The model."),
  success: described(Figure, "The model's success on this kind of task, in [0, 1]."),
  successLow: described(Figure, "Lower end of the 95 % interval of `success`."),
  successHigh: described(Figure, "Upper end of the 95 % interval of `success`."),
  successBasis: described(
    Schema.Literals(["verdicts", "mixed", "prediction"]),
    "Basis of the success. `verdicts`: enough verdicts on this kind of task in this lane. `prediction`: "
      + "mainly a prediction. `mixed`: some verdicts, pulled toward an expectation."
  ),
  nVerdicts: described(Schema.Int, "The model's verdicts, count."),
  costUsd: described(UsdFigure, "Mean cost of a call, in US dollars."),
  costBasis: described(
    Schema.Literals(["calls", "estimate"]),
    "Basis of the cost. `calls`: bills, and tokens at list prices. `estimate`: an estimate, because fewer "
      + "than 3 calls have a known cost."
  ),
  nCosted: described(Schema.Int, "The model's calls with a known cost, count."),
  nObserved: described(
    Schema.optionalKey(Schema.Int),
    "The model's calls that are known from telemetry, count; absent without any. Evaluations of such calls "
      + "count as verdicts but make nothing `known`, because no prediction describes their tasks."
  )
}, { identifier: "AdviceModel", description: "A model on one kind of task, as reports compare it." })
export type AdviceModel = typeof AdviceModel.Type

export const Certainty = Schema.Literals(["known", "tried", "believed"])
