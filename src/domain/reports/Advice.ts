/* The answer of `GET /v1/advice`: what to change, what of it is known, and what would settle the rest. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { AdviceModel, Certainty } from "./AdviceModel.ts"
import { RetiringModel } from "./Retirement.ts"

/** The ways to settle what is only believed. */
const SettleBy = Schema.Literals(["verdicts", "guarantee", "audition"])

const Settle = wire({
  by: described(
    SettleBy,
    "`verdicts` of calls that run anyway; a `guarantee` with trials; an `audition` of both models on your "
      + "own prompts."
  ),
  count: described(Schema.Int, "Verdicts, reported outcomes or prompts that it takes, count."),
  costUsd: described(UsdFigure, "Its cost beside the calls that run anyway, without a judge, US dollars."),
  days: described(Figure, "Days that it takes at the present rate of verdicts; 0 for an audition."),
  command: described(Schema.String, "Command that begins it.")
}, { identifier: "Settle", description: "A way to know what is only believed." })
export type Settle = typeof Settle.Type

const Advice = wire({
  lane: described(Schema.String, "The lane, `sextant:` and the namespace."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  callsPerMonth: described(
    Figure,
    "Calls of the usual model in 30 days, at the rate of the window. Those of a younger "
      + "account than 30 days are counted as they are."
  ),
  usual: described(AdviceModel, "The model that ran most calls."),
  candidate: described(AdviceModel, "A cheaper one that may succeed as often."),
  savingUsdPerMonth: described(Figure, "Saving if these calls move, in US dollars per 30 days."),
  certainty: described(
    Certainty,
    "`known`: by verdicts and costs of both its success is less than `tolerance` below, and it is cheaper,"
      + " each with a 95 % interval; `tried`: both have verdicts, which do not tell yet; `believed`: one of "
      + "them has fewer than 3, and a prediction alone speaks for it."
  ),
  chance: described(
    Figure, "Probability that its success is less than `tolerance` below, by what is believed of both."
  ),
  differenceLow: described(
    nullable(Figure),
    "Lower end of the 95 % interval of its success less the usual model's, less `easier_by`; null where one "
      + "has under 30 verdicts."
  ),
  differenceHigh: described(nullable(Figure), "Its upper end."),
  easierBy: described(
    nullable(Figure),
    "How much likelier success was at the tasks that it ran than at the usual model's, by their predictions; "
      + "null where these do not say, and then it is not known."
  ),
  action: described(
    Schema.Literals(["move", ...SettleBy.literals]),
    "`move` where it is known, and nowhere else; otherwise the first of `settle`."
  ),
  command: described(Schema.String, "Command, or part of a request, that does it."),
  settle: described(
    Schema.Array(Settle),
    "Ways to be sure, the cheapest first; a day of waiting costs the saving times its chance. Empty if "
      + "it is known."
  )
}, { identifier: "Advice", description: "One change on one kind of task of one lane." })
export type Advice = typeof Advice.Type

export const AdviceResponse = wire({
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  n: described(Schema.Int, "Calls that were looked at, count."),
  nKinds: described(Schema.Int, "Kinds of task among them, each of one lane, count."),
  tolerance: described(Figure, "Difference of success that does not matter."),
  rows: described(
    Schema.Array(Advice), "At most five, one for each kind of task, the most money a month first."
  ),
  retiring: described(
    Schema.optionalKey(Schema.Array(RetiringModel)),
    "Models in use whose last day is within 90 days or over, the first day first; absent without any."
  )
}, { identifier: "AdviceResponse", description: "Recommended changes, and how sure each is." })
export type AdviceResponse = typeof AdviceResponse.Type
