/* What verdicts of a source are worth that is not trusted by itself: a part of the dashboard's answer. */
import { Schema } from "effect"
import { Figure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

/** The sources whose verdicts are checked against those of gates and people. */
export const checkedSources = ["judge", "assertion", "self_check"] as const

export const JudgeWorth = wire({
  source: described(
    Schema.Literals(checkedSources), "Where the verdicts come from; `assertion` when no source was named. "
      + "Those of `self_check`, the agent's own check, teach nothing."
  ),
  taskType: described(Schema.NullOr(Schema.String), "The kind of task; null for all of them."),
  nJudged: described(
    Schema.Int, "Calls whose verdict is its own, or that it judged beside a gate or a person, count."
  ),
  nChecked: described(Schema.Int, "Those that a gate or a person judged, too, count."),
  isChecked: described(
    Schema.Boolean, "Whether these are enough to correct it: from 30 on. The figures below are null before."
  ),
  passWrong: described(Schema.NullOr(Figure), "Share of the wrong ones that it passes; null without any."),
  failRight: described(Schema.NullOr(Figure), "Share of the right ones that it fails; null without any."),
  successJudged: described(Figure, "Success of the calls by its own verdicts, partial success as one half."),
  success: described(
    Schema.NullOr(Figure), "Success of all of them, corrected by the checked ones (PPI++)."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of its 95 % interval."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of its 95 % interval.")
}, {
  identifier: "JudgeWorth",
  description: "Reliability of one source of verdicts, from those that a gate or a person checked."
})
export type JudgeWorth = typeof JudgeWorth.Type
