/* The sentences of a backtest's report. */
import * as Words from "../../../src/domain/text/Words.ts"
import type { BacktestBest, BacktestPolicy, BacktestReport, BacktestUntold, Interval } from "./Report.ts"
import { sameWithin } from "./stats/BestWay.ts"
import type { Withheld } from "./stats/LogVerdict.ts"

export const assumption = "Assumed throughout: the choice of the model depended on nothing but what the log "
  + "shows of a call beforehand, which is its text's kind, tags, user, size and time. No log can tell how a "
  + "model would have done on calls for which it was never chosen, nor allow for a cause of the choice that "
  + "only the log's author knows."

/** "1,204" */
export const count = (n: number): string => Math.round(n).toLocaleString("en-GB")

/** "1 call", "1,204 calls" */
export const calls = (n: number): string => `${count(n)} ${Words.nounOf(n, "call")}`

/** "41 %", "−3.2 %": a share that may be negative, with one decimal below 10 %. */
export const share = (value: number): string => {
  const size = Math.abs(value) * 100
  return `${value < 0 ? "−" : ""}${size < 9.95 && size !== 0 ? size.toFixed(1) : Math.round(size)} %`
}

/** "33 to 49 %" */
export const span = ({ high, low }: Interval): string => `${share(low).replace(" %", "")} to ${share(high)}`

/** A difference of two success rates in words, such as "0.4 points lower (2.1 lower to 1.3 higher)". */
const differenceWords = ({ high, low, value }: Interval): string => {
  const points = (of: number, unit = ""): string =>
    `${Math.abs(of * 100).toFixed(1)}${unit} ${of < 0 ? "lower" : "higher"}`
  return `${points(value, " points")} (${points(low)} to ${points(high)})`
}

/** "Slider 5", "Always gpt-4o", "As logged" */
export const titleOf = ({ kind, name }: Pick<BacktestPolicy, "kind" | "name">): string =>
  kind === "logged" ? "As logged" : `${name.charAt(0).toUpperCase()}${name.slice(1)}`

export const headlineOf = (
  { saving, successDifference, verdict, way }: BacktestBest,
  untold: BacktestUntold | null
): string => {
  const asGood = `within ${sameWithin * 100} point of today's success`
  if (verdict === "none") return `No way of choosing is estimated to be ${asGood} for less.`
  if (saving === null || successDifference === null || way === null) {
    return untold?.sentence ?? "Not enough to tell: the log holds no call that can be judged."
  }
  const interval = `95 % interval ${span(saving)}`
  const found = verdict === "saves"
    ? `${share(saving.value)} less than today (${interval})`
    : `No saving is shown: ${share(saving.value)} (${interval})`
  return `${found} by ${way}, the cheapest way estimated to be ${asGood}: its success is `
    + `${differenceWords(successDifference)}.`
}

/** The date of a moment in ISO 8601; "?" if the moment is null, as in an empty log. */
export const day = (iso: string | null): string => iso?.slice(0, 10) ?? "?"

export const leftOutWords = ({ log: { leftOut } }: BacktestReport): ReadonlyArray<string> =>
  leftOut.map((each) => `Left out: ${count(each.count)} ${each.meaning}.`)

const reasons: { readonly [W in Withheld]: string } = {
  not_shown: "the log hardly ever shows its picks on such calls",
  few_matches: "its picks ran too seldom with a label and a cost",
  few_blocks: "the calls on which its picks ran lie too close together in time",
  habit_unclear: "how the log's models were chosen cannot be read from the log",
  baseline_unknown: "the log's own choices cannot be judged",
  no_saving_excluded: "its interval includes a saving of zero"
}

/** The name of a policy whose saving the log cannot show, and the reason. */
export type UntoldWay = readonly [name: string, withheld: Withheld]

const untoldWords = (ways: ReadonlyArray<UntoldWay>): string =>
  [...Map.groupBy(ways, ([, withheld]) => withheld)].map(([withheld, those]) =>
    `${those.map(([name]) => name).join(", ")} (${reasons[withheld]})`).join("; ")

/** Says which policies have no verdict, why, and which data would give one. */
export const untoldSentence = (
  ways: ReadonlyArray<UntoldWay>,
  { auditionPrompts, auditionUsd, moreLabels }: Omit<BacktestUntold, "sentence" | "ways">
): string => {
  const audition = `an audition of ${count(auditionPrompts)} prompts at about ${Words.dollars(auditionUsd)}`
  const labels = moreLabels === null ? "" : `, or about ${count(moreLabels)} more labelled calls like these`
  return `Not enough to tell of ${untoldWords(ways)}. What would: ${audition}${labels}.`
}
