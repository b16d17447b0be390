/* Reliability of the sources of verdicts that are not trusted by themselves, for the dashboard. */
import { Schema } from "effect"
import { Figure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

export const checkedSources = ["judge", "assertion", "self_check"] as const

export const JudgeWorth = wire({
  source: described(
    Schema.Literals(checkedSources),
    "Source of the verdicts; `assertion` if none was named. Verdicts of `self_check` teach nothing."
  ),
  taskType: described(Schema.NullOr(Schema.String), "The kind of task; null for all kinds."),
  nJudged: described(Schema.Int, "Calls that the source judged, alone or together with a gate or a person, "
    + "count."),
  nChecked: described(Schema.Int, "Calls that a gate or a person judged too, count."),
  isChecked: described(
    Schema.Boolean,
    "Whether `n_checked` suffices for a correction: at least 30. Otherwise `pass_wrong`, `fail_right` and "
      + "`success` with its interval are null."
  ),
  passWrong: described(Schema.NullOr(Figure), "Share of wrong results that the source passes; null without "
    + "any."),
  failRight: described(Schema.NullOr(Figure), "Share of right results that the source fails; null without "
    + "any."),
  successJudged: described(Figure, "Success of the source's calls by its own verdicts, partial success as "
    + "one half."),
  success: described(Schema.NullOr(Figure), "Success of the source's calls, corrected by the checked calls "
    + "(PPI++)."),
  successLow: described(Schema.NullOr(Figure), "Lower end of the 95 % interval of `success`."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of the 95 % interval of `success`.")
}, {
  identifier: "JudgeWorth",
  description: "Reliability of one source of verdicts, measured on calls that a gate or a person judged too."
})
export type JudgeWorth = typeof JudgeWorth.Type
