/* The statement of a month: its saving, its decisions, and a hash that verifies both. */
import { Schema } from "effect"
import { Moment } from "../Time.ts"
import { described, wire } from "../wire/Wire.ts"
import { ReportHealth, SavingsSummary } from "./Report.ts"
import { SavingsComparison } from "./SavingsComparison.ts"

const monthPattern = /^[12][0-9]{3}-(0[1-9]|1[0-2])$/

/** A month of the years 1000 to 2999, in UTC, such as `2026-11`. */
export const Month = Schema.String.check(Schema.makeFilter(
  (text: string) => monthPattern.test(text) || "Expected a month such as 2026-11",
  { toJsonSchema: () => ({ pattern: monthPattern.source }) }
))

export const monthRange = (month: string): { readonly since: Date; readonly until: Date } => {
  const since = new Date(`${month}-01T00:00:00Z`)
  return { since, until: new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1)) }
}

/** The classes of a month's decisions. Only `by_bill` and `at_list_prices` count toward the saving. */
export const decisionFates = [
  "by_bill", "at_list_prices", "shadow", "not_reported", "another_model", "no_baseline", "broken", "no_cost",
  "outlier"
] as const
export type DecisionFate = typeof decisionFates[number]

const StatedDecisions = wire({
  n: described(Schema.Int, "Decisions of the month, count."),
  byBill: described(Schema.Int, "Decisions with a saving known by a bill, count."),
  atListPrices: described(Schema.Int, "Decisions with a saving known only at list prices, count."),
  shadow: described(Schema.Int, "Left out: in shadow, so that the answer changed nothing."),
  notReported: described(Schema.Int, "Left out: without a report."),
  anotherModel: described(Schema.Int, "Left out: another model than the recommended one ran."),
  noBaseline: described(Schema.Int, "Left out: without a baseline that has a price."),
  broken: described(Schema.Int, "Left out: the infrastructure broke the call."),
  noCost: described(Schema.Int, "Left out: neither a bill nor token counts."),
  outlier: described(Schema.Int, "Left out: the cost is an outlier that no other cost confirms.")
}, { identifier: "StatedDecisions", description: "The decisions of a month, each counted in one class." })
export type StatedDecisions = typeof StatedDecisions.Type

const StatedDay = wire({
  day: described(Schema.String, "The day, UTC."),
  n: described(Schema.Int, "Decisions of the day, count."),
  sha256: described(Schema.String, "SHA-256 of their rows, hex.")
}, { identifier: "StatedDay", description: "The rows that belong to one day." })

const StatedRows = wire({
  since: described(Schema.String, "First day of the preceding month, UTC."),
  until: described(Schema.String, "Day after the last day of the following month, UTC."),
  n: described(Schema.Int, "Decisions of the three months, count."),
  sha256: described(Schema.String, "SHA-256 of the lines `<day> <n> <sha256>` of `days`, hex."),
  days: described(Schema.Array(StatedDay), "The days with decisions, in order.")
}, {
  identifier: "StatedRows",
  description: "The rows behind the figures: decisions of the month, of the month before and of the month "
    + "after. Costs of the months before and after help to compare a baseline's costs with its estimates."
})
export type StatedRows = typeof StatedRows.Type

const StatedReports = wire({
  revision: described(Schema.Int, "Number of the last report in the account's log."),
  nMissing: described(
    Schema.Int,
    "Reports of the month that are no longer stored, count. Missing reports were erased, or retention "
      + "dropped them. No figure includes their decisions."
  )
}, { identifier: "StatedReports", description: "The last report in the account's log, and the number of "
  + "reports that are missing." })
export type StatedReports = typeof StatedReports.Type

const StatedSavings = wire({
  summary: described(SavingsSummary, "The same as `summary` of `GET /v1/savings`."),
  comparison: described(Schema.NullOr(SavingsComparison), "The same as `comparison` of `GET /v1/savings`."),
  health: described(ReportHealth, "The same as `health` of `GET /v1/savings`.")
}, { identifier: "StatedSavings", description: "The figures of `GET /v1/savings` for the days of the "
  + "month." })

export const Statement = wire({
  kind: Schema.Literal("sextant-statement"),
  format: described(Schema.Literal(1), "Version of the columns in the hash, and of their order."),
  account: described(Schema.String, "The account."),
  month: described(Month, "The month, UTC."),
  madeAt: described(Moment, "Time at which all rows were read."),
  isRunning: described(Schema.Boolean, "Whether the month was not over when the statement was made."),
  serviceVersion: described(Schema.String, "Version of Sextant that made the statement."),
  method: described(Schema.Array(Schema.String), "The method of the figures, in sentences."),
  decisions: StatedDecisions,
  savings: StatedSavings,
  reports: StatedReports,
  rows: StatedRows
}, { identifier: "Statement", description: "Saving of a month from following the advice." })
export type Statement = typeof Statement.Type
