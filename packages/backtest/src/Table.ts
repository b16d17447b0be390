/* A backtest's report as text for a terminal, at most 80 columns wide. */
import { shown } from "../../../src/domain/text/HiddenCharacters.ts"
import * as Words from "../../../src/domain/text/Words.ts"
import { titleOf } from "./page/Titles.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "./Report.ts"
import { calls, count, share, span, taskSentences } from "./Sentences.ts"

const columnsMax = 80
const nameWidth = 21
const costWidth = 23
const successWidth = 18
const savingWidth = 18

/** A text as a terminal may show it: in one line, and not longer than its place. */
const fitting = (text: string, width: number): string => {
  const safe = shown(text).replace(/\s+/g, " ")
  return (safe.length > width ? `${safe.slice(0, width - 1)}…` : safe).padEnd(width)
}

/** Breaks a text at spaces into lines of at most so many columns. */
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

/** "$12.30 (11.10-13.50)": of a thousand calls. */
const costCell = (cost: Interval | null): string => {
  if (cost === null) return "?"
  const of = (usd: number): string => Words.dollars(usd * 1_000)
  return `${of(cost.value)} (${of(cost.low).slice(1)}–${of(cost.high).slice(1)})`
}

const shareCell = (estimate: Interval | null): string =>
  estimate === null
    ? "?"
    : `${share(estimate.value)} (${span(estimate).replace(" to ", "–").replace(" %", "")})`

const savingCell = ({ saving, verdict }: BacktestPolicy): string => {
  if (verdict === "baseline") return "baseline"
  if (verdict === "not_enough" || saving === null) return "not enough to tell"
  return shareCell(saving)
}

const policyLine = (policy: BacktestPolicy): string =>
  [
    fitting(titleOf(policy), nameWidth),
    fitting(costCell(policy.costUsd), costWidth),
    fitting(shareCell(policy.success), successWidth),
    fitting(savingCell(policy), savingWidth)
  ].join("").trimEnd()

/** On how many calls the log shows a policy's pick, and what those are worth. */
const matchedLine = (policy: BacktestPolicy): string =>
  [
    fitting(titleOf(policy), nameWidth),
    fitting(share(policy.matchedShare), 10),
    fitting(count(policy.matchedLabelled), 10),
    fitting(count(policy.effectiveSampleSize), 11),
    policy.hiddenCauseOdds === null
      ? ""
      : policy.hiddenCauseOdds >= 50 ? "over 50 times" : `${policy.hiddenCauseOdds.toFixed(1)} times`
  ].join("").trimEnd()

const spentLine = ({ log, spent }: BacktestReport): string => {
  const known = spent.unknownRows === 0 ? "" : `, unknown for ${count(spent.unknownRows)}`
  const computed = spent.computedRows === 0
    ? ""
    : `, ${Words.dollars(spent.computedUsd)} of it by list prices for ${count(spent.computedRows)}`
  return `Spent: ${Words.dollars(spent.usd)} on ${calls(log.rows - log.repeated)}${computed}${known}.`
}

const day = (iso: string | null): string => iso?.slice(0, 10) ?? "?"

/** A terminal's bold, unless colours are unwanted. */
const bold = (text: string, isColoured: boolean): string =>
  isColoured ? `\u001b[1m${text}\u001b[22m` : text

/** What is printed of a report. */
export const tableOf = (report: BacktestReport, { isColoured }: { readonly isColoured: boolean }): string => {
  const { assumption, headline, log, notes, policies, unknowable } = report
  const tasks = taskSentences(report)
  const unknown = policies.filter(({ kind, verdict }) => kind !== "logged" && verdict === "not_enough")
  const head = [
    fitting("", nameWidth), fitting("cost of 1,000 calls", costWidth), fitting("success", successWidth),
    "saving"
  ].join("")
  const matchedHead = [
    fitting("", nameWidth), fitting("matched", 10), fitting("labelled", 10), fitting("worth", 11),
    "hidden cause"
  ].join("")
  return [
    ...wrapped(headline).map((line) => bold(line, isColoured)),
    "",
    ...wrapped(`${calls(log.rows)} from ${day(log.from)} to ${day(log.to)}, ${count(log.labelled)} labelled. `
      + spentLine(report)),
    ...log.leftOut.flatMap((each) => wrapped(`Left out: ${count(each.count)} ${each.meaning}.`)),
    ...(policies.length === 0 ? [] : [
      "", bold(head, isColoured), ...policies.map(policyLine), "",
      ...wrapped("In brackets: 95 % intervals. How far the log can tell: calls on which it shows the pick, "
        + "those with a label, as how many calls drawn evenly these count (worth), and how strong a hidden "
        + "cause of the choices must be to undo the verdict:"),
      bold(matchedHead, isColoured), ...policies.map(matchedLine)
    ]),
    ...(unknown.length === 0 ? [] : ["", ...unknown.flatMap(({ sentence }) => wrapped(sentence))]),
    ...(tasks.length === 0 ? [] : ["", ...tasks.flatMap((sentence) => wrapped(sentence))]),
    "",
    ...wrapped(assumption),
    ...wrapped(unknowable),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => wrapped(note))])
  ].join("\n")
}
