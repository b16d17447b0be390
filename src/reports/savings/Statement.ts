/* The statement of a month, and its comparison with a new statement of that month. */
import type { AccountId } from "../../domain/Scope.ts"
import {
  monthRange, type StatedDecisions, type StatedReports, type StatedRows, type Statement
} from "../../domain/reports/Statement.ts"
import { quoted } from "../../domain/text/Text.ts"
import { version } from "../../domain/Version.ts"
import type { SavingsFigures } from "./SavingsSums.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import type { QualityEstimate } from "../PolicyWorth.ts"
import { comparisonOf, savingsOf } from "./Savings.ts"

export interface StatedMonth {
  readonly accountId: AccountId
  /** The month, such as `2026-11`. */
  readonly month: string
}

export const statementWindow = ({ accountId, month }: StatedMonth): LedgerWindow =>
  ({ accountId, lane: null, ...monthRange(month) })

/** Sentences on how the figures are made. If a sentence changes, monthly statements need a new `format`. */
const method: ReadonlyArray<string> = [
  "A decision counts in the saving if the recommended model ran, the request named a baseline, and the cost"
  + " of the call is known.",
  "The saving is what the baselines would have cost less what the calls cost. Where the baseline ran, it is"
  + " exactly 0. For other calls the baseline's estimate is multiplied by the ratio of its own costs to its"
  + " estimates in this month and the months beside it.",
  "A further attempt at a task counts as a cost alone: without the advice, the baseline would run once. Where"
  + " the baseline would have been tried again too, the saving is understated.",
  "The interval is the 95 % interval of errors of these ratios and of the chance of single calls.",
  "Savings by bills and at list prices are separate figures. No decision counts in both.",
  "Success is estimated doubly robustly on outcomes that a gate or a person verified, with 95 % intervals.",
  "Days are UTC. A report counts on the day of its decision. So the figures of a month can change until its"
  + " last report, and until the bills of the next month are in."
]

interface StatementParts {
  readonly madeAt: Date
  readonly figures: SavingsFigures
  readonly quality: QualityEstimate
  readonly decisions: StatedDecisions
  readonly reports: StatedReports
  readonly rows: StatedRows
}

/** The savings in a statement are the figures of `GET /v1/savings` for the days of the month. */
export const statementOf = (
  { accountId, month }: StatedMonth,
  { decisions, figures, madeAt, quality, reports, rows }: StatementParts
): Statement => {
  const { health, summary } = savingsOf(figures, null)
  return {
    kind: "sextant-statement",
    format: 1,
    account: accountId,
    month,
    madeAt: madeAt.toISOString(),
    isRunning: madeAt < monthRange(month).until,
    serviceVersion: version,
    method,
    decisions,
    savings: { summary, comparison: comparisonOf(quality, summary), health },
    reports,
    rows
  }
}

/** A value in a statement's JSON, with its path, such as `savings.summary.followed.savings_usd`. */
interface Leaf {
  readonly path: string
  readonly value: unknown
}

/** Maximum depth of a monthly statement's JSON that is read; the service's own JSON is less deep. Chosen. */
const depthMax = 16

/** An unusual name is quoted, so that a dot in it cannot lead to another value. */
const segmentOf = (key: string): string => /^\w{1,80}$/.test(key) ? key : quoted(key)

/** Returns the leaves of a JSON tree with their paths. An empty or too deep list or object is one leaf. */
const leavesOf = (value: unknown, path = "", depth = 0): ReadonlyArray<Leaf> => {
  if (typeof value !== "object" || value === null) return [{ path, value }]
  const entries = Object.entries(value)
  return entries.length === 0 || depth > depthMax
    ? [{ path, value: entries.length > 0 ? "…" : Array.isArray(value) ? "[]" : "{}" }]
    : entries.flatMap(([key, own]) =>
      leavesOf(own, path === "" ? segmentOf(key) : `${path}.${segmentOf(key)}`, depth + 1))
}

/** Maximum relative difference of equal sums, above the error of adding in another order. Chosen. */
const sameWithin = 1e-9

const isSame = (one: unknown, other: unknown): boolean =>
  typeof one === "number" && typeof other === "number"
    ? Math.abs(one - other) <= sameWithin * Math.max(Math.abs(one), Math.abs(other))
    : one === other

/** The fields of a statement that may differ if the same rows are read at a later time. */
const ofTheReading: ReadonlySet<string> = new Set(["made_at", "is_running", "service_version"])

export interface CheckedPart {
  /** Path of the part, such as `decisions` or `savings.summary.followed`. */
  readonly part: string
  readonly n: number
  /** First difference in the part; null if there is none. A value that one statement lacks is undefined. */
  readonly first: { readonly path: string; readonly stated: unknown; readonly found: unknown } | null
}

const partOf = (path: string): string => {
  const names = path.split(".")
  return names[0] === "savings" ? names.slice(0, names[1] === "summary" ? 3 : 2).join(".") : names[0]!
}

/**
 * Compares a statement with a new statement of the same month, value by value, both as JSON. The part `rows`
 * comes first, because any figure may differ if the rows differ.
 */
export const checkedParts = (stated: object, found: object): ReadonlyArray<CheckedPart> => {
  const [of, by] = [stated, found].map((each) =>
    new Map(leavesOf(each).map(({ path, value }) => [path, value])))
  const paths = [...new Set([...of!.keys(), ...by!.keys()])].filter((path) => !ofTheReading.has(path))
  const parts = [...Map.groupBy(paths, partOf)].map(([part, own]): CheckedPart => {
    const path = own.find((each) => !isSame(of!.get(each), by!.get(each)))
    return {
      part,
      n: own.length,
      first: path === undefined ? null : { path, stated: of!.get(path), found: by!.get(path) }
    }
  })
  return [...parts.filter(({ part }) => part === "rows"), ...parts.filter(({ part }) => part !== "rows")]
}

/** Returns the first day whose rows differ; null if no day differs. */
export const firstDayApart = (stated: StatedRows, found: StatedRows) => {
  const days = [...new Set([...stated.days, ...found.days].map(({ day }) => day))].toSorted()
  for (const day of days) {
    const [of, by] = [stated, found].map((rows) => rows.days.find((each) => each.day === day))
    if (of?.sha256 !== by?.sha256) return { day, stated: of?.n ?? 0, found: by?.n ?? 0 }
  }
  return null
}
