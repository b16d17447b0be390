/** The answer of `GET /v1/retirement`: the use of a model that retires, and its possible successors. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Day } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"
import { windowFields } from "./Window.ts"
import { AdviceModel, Certainty } from "./AdviceModel.ts"

const retiresOn = described(Schema.NullOr(Day), "The model's last day by the catalog; null if unknown.")

const change = {
  chance: described(
    Figure, "Believed probability that the successor's success is less than 0.05 lower than the retiring "
      + "model's."
  ),
  usdPerMonthChange: described(
    Figure, "Change of the calls' cost, in US dollars per 30 days; negative if the successor is cheaper."
  )
}

export const Successor = wire({
  model: described(AdviceModel, "The model on this kind of task."),
  retiresOn,
  certainty: described(
    Certainty,
    "Certainty. `known`: verdicts of both models prove with 95 % confidence that the successor's success is "
      + "less than 0.05 lower. `tried`: both have at least 3 verdicts, but no proof. `believed`: a model has "
      + "fewer than 3 verdicts, so a prediction counts."
  ),
  ...change,
  differenceLow: described(
    Schema.NullOr(Figure),
    "Lower end of the 95 % interval of the difference in success, on tasks of equal difficulty. Null with "
      + "too few verdicts, or if predictions do not show how difficult the tasks were."
  ),
  differenceHigh: described(Schema.NullOr(Figure), "Upper end of the 95 % interval of the difference in "
    + "success."),
  isCandidate: described(
    Schema.Boolean,
    "Whether the model ran or was a candidate of the newest decision. If false, the model is only in the "
      + "catalog."
  )
}, { identifier: "Successor", description: "A possible successor on one kind of task." })
export type Successor = typeof Successor.Type

const Audition = wire({
  count: described(Schema.Int, "Your own prompts that both models run, count."),
  costUsd: described(UsdFigure, "Cost of the audition without a judge, in US dollars."),
  command: described(Schema.String, "Command that runs the audition.")
}, { identifier: "RetirementAudition", description: "A test of both models on your own prompts, which shows "
  + "whether the successor is good enough, and its cost." })
export type Audition = typeof Audition.Type

export const RetirementKind = wire({
  lane: described(Schema.String, "The lane, `sextant:` and the namespace or the team."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  nCalls: described(Schema.Int, "Calls of the retiring model, count."),
  nObserved: described(Schema.Int, "Calls of the retiring model that are known only from telemetry, count."),
  spentUsd: described(UsdFigure, "Cost of the retiring model's calls, in US dollars."),
  usual: described(
    Schema.NullOr(AdviceModel), "The retiring model; null if its success or its cost is not known."
  ),
  successors: described(
    Schema.Array(Successor),
    "At most five, none of which retires within 60 days after the model. Models come first if their success, "
      + "less one standard deviation, is at most 0.05 below the retiring model's: first the account's "
      + "candidates, then others, each by cost. The rest follow by success."
  ),
  audition: described(
    Schema.NullOr(Audition),
    "Audition of the first successor; null if none is needed or possible."
  )
}, { identifier: "RetirementKind", description: "One kind of task for which the retiring model is used." })
export type RetirementKind = typeof RetirementKind.Type

export const OverallSuccessor = wire({
  ...variantFields("The model."),
  retiresOn,
  certainty: described(Certainty, "Certainty on the least certain kind of task."),
  success: described(Figure, "The successor's success over the calls that would move to the successor, in "
    + "[0, 1]."),
  successLow: described(Figure, "Lower end of the 95 % interval of `success`."),
  successHigh: described(Figure, "Upper end of the 95 % interval of `success`."),
  successChange: described(Figure, "The successor's success less the retiring model's, on tasks of equal "
    + "difficulty."),
  callShare: described(Figure, "Share of the calls whose kind of task was compared, in [0, 1]."),
  knownShare: described(Figure, "Share of the calls whose kind of task is `known`, in [0, 1]."),
  ...change
}, {
  identifier: "OverallSuccessor",
  description: "The successor on all kinds of task, weighted by their calls."
})
export type OverallSuccessor = typeof OverallSuccessor.Type

const Use = wire({
  name: described(Schema.String, "The user, or the tag."),
  nCalls: described(Schema.Int, "Calls, count."),
  spentUsd: described(UsdFigure, "Cost of the user's calls, or of the tag's, in US dollars.")
}, { identifier: "RetirementUse", description: "A user or tag that uses the retiring model." })

const Aliases = Schema.Record(Schema.String, Schema.String).annotate({
  identifier: "ModelAliases",
  description: "Maps the retiring model's name, which a program uses, to its successor."
})

const Switch = wire({
  command: described(
    Schema.String, "Command that makes the successor the account's baseline, from which a guarantee starts."
  ),
  aliases: described(
    Aliases,
    "The clients' option `aliases`, with which a program that names the retiring model runs the successor."
  )
}, { identifier: "RetirementSwitch", description: "The command and the client's option that put the "
  + "successor in place of the retiring model." })

const usage = {
  callsPerMonth: described(
    Figure,
    "Calls per 30 days, at about the rate of the window."
  ),
  usdPerMonth: described(Figure, "Cost of the calls per 30 days, in US dollars.")
}

const model = {
  modelId: described(Schema.String, "The model, by our id."),
  retiresOn,
  daysLeft: described(Schema.NullOr(Schema.Int), "Days until the model's last day; negative afterwards.")
}

export const RetiringModel = wire({
  ...model,
  ...usage,
  lanes: described(Schema.Array(Schema.String), "Lanes where the model runs, most calls first."),
  nKinds: described(Schema.Int, "Kinds of task on which the model runs, each of one lane, count."),
  successor: described(Schema.NullOr(OverallSuccessor), "The possible successor; null if there is none."),
  command: described(Schema.String, "Command that shows the full report.")
}, { identifier: "RetiringModel", description: "A model in use that its provider will soon retire." })
export type RetiringModel = typeof RetiringModel.Type

export const RetirementResponse = wire({
  ...model,
  retiresOnSource: described(Schema.NullOr(Schema.String), "Source of the last day; null without one."),
  ...windowFields,
  nCalls: described(Schema.Int, "The model's calls, count, observed calls without words included."),
  nObserved: described(Schema.Int, "Calls of the model that are known only from telemetry, count."),
  spentUsd: described(
    UsdFigure, "Cost of the model's calls, in US dollars: by bills, else list prices, else estimates."
  ),
  ...usage,
  users: described(Schema.Array(Use), "Users with the most calls, at most 20."),
  tags: described(Schema.Array(Use), "Tags of the model's calls, at most 20: teams, services, agents."),
  kinds: described(Schema.Array(RetirementKind), "The kinds of task with most of the model's calls, at most "
    + "20."),
  successor: described(Schema.NullOr(OverallSuccessor), "The possible successor; null if there is none."),
  audition: described(
    Schema.NullOr(Audition),
    "Audition of the successor. The audition covers kinds of task with at least a twentieth of the calls, if "
      + "the successor's success there is not known. Null without an audition."
  ),
  guarantee: described(
    Schema.NullOr(Schema.String),
    "Command for a guarantee that protects the success until the model's last day; null if no call asks for "
      + "recommendations."
  ),
  switch: described(Schema.NullOr(Switch), "Switch to the successor; null without a successor.")
}, { identifier: "RetirementResponse", description: "The use of a model, and its possible successors." })
export type RetirementResponse = typeof RetirementResponse.Type
