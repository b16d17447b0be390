/* The answer of `GET /v1/retirement`: where a model is used, and what may run in its place. */
import { Schema } from "effect"
import { variantFields } from "../model/VariantFields.ts"
import { Day } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { AdviceModel, Certainty } from "./AdviceModel.ts"

const retiresOn = described(
  Schema.NullOr(Day), "Its last day, as the catalog has it; null where no day is known."
)

const change = {
  chance: described(
    Figure, "Probability that its success is less than 0.05 below the retiring model's, by what is believed."
  ),
  usdPerMonthChange: described(
    Figure, "Change of these calls' cost with it, in US dollars per 30 days; below 0 if it is cheaper."
  )
}

export const Successor = wire({
  model: described(AdviceModel, "The model on this kind of task."),
  retiresOn,
  certainty: described(
    Certainty,
    "`known`: by verdicts of both its success is less than 0.05 below, with a 95 % interval; `tried`: both "
      + "have verdicts, which do not tell yet; `believed`: a prediction alone speaks for one of them."
  ),
  ...change,
  differenceLow: described(
    Schema.NullOr(Figure),
    "Lower end of the 95 % interval of its success less the retiring model's, on tasks as easy; null where "
      + "one has under 30 verdicts."
  ),
  differenceHigh: described(Schema.NullOr(Figure), "Its upper end."),
  isCandidate: described(
    Schema.Boolean, "Whether it ran, or the newest decision could have picked it; else the catalog has it."
  )
}, { identifier: "Successor", description: "A model in place of the retiring one, on one kind of task." })
export type Successor = typeof Successor.Type

const Audition = wire({
  count: described(Schema.Int, "Prompts of your own on which both models run, count."),
  costUsd: described(UsdFigure, "Its cost without a judge, in US dollars."),
  command: described(Schema.String, "Command that runs it.")
}, { identifier: "RetirementAudition", description: "An audition that makes sure, and its cost." })
export type Audition = typeof Audition.Type

export const RetirementKind = wire({
  lane: described(Schema.String, "The lane, `sextant:` and the namespace or the team."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  nCalls: described(Schema.Int, "Its calls, count."),
  nObserved: described(Schema.Int, "The part of them that telemetry shows, count."),
  spentUsd: described(UsdFigure, "Their cost, in US dollars."),
  usual: described(
    Schema.NullOr(AdviceModel), "The retiring model; null where nothing is known of its success or cost."
  ),
  successors: described(
    Schema.Array(Successor),
    "At most five. First those less than 0.05 below even if their success is a standard deviation lower, the"
      + " cheapest of them first; then the likeliest. None retires within 60 days after the model."
  ),
  audition: described(
    Schema.NullOr(Audition), "Of the first successor; null where that is known, or none is in sight."
  )
}, { identifier: "RetirementKind", description: "One kind of task on which the retiring model runs." })
export type RetirementKind = typeof RetirementKind.Type

export const OverallSuccessor = wire({
  ...variantFields("The model."),
  retiresOn,
  certainty: described(Certainty, "That of its weakest kind of task."),
  success: described(Figure, "Its success over the calls that it would take over, in [0, 1]."),
  successLow: described(Figure, "Lower end of its 95 % interval."),
  successHigh: described(Figure, "Upper end of its 95 % interval."),
  successChange: described(Figure, "Its success less the retiring model's, on tasks as easy."),
  callShare: described(Figure, "The share of the calls on whose kinds of task it is compared, in [0, 1]."),
  knownShare: described(Figure, "The part of that share on whose kinds of task it is `known`, in [0, 1]."),
  ...change
}, {
  identifier: "OverallSuccessor",
  description: "The model that replaces the retiring one on all kinds of task, by the calls of each."
})
export type OverallSuccessor = typeof OverallSuccessor.Type

const Use = wire({
  name: described(Schema.String, "The user, or the tag."),
  nCalls: described(Schema.Int, "Calls, count."),
  spentUsd: described(UsdFigure, "Their cost, in US dollars.")
}, { identifier: "RetirementUse", description: "For whom the retiring model ran." })

const Aliases = Schema.Record(Schema.String, Schema.String).annotate({
  identifier: "ModelAliases",
  description: "By a name that a program uses, the model that runs instead."
})

const Switch = wire({
  command: described(
    Schema.String, "The line that makes the successor the account's baseline, from which a guarantee starts."
  ),
  aliases: described(
    Aliases,
    "The option `aliases` of the clients: a program that names the retiring model runs the successor."
  )
}, { identifier: "RetirementSwitch", description: "Command and option that switch to the successor." })

/** Where a model is used, and since when. */
const usage = {
  callsPerMonth: described(
    Figure,
    "Its calls in 30 days, at the rate of the window. Those of a younger account than 30 days are counted as "
      + "they are."
  ),
  usdPerMonth: described(Figure, "Their cost, in US dollars.")
}

const model = {
  modelId: described(Schema.String, "The model, by our id."),
  retiresOn,
  daysLeft: described(Schema.NullOr(Schema.Int), "Days from today to its last one; below 0 once it is over.")
}

export const RetiringModel = wire({
  ...model,
  ...usage,
  lanes: described(Schema.Array(Schema.String), "The lanes where it runs, those with most calls first."),
  nKinds: described(Schema.Int, "Kinds of task on which it runs, each of one lane, count."),
  successor: described(Schema.NullOr(OverallSuccessor), "Model that may replace it; null if there is none."),
  command: described(Schema.String, "Command that shows all of it.")
}, { identifier: "RetiringModel", description: "A model in use that its provider will soon retire." })
export type RetiringModel = typeof RetiringModel.Type

export const RetirementResponse = wire({
  ...model,
  retiresOnSource: described(Schema.NullOr(Schema.String), "Who says the day; null without one."),
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Days of the window, up to now."),
  nCalls: described(Schema.Int, "Its calls, count, those of observed calls without words too."),
  nObserved: described(Schema.Int, "The part of them that telemetry shows, count."),
  spentUsd: described(UsdFigure, "Their cost, in US dollars: by bills, else list prices, else estimates."),
  ...usage,
  users: described(Schema.Array(Use), "Its users with most calls, at most 20."),
  tags: described(Schema.Array(Use), "The tags of its calls, at most 20: teams, services, agents."),
  kinds: described(Schema.Array(RetirementKind), "The kinds of task with most of its calls, at most 20."),
  successor: described(Schema.NullOr(OverallSuccessor), "Model that may replace it; null if there is none."),
  audition: described(
    Schema.NullOr(Audition),
    "Of that successor on the kinds of task with a twentieth of the calls on which it is not known; null "
      + "without."
  ),
  guarantee: described(
    Schema.NullOr(Schema.String),
    "Command of a guarantee that holds its success until its last day; null if no call asks."
  ),
  switch: described(Schema.NullOr(Switch), "How to switch to the successor; null without one.")
}, { identifier: "RetirementResponse", description: "Where a model is used, and what may replace it." })
export type RetirementResponse = typeof RetirementResponse.Type
