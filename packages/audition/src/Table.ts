/* An audition's report as text for a terminal, at most 80 columns wide. */
import { counted, dollars, percent } from "../../../src/domain/text/Words.ts"
import type { Interval } from "../../backtest/src/Report.ts"
import { share, span } from "../../backtest/src/Sentences.ts"
import { fitting, wrapped } from "../../backtest/src/Table.ts"
import { atValue } from "./Figures.ts"
import type { AuditionModel, AuditionReport } from "./Report.ts"

/** A success rate with its 95 % interval, such as "81 % (70 to 89 %)". */
export const shareCell = (success: Interval | null): string =>
  success === null ? "not known" : `${share(success.value)} (${span(success)})`

/** Costs are shown for this many answers, because the cost of one answer is too small to read. */
export const answersShown = 1_000

/** "$1.20 ($1.05 to $1.40)": the cost of 1,000 answers. */
export const costCell = (cost: Interval | null): string => {
  if (cost === null) return "not known"
  const of = (usd: number): string => dollars(usd * answersShown)
  return `${of(cost.value)} (${of(cost.low)} to ${of(cost.high)})`
}

/** Lines on left-out calls and cut-off answers, such as "gpt-5: 3 calls: a content filter refused". */
export const leftOutLines = (models: ReadonlyArray<AuditionModel>): ReadonlyArray<string> =>
  models.flatMap(({ cutOff, leftOut, modelId }) => [
    ...leftOut.map(({ count, meaning }) => `${modelId}: ${counted(count, "call")}: ${meaning}`),
    ...(cutOff === 0 ? [] : [`${modelId}: ${counted(cutOff, "answer")} reached the most tokens, and counted`])
  ])

export const spentSentence = (
  { budgetUsd, calls, gradedBy, judgeUsd, spentUsd, unfinishedUsd }: AuditionReport
): string =>
  `${counted(calls, "call")}, graded by ${gradedBy}: ${dollars(spentUsd)} of ${dollars(budgetUsd)} spent`
    + `${judgeUsd === 0 ? "" : `, ${dollars(judgeUsd)} of it by the judge`}`
    + `${unfinishedUsd === 0 ? "" : `, ${dollars(unfinishedUsd)} of it for calls that were cut off`}.`

/** Width of each column, in characters. */
const columns = [24, 9, 22, 80] as const

const lineOf = (cells: readonly [string, string, string, string]): string =>
  cells.map((cell, place) => fitting(cell, columns[place]!)).join("").trimEnd()

export const tableOf = (report: AuditionReport): string => {
  const { headline, models, naming } = report
  const leftOut = leftOutLines(models)
  return [
    ...wrapped(headline), "", ...wrapped(spentSentence(report)), "",
    lineOf(["model", "graded", "success", "cost of 1,000 answers"]),
    ...models.map(({ costUsd, modelId, success, trials }) =>
      lineOf([modelId, String(trials), shareCell(success), costCell(costUsd)])),
    "", ...wrapped("In brackets: 95 % intervals, which hold although the audition ends when it is sure."),
    ...(naming.length === 0 ? [] : ["", ...naming.flatMap(({ chance, modelId, valueUsd }) =>
      wrapped(`${atValue(valueUsd)}: ${modelId}, best with a chance of ${percent(chance)}`))]),
    ...(leftOut.length === 0 ? [] : ["", ...wrapped("Left out, as no failures of a model:"),
      ...leftOut.flatMap((line) => wrapped(line, "  "))])
  ].join("\n")
}
