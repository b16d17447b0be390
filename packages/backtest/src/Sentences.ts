/* The sentences of a backtest's report. */
import * as Words from "../../../src/domain/text/Words.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { BacktestPlan, BacktestPolicy, BacktestReport, BacktestTasks, Interval } from "./Report.ts"
import type { PolicyFigures } from "./stats/LogFigures.ts"
import { planOutcomesMin } from "./stats/LogPlans.ts"

export const assumption = "Assumed throughout: the choice of the model depended on nothing but what the log "
  + "shows of a call beforehand, which is its text's kind, tags, user, size and time."

export const unknowable = "No log can tell how a model would have done on calls for which it was never "
  + "chosen, nor allow for a cause of the choice that only the log's author knows."

/** "1,204" */
export const count = (n: number): string => Math.round(n).toLocaleString("en-GB")

/** "41 %": whole percents of a share that may be negative; one decimal below ten. */
export const share = (value: number): string => {
  const size = Math.abs(value) * 100
  return `${value < 0 ? "−" : ""}${size < 9.95 && size !== 0 ? size.toFixed(1) : Math.round(size)} %`
}

/** "33 to 49 %" */
export const span = ({ high, low }: Interval): string => `${share(low).replace(" %", "")} to ${share(high)}`

/** "saves 41 % (33 to 49 %)", "costs 12 % more (3 to 20 %)". */
const savingWords = (saving: Interval): string =>
  saving.value >= 0
    ? `${share(saving.value)} less (95 % interval ${span(saving)})`
    : `${share(-saving.value)} more (95 % interval ${span({
      value: -saving.value, low: -saving.high, high: -saving.low
    })})`

/** "0.4 points lower (2.1 lower to 1.3 higher)" */
const differenceWords = ({ high, low, value }: Interval): string => {
  const points = (of: number): string =>
    `${Math.abs(of * 100).toFixed(1)} points ${of < 0 ? "lower" : "higher"}`
  return `${points(value)} (${points(low)} to ${points(high)})`
}

const reasons: { readonly [W in NonNullable<PolicyFigures["withheld"]>]: string } = {
  not_shown: "the log hardly ever shows its picks on such calls",
  few_matches: "its picks ran too seldom with a label and a cost",
  few_blocks: "the calls on which its picks ran lie too close together in time",
  habit_unclear: "how the log's models were chosen cannot be read from the log",
  baseline_unknown: "the baseline itself cannot be judged",
  no_saving_excluded: "its interval includes a saving of zero"
}

type Needed = BacktestPolicy["needed"]

/** "About 1,200 more such calls would tell, or 400 of which 3 % try all models evenly." */
export const neededWords = (needed: Needed): string => {
  if (needed === null) return ""
  const { exploredCalls, exploredShare, moreRows } = needed
  const explored = exploredCalls === null
    ? null
    : `${count(exploredCalls)} of which ${share(exploredShare)} try all models evenly`
  if (moreRows !== null && exploredCalls !== null && exploredCalls < moreRows) {
    return `About ${count(moreRows)} more such calls would tell, or ${explored}.`
  }
  if (moreRows !== null) return `About ${count(moreRows)} more such calls would tell.`
  if (explored !== null) return `About ${explored} would tell.`
  return "More calls of this kind would not tell: the two are too close, or nothing is labelled."
}

/** What can be said of one policy. */
export const policySentence = (
  { needed, saving, successDifference, verdict, withheld, name }:
    Pick<BacktestPolicy, "name" | "needed" | "saving" | "successDifference" | "verdict">
    & { readonly withheld: PolicyFigures["withheld"] },
  baseline: string
): string => {
  if (verdict === "baseline") {
    return withheld === null
      ? "The baseline that savings are against."
      : `The baseline, of which the log cannot tell enough: ${reasons[withheld]}.`
  }
  const beginning = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  if (verdict === "not_enough" || saving === null) {
    const why = withheld === null ? "the log holds too little" : reasons[withheld]
    return `Not enough to tell about ${name}: ${why}. ${neededWords(needed)}`.trim()
  }
  const success = successDifference === null ? "" : `; its success is ${differenceWords(successDifference)}`
  return `${beginning} would have cost ${savingWords(saving)} than ${baseline}${success}.`
}

/** "$4.10 (3.90 to 4.30)": an amount and its interval. */
const dollarSpan = ({ high, low, value }: Interval): string =>
  `${Words.dollars(value)} (${Words.dollars(low).slice(1)} to ${Words.dollars(high).slice(1)})`

/** What the tasks of a log came to. */
export const taskSentence = (
  { attemptsPerTask, costPerFinishedUsd, finished, retried, tasks }: Omit<BacktestTasks, "plans" | "sentence">
): string => {
  const cost = costPerFinishedUsd === null ? "" : `; a finished one cost ${dollarSpan(costPerFinishedUsd)}`
  return `${count(retried)} of ${count(tasks)} labelled ${Words.nounOf(tasks, "task")} had several attempts, `
    + `${attemptsPerTask.toFixed(2)} a task on average. ${count(finished)} were finished${cost}.`
}

/** What can be said of a plan. */
export const planSentence = (
  { begun, costUsd, failed, first, outcomes, success, then }: Omit<BacktestPlan, "sentence">
): string => {
  const plan = `First ${first}, then ${then} when it fails`
  if (success === null) return `${plan}: the log cannot tell: ${outcomes} of ${planOutcomesMin}.`
  const thousand = (usd: number) => usd * 1_000
  const cost = costUsd === null ? "at a cost that is not known" : `at ${dollarSpan({
    value: thousand(costUsd.value), low: thousand(costUsd.low), high: thousand(costUsd.high)
  })} for 1,000 tasks`
  return `${plan}: success ${share(success.value)} (${span(success)}) ${cost}, by ${count(begun)} first `
    + `attempts, of which ${count(failed)} failed, and ${count(outcomes)} outcomes after a failure.`
}

/** The sentences on tasks and on the plans that the log shows most; none where no task was tried again. */
export const taskSentences = ({ tasks }: Pick<BacktestReport, "tasks">): ReadonlyArray<string> =>
  tasks === undefined ? [] : [
    tasks.sentence,
    ...tasks.plans.slice(0, backtestSettings.plansShown).map(({ sentence }) => sentence),
    ...(tasks.plans.length > 0 ? [] : [`Of plans the log cannot tell: 0 of ${planOutcomesMin}.`])
  ]

/** "1 call", "1,204 calls" */
export const calls = (n: number): string => `${count(n)} ${Words.nounOf(n, "call")}`
