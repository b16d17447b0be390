/** The coverage of decisions by verdicts. */
import { Schema } from "effect"
import { described, wire } from "../wire/Wire.ts"

const VerdictCount = wire({
  source: described(Schema.String, "Source of the verdicts; `assertion` if none was named."),
  n: described(Schema.Int, "Decisions with such a verdict, count.")
}, { identifier: "VerdictCount", description: "The verdicts that come from one source." })

const LaneCoverage = wire({
  lane: described(Schema.String, "The lane."),
  n: described(Schema.Int, "Decisions, count."),
  nReported: described(Schema.Int, "Decisions with any report, count."),
  nVerdicts: described(Schema.Int, "Decisions with a verdict, count."),
  sources: described(Schema.Array(VerdictCount), "The verdicts by source, most first.")
}, { identifier: "LaneCoverage", description: "The verdicts of one lane." })
export type LaneCoverage = typeof LaneCoverage.Type

export const CoverageStep = Schema.Literals(["report", "verdict", "trusted"]).annotate({
  identifier: "CoverageStep",
  description: "The kind of report that a lane lacks most. `report`: reports of any kind. `verdict`: reports "
    + "with a label of a gate, a person or a judge. `trusted`: reports with a label of a gate or a person."
})
export type CoverageStep = typeof CoverageStep.Type

const CoverageAdvice = wire({
  lane: described(Schema.String, "The lane."),
  step: described(CoverageStep, "The greatest need of the lane.")
}, { identifier: "CoverageAdvice", description: "The report that would help most, and the lane that lacks "
  + "it." })

export const Coverage = wire({
  n: described(Schema.Int, "Decisions, count."),
  nVerdicts: described(Schema.Int, "Decisions with a verdict, count."),
  lanes: described(Schema.Array(LaneCoverage), "The 50 lanes with the most decisions without a verdict."),
  lanesLeftOut: described(Schema.Int, "Number of lanes that are not listed."),
  next: described(
    Schema.NullOr(CoverageAdvice), "The most helpful step; null if every lane has enough verdicts, also of "
      + "gates and people."
  )
}, { identifier: "Coverage", description: "Decisions with a verdict, by source and lane." })
export type Coverage = typeof Coverage.Type
