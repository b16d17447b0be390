/* How many decisions have a verdict, and from where: a part of the dashboard's answer. */
import { Schema } from "effect"
import { described, wire } from "../wire/Wire.ts"

const VerdictCount = wire({
  source: described(Schema.String, "Where the verdicts come from; `assertion` when no source was named."),
  n: described(Schema.Int, "Decisions with such a verdict, count.")
}, { identifier: "VerdictCount", description: "The verdicts of one source." })

const LaneCoverage = wire({
  lane: described(Schema.String, "The lane."),
  n: described(Schema.Int, "Decisions, count."),
  nReported: described(Schema.Int, "Those of which anything was reported, count."),
  nVerdicts: described(Schema.Int, "Those with a verdict, count."),
  sources: described(Schema.Array(VerdictCount), "The verdicts by source, most first.")
}, { identifier: "LaneCoverage", description: "The verdicts of one lane." })
export type LaneCoverage = typeof LaneCoverage.Type

/** What brings the verdicts that are missing most. */
export const CoverageStep = Schema.Literals(["report", "verdict", "trusted"]).annotate({
  identifier: "CoverageStep",
  description: "Greatest need of a lane: `report`, reports at all; `verdict`, a gate, a person or a judge, "
    + "since its reports say nothing of quality; `trusted`, verdicts of a gate or a person beside the others."
})
export type CoverageStep = typeof CoverageStep.Type

const CoverageAdvice = wire({
  lane: described(Schema.String, "The lane."),
  step: described(CoverageStep, "Its greatest need.")
}, { identifier: "CoverageAdvice", description: "The lane in which a step helps most." })

export const Coverage = wire({
  n: described(Schema.Int, "Decisions, count."),
  nVerdicts: described(Schema.Int, "Those with a verdict, count."),
  lanes: described(
    Schema.Array(LaneCoverage), "By lane, those with most decisions without a verdict first; at most 50."
  ),
  lanesLeftOut: described(Schema.Int, "Lanes beyond those, count."),
  next: described(
    Schema.NullOr(CoverageAdvice), "The one thing that would help most; null where every lane has enough."
  )
}, { identifier: "Coverage", description: "How many decisions have a verdict, from which source, by lane." })
export type Coverage = typeof Coverage.Type
