/* The report of an audition: a value that is printed, drawn as a page, and written as JSON. */
import { Schema } from "effect"
import { described, wire } from "../../../src/domain/wire/Wire.ts"
import { Interval } from "../../backtest/src/Report.ts"

const Count = Schema.Int
const Usd = Schema.Finite

const AuditionKind = wire({
  kind: described(Schema.String, "The prompt's `kind` in the file; without one, the classifier's task type."),
  trials: described(Count, "Graded answers."),
  success: described(Interval, "Share of successes.")
}, { identifier: "AuditionKind", description: "The results of a model on prompts of one kind." })

const AuditionModel = wire({
  modelId: described(Schema.String, "The model as the command names it."),
  trials: described(Count, "Graded answers."),
  success: described(Schema.NullOr(Interval), "Share of successes; null without a graded answer."),
  costUsd: described(Schema.NullOr(Interval), "Mean cost of a graded answer; null for fewer than two."),
  latencyMs: described(Schema.NullOr(Schema.Finite), "Mean time to a graded answer, ms; null without one."),
  cutOff: described(Count, "Graded answers that were cut off at the token limit."),
  leftOut: described(
    Schema.Array(wire({
      reason: Schema.String,
      count: Count,
      meaning: Schema.String
    }, { identifier: "AuditionLeftOut", description: "One reason for missing grades, with its count." })),
    "Prompts that do not count for the model, by reason."
  ),
  kinds: described(Schema.Array(AuditionKind), "The results by kind of prompt.")
}, { identifier: "AuditionModel", description: "What an audition measured of one model." })
export type AuditionModel = typeof AuditionModel.Type

const AuditionNaming = wire({
  valueUsd: described(Schema.NullOr(Usd), "The value of a success; null for success alone."),
  modelId: described(Schema.String, "The model with the highest success times value, less cost."),
  chance: described(Schema.Finite, "Lower bound on the chance that no other graded model is worth more.")
}, { identifier: "AuditionNaming", description: "The best model at a value of a success." })
export type AuditionNaming = typeof AuditionNaming.Type

export const AuditionReport = wire({
  headline: described(Schema.String, "The result in a sentence."),
  prompts: described(Count, "Prompts of the file."),
  gradedBy: described(Schema.String, "The name of the judge or the gate."),
  calls: described(Count, "Ended calls of models, including calls that were left out."),
  budgetUsd: described(Usd, "The budget, in US dollars."),
  spentUsd: described(Usd, "Spending in US dollars, including the reservations of unfinished calls."),
  judgeUsd: described(Usd, "The part of the spending for the judge."),
  unfinishedUsd: described(
    Usd,
    "The part of the spending that is reserved for unfinished calls of a killed run."
  ),
  ended: described(
    Schema.Literals(["clear", "budget", "prompts", "no_answers"]),
    "The reason of the end: a clear order, no budget, no prompts, or no answers."
  ),
  named: described(
    Schema.NullOr(AuditionNaming),
    "The best model at the command's value; null without a graded answer."
  ),
  naming: described(Schema.Array(AuditionNaming), "The best models by success alone and at six values."),
  models: described(Schema.Array(AuditionModel), "The models, in the order of the command.")
}, { identifier: "AuditionReport", description: "What an audition found, and what it spent." })
export type AuditionReport = typeof AuditionReport.Type
