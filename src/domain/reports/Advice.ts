/** The answer of `GET /v1/advice`. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { windowFields } from "./Window.ts"
import { AdviceModel, Certainty } from "./AdviceModel.ts"
import { RetiringModel } from "./Retirement.ts"

const SettleBy = Schema.Literals(["verdicts", "guarantee", "audition"])

const Settle = wire({
  by: described(
    SettleBy,
    "The way. `verdicts`: verdicts on calls that run anyway. `guarantee`: the trials of a guarantee. "
      + "`audition`: both models run your own prompts."
  ),
  count: described(Schema.Int, "Required verdicts, reported outcomes or prompts, count."),
  costUsd: described(UsdFigure, "Cost beyond the calls that run anyway, without a judge, in US dollars."),
  days: described(Figure, "Days at the present rate of verdicts; 0 for an audition."),
  command: described(Schema.String, "Command that starts the way of settling.")
}, { identifier: "Settle", description: "A way to find out whether a believed change is right." })
export type Settle = typeof Settle.Type

const Advice = wire({
  lane: described(Schema.String, "The lane, `sextant:` and the namespace."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  callsPerMonth: described(
    Figure,
    "Calls of the usual model per 30 days, at about the rate of the window."
  ),
  usual: described(AdviceModel, "The model that a guarantee uses instead of its baseline, or else the model "
    + "that ran most calls."),
  candidate: described(AdviceModel, "A cheaper model that may succeed as often."),
  savingUsdPerMonth: described(Figure, "Saving if these calls move, in US dollars per 30 days."),
  certainty: described(
    Certainty,
    "Certainty of the change. `known`: verdicts and costs of both models prove it with 95 % intervals: "
      + "success is less than `tolerance` lower, and cost is lower. `tried`: both models have at least 3 "
      + "verdicts, but no proof. `believed`: a model has fewer than 3 verdicts, so a prediction counts."
  ),
  chance: described(Figure, "Believed probability that the candidate's success is less than `tolerance` "
    + "lower."),
  differenceLow: described(
    nullable(Figure),
    "Lower end of the 95 % interval of the difference in success, corrected by `easier_by`. Null with too "
      + "few verdicts, or if `easier_by` is null."
  ),
  differenceHigh: described(nullable(Figure), "Upper end of the 95 % interval of the difference in success."),
  easierBy: described(
    nullable(Figure),
    "Success that the candidate owes to easier tasks than the usual model's, at least 0. Null if predictions "
      + "do not show it, so that the change is not `known`."
  ),
  action: described(
    Schema.Literals(["move", ...SettleBy.literals]),
    "`move` if the change is known; otherwise the first of `settle`."
  ),
  command: described(Schema.String, "Command, or part of a request, for the action."),
  settle: described(
    Schema.Array(Settle),
    "Ways to be sure, the cheapest first, with a day of waiting priced at the saving times its chance. Empty "
      + "if the change is known."
  )
}, { identifier: "Advice", description: "One recommended change for one kind of task in one lane." })
export type Advice = typeof Advice.Type

export const AdviceResponse = wire({
  ...windowFields,
  n: described(Schema.Int, "Calls examined, count."),
  nKinds: described(Schema.Int, "Number of pairs of a lane and a kind of task among the examined calls."),
  tolerance: described(Figure, "Difference in success that does not matter."),
  rows: described(
    Schema.Array(Advice), "At most five rows, one per kind of task, the largest monthly saving first."
  ),
  retiring: described(
    Schema.optionalKey(Schema.Array(RetiringModel)),
    "Models in use that retire within 90 days or have retired, the first day first, at most 10; absent "
      + "without any."
  )
}, { identifier: "AdviceResponse", description: "Recommended changes, and their certainty." })
export type AdviceResponse = typeof AdviceResponse.Type
