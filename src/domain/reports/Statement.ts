/* The statement of a month: what was saved, over which decisions, and a hash by which it can be checked. */
import { Schema } from "effect"
import { dayMs, Moment } from "../Time.ts"
import { described, wire } from "../wire/Wire.ts"
import { ReportHealth, SavingsSummary } from "./Report.ts"
import { SavingsComparison } from "./SavingsComparison.ts"

const monthPattern = /^[12][0-9]{3}-(0[1-9]|1[0-2])$/

/** A month of the calendar, UTC, `2026-11`; of the years 1000 to 2999. */
export const Month = Schema.String.check(Schema.makeFilter(
  (text: string) => monthPattern.test(text) || "Expected a month such as 2026-11",
  { toJsonSchema: () => ({ pattern: monthPattern.source }) }
))

/** From the first day of a month on, until the first day of the next, UTC. */
export const monthRange = (month: string): { readonly since: Date; readonly until: Date } => {
  const since = new Date(`${month}-01T00:00:00Z`)
  return { since, until: new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1)) }
}

/** The days of a month as `dates` of a report: `2026-11-01/2026-11-30`. */
export const datesOf = (month: string): string => {
  const { since, until } = monthRange(month)
  const last = new Date(until.getTime() - dayMs)
  return [since, last].map((day) => day.toISOString().slice(0, 10)).join("/")
}

/** Every decision of the month is one of these: the first two count in the saving, the others in none. */
export const decisionFates = [
  "by_bill", "at_list_prices", "shadow", "not_reported", "another_model", "no_baseline", "broken", "no_cost",
  "outlier"
] as const
export type DecisionFate = typeof decisionFates[number]

const StatedDecisions = wire({
  n: described(Schema.Int, "Decisions of the month, count."),
  byBill: described(Schema.Int, "Those whose saving is known by a bill, count."),
  atListPrices: described(Schema.Int, "Those whose saving is known at list prices alone, count."),
  shadow: described(Schema.Int, "Left out: asked in shadow, so that the answer changed nothing."),
  notReported: described(Schema.Int, "Left out: no report says what came of it."),
  anotherModel: described(Schema.Int, "Left out: another model ran than the recommended one."),
  noBaseline: described(Schema.Int, "Left out: the request named no baseline that has a price."),
  broken: described(Schema.Int, "Left out: the infrastructure broke the call."),
  noCost: described(Schema.Int, "Left out: neither a bill nor token counts."),
  outlier: described(Schema.Int, "Left out: its cost is an outlier that no other cost confirms.")
}, { identifier: "StatedDecisions", description: "The decisions of a month, each counted once." })
export type StatedDecisions = typeof StatedDecisions.Type

const StatedDay = wire({
  day: described(Schema.String, "The day, UTC."),
  n: described(Schema.Int, "Decisions of the day, count."),
  sha256: described(Schema.String, "SHA-256 of their rows, hex.")
}, { identifier: "StatedDay", description: "The rows of one day." })

const StatedRows = wire({
  since: described(Schema.String, "The first day of the month before, UTC."),
  until: described(Schema.String, "The day after the last of the month behind, UTC."),
  n: described(Schema.Int, "Decisions of these months, count."),
  sha256: described(Schema.String, "SHA-256 of the lines `<day> <n> <sha256>` of `days`, hex."),
  days: described(Schema.Array(StatedDay), "The days that have decisions, in their order.")
}, {
  identifier: "StatedRows",
  description: "The rows that the figures are made of: those of the month, and those of the months beside it,"
    + " whose costs say how a baseline's costs compare with its estimates."
})
export type StatedRows = typeof StatedRows.Type

const StatedReports = wire({
  revision: described(Schema.Int, "The last report that the account's log has taken."),
  nMissing: described(
    Schema.Int,
    "Reports of the month that the log took and that are no longer stored, count: they were erased, or"
      + " dropped by retention. Their decisions are in no figure."
  )
}, { identifier: "StatedReports", description: "How complete the account's log is." })
export type StatedReports = typeof StatedReports.Type

const StatedSavings = wire({
  summary: described(SavingsSummary, "As `summary` of `GET /v1/savings`."),
  comparison: described(Schema.NullOr(SavingsComparison), "As `comparison` of it."),
  health: described(ReportHealth, "As `health` of it.")
}, { identifier: "StatedSavings", description: "The figures of `GET /v1/savings` for the month's days." })

export const Statement = wire({
  kind: Schema.Literal("sextant-statement"),
  format: described(Schema.Literal(1), "Which columns the hash is over, and in which order."),
  account: described(Schema.String, "The account."),
  month: described(Month, "The month, UTC."),
  madeAt: described(Moment, "When the rows were read, all as of this moment."),
  isRunning: described(Schema.Boolean, "Whether the month had not ended then."),
  serviceVersion: described(Schema.String, "The version of Sextant that made it."),
  method: described(Schema.Array(Schema.String), "How the figures were made, in sentences."),
  decisions: StatedDecisions,
  savings: StatedSavings,
  reports: StatedReports,
  rows: StatedRows
}, { identifier: "Statement", description: "Saving in a month from following the advice." })
export type Statement = typeof Statement.Type
