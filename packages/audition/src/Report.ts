/* The report of an audition: a value that is printed, drawn as a page, and written as JSON. */
import { Schema } from "effect"
import { described, wire } from "../../../src/domain/wire/Wire.ts"
import { Interval } from "../../backtest/src/Report.ts"

const Count = Schema.Int
const Usd = Schema.Finite

const AuditionKind = wire({
  kind: described(Schema.String, "The prompts' own word for it, else the task type that their text shows."),
  trials: described(Count, "Graded answers."),
  success: described(Interval, "Share of successes.")
}, { identifier: "AuditionKind", description: "A model on prompts of one kind." })

const AuditionModel = wire({
  modelId: described(Schema.String, "The model as the command names it."),
  trials: described(Count, "Graded answers."),
  success: described(Schema.NullOr(Interval), "Share of successes; null without a graded answer."),
  costUsd: described(Schema.NullOr(Interval), "Cost of an answer; null with fewer than two."),
  latencyMs: described(Schema.NullOr(Schema.Finite), "Mean time to an answer; null without one."),
  cutOff: described(Count, "Graded answers that reached the most tokens; they are graded as they are."),
  leftOut: described(
    Schema.Array(wire({
      reason: Schema.String,
      count: Count,
      meaning: Schema.String
    }, { identifier: "AuditionLeftOut", description: "Calls that say nothing of the model, and why." })),
    "Calls that are no failures of the model, by reason."
  ),
  kinds: described(Schema.Array(AuditionKind), "The same by kind.")
}, { identifier: "AuditionModel", description: "What was seen of a model." })
export type AuditionModel = typeof AuditionModel.Type

const AuditionNaming = wire({
  valueUsd: described(Schema.NullOr(Usd), "What a success is worth; null for success alone."),
  modelId: described(Schema.String, "The model that is worth most by success times value, less its cost."),
  chance: described(Schema.Finite, "The chance that none of the others is worth more.")
}, { identifier: "AuditionNaming", description: "The model that is named at a value of a success." })
export type AuditionNaming = typeof AuditionNaming.Type

export const AuditionReport = wire({
  headline: described(Schema.String, "What the audition says, in a sentence."),
  prompts: described(Count, "Prompts of the file."),
  gradedBy: described(Schema.String, "The judge or the gate."),
  calls: described(Count, "Calls of models that ended, those left out included."),
  budgetUsd: described(Usd, "The most that it might spend."),
  spentUsd: described(Usd, "What it spent, in US dollars, with what unfinished calls may have cost."),
  judgeUsd: described(Usd, "The judge's part of it."),
  unfinishedUsd: described(Usd, "The part of calls that a killed run had begun: what they may have cost."),
  ended: described(
    Schema.Literals(["clear", "budget", "prompts", "no_answers"]),
    "Why it ended: the order is clear, the budget or the prompts are used up, or no model answers."
  ),
  named: described(Schema.NullOr(AuditionNaming), "At the command's value; null without a graded answer."),
  naming: described(Schema.Array(AuditionNaming), "At other values."),
  models: described(Schema.Array(AuditionModel), "The models, in the order of the command.")
}, { identifier: "AuditionReport", description: "What an audition saw." })
export type AuditionReport = typeof AuditionReport.Type
