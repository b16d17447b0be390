/* A backtest's report as text for a terminal, at most 80 columns wide. */
import { shown } from "../../../src/domain/text/HiddenCharacters.ts"
import * as Words from "../../../src/domain/text/Words.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "./Report.ts"
import { calls, count, day, leftOutWords, share, span, titleOf } from "./Sentences.ts"

const columnsMax = 80

/** A text in one line, cut and padded to a width, with at least one space at the end. */
export const fitting = (text: string, width: number): string => {
  const safe = shown(text).replace(/\s+/g, " ")
  return (safe.length >= width ? `${safe.slice(0, width - 2)}…` : safe).padEnd(width)
}

/** Breaks a text at spaces into lines of at most 80 columns, unless a word is longer. */
export const wrapped = (text: string, indent = ""): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = indent
  for (const word of shown(text).split(/\s+/)) {
    const isFirst = line === indent
    if (!isFirst && line.length + 1 + word.length > columnsMax) {
      lines.push(line)
      line = indent + word
    } else line = isFirst ? indent + word : `${line} ${word}`
  }
  return [...lines, line]
}

/** "$12.30 (11.10–13.50)": the cost of 1,000 calls. */
const costCell = (cost: Interval | null): string => {
  if (cost === null) return "?"
  const of = (usd: number): string => Words.dollars(usd * 1_000)
  return `${of(cost.value)} (${of(cost.low).slice(1)}–${of(cost.high).slice(1)})`
}

const shareCell = (estimate: Interval | null): string =>
  estimate === null
    ? "?"
    : `${share(estimate.value)} (${span(estimate).replace(" to ", "–").replace(" %", "")})`

const savingCell = ({ saving, verdict }: BacktestPolicy): string =>
  verdict === "baseline" ? "what was spent" : shareCell(saving)

const widths = [21, 23, 18, 18] as const

const lineOf = (...cells: readonly [string, string, string, string]): string =>
  cells.map((cell, at) => fitting(cell, widths[at] ?? 0)).join("").trimEnd()

const policyLine = (policy: BacktestPolicy): string =>
  lineOf(titleOf(policy), costCell(policy.costUsd), shareCell(policy.success), savingCell(policy))

const spentLine = ({ log, spent }: BacktestReport): string => {
  const known = spent.unknownRows === 0 ? "" : `, unknown for ${count(spent.unknownRows)}`
  const computed = spent.computedRows === 0
    ? ""
    : `, ${Words.dollars(spent.computedUsd)} of it by list prices for ${count(spent.computedRows)}`
  return `Spent: ${Words.dollars(spent.usd)} on ${calls(log.rows - log.repeated)}${computed}${known}.`
}

export const tableOf = (report: BacktestReport): string => {
  const { assumption, headline, log, notes, policies, untold } = report
  return [
    ...wrapped(headline),
    "",
    ...wrapped(`${calls(log.rows)} from ${day(log.from)} to ${day(log.to)}, ${count(log.labelled)} labelled. `
      + spentLine(report)),
    ...leftOutWords(report).flatMap((words) => wrapped(words)),
    ...(policies.length === 0 ? [] : [
      "", lineOf("", "cost of 1,000 calls", "success", "saving"), ...policies.map(policyLine),
      "", ...wrapped("In brackets: 95 % intervals.")
    ]),
    ...(untold === null || headline.includes(untold.sentence) ? [] : ["", ...wrapped(untold.sentence)]),
    "",
    ...wrapped(assumption),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => wrapped(note))])
  ].join("\n")
}
