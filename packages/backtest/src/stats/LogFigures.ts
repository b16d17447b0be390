/** The figures of policies on a foreign log: estimates with intervals, and their verdicts. */
import { resample } from "../../../../src/stats/Bootstrap.ts"
import type { ResidualClasses } from "./HiddenCause.ts"
import { comparedOf, costOf, differenceOf, type Estimate, savingOf, successOf } from "./LogEstimates.ts"
import { replicated, wholeOf } from "./LogIntervals.ts"
import { summedOf } from "./LogSummary.ts"
import { column, columns, type LogSums } from "./LogSums.ts"
import { type SameQuality, sameQualityOf } from "./SameQuality.ts"
import { type Needed, neededOf, sensitivityOf } from "./LogVerdict.ts"
import { type Verdict, verdictOf, type Withheld, withheldOf } from "./LogVerdict.ts"

/** What a log says of one policy. Its estimates are null where the log cannot tell. */
export interface PolicyFigures {
  /** Rows that it was judged on. */
  readonly rows: number
  /** Mean success, in [0, 1], and mean cost per row in US dollars. */
  readonly success: Estimate | null
  readonly costUsd: Estimate | null
  /** Share of the baseline's cost that it saves, below 1; and its success less the baseline's. */
  readonly saving: Estimate | null
  readonly successDifference: Estimate | null
  /** What the predictions alone expect of its picks; no evidence. */
  readonly modelled: { readonly success: number; readonly costUsd: number }
  /** Share of the rows on which the log could have shown its pick, and on which it did; in [0, 1]. */
  readonly supportedShare: number
  readonly matchedShare: number
  /** Rows on which its pick ran, and those of them with a label and with a bill. */
  readonly matched: number
  readonly matchedLabelled: number
  readonly matchedBilled: number
  /** Equally weighted labelled rows that the matched ones are worth. @see Kish, Survey Sampling (1965) */
  readonly effectiveSampleSize: number
  /** Mean weight of the supported rows: 1 where the log's habit was understood. */
  readonly habitFit: number
  readonly verdict: Verdict
  /** Why the verdict is "not_enough"; null otherwise. */
  readonly withheld: Withheld | null
  readonly needed: Needed | null
  /** The odds ratio up to which a hidden cause does not undo the verdict, in [1, 50]; null without one. */
  readonly sensitivity: number | null
}

/** What a log says of all policies, and what it holds. */
export interface LogFigures {
  readonly rows: number
  readonly labelled: number
  readonly policies: ReadonlyArray<PolicyFigures>
  /** Null where the log cannot tell of the baseline, or of any other way of choosing. */
  readonly sameQuality: SameQuality | null
}

/** What was collected of a log. */
interface Collected {
  readonly models: number
  readonly logged: number
  readonly baseline: number
  readonly rows: number
  readonly labelled: number
  readonly sums: LogSums
  readonly residuals: ReadonlyArray<ResidualClasses>
  /** Squared relative deviation of bills from what was expected of them, over all models. */
  readonly variation: number
}

/** The figures of all policies. */
export const judged = (log: Collected): LogFigures => {
  const { baseline, labelled, logged, models, residuals, rows, sums, variation } = log
  const whole = wholeOf(sums)
  const resamples = resample(sums.blocks())
  const values = replicated(sums, resamples)
  const summed = values.map((_, policy) => summedOf(sums, whole, policy, variation))
  const withheld = summed.map((each) => withheldOf(each))
  const base = values[baseline]!
  const baseSummed = summed[baseline]!
  const figuresOf = (policy: number): PolicyFigures => {
    const own = values[policy]!
    const mine = summed[policy]!
    const isJudged = withheld[policy] === null
    const isCompared = isJudged && withheld[baseline] === null && policy !== baseline
    const compared = isCompared ? comparedOf([own.cost, mine], [base.cost, baseSummed]) : null
    const found = verdictOf(policy === baseline, withheld[policy]!, withheld[baseline]!, compared)
    return {
      rows: mine.rows,
      success: isJudged ? successOf(own.success, mine) : null,
      costUsd: isJudged ? costOf(own.cost, mine) : null,
      saving: compared === null ? null : savingOf(compared),
      successDifference: isCompared
        ? differenceOf([own.success, mine], [base.success, baseSummed])
        : null,
      modelled: {
        success: whole[policy * columns + column.success]! / Math.max(1, mine.rows),
        costUsd: whole[policy * columns + column.cost]! / Math.max(1, mine.rows)
      },
      supportedShare: mine.support / Math.max(1, mine.rows),
      matchedShare: mine.matched / Math.max(1, mine.rows),
      matched: mine.matched,
      matchedLabelled: mine.matchedLabelled,
      matchedBilled: mine.matchedBilled,
      effectiveSampleSize: mine.ofSuccess,
      habitFit: mine.habitFit,
      ...found,
      needed: found.verdict === "not_enough"
        ? neededOf({ compared, labelledShare: labelled / Math.max(1, rows), models, summed: mine })
        : null,
      sensitivity: compared === null
        ? null
        : sensitivityOf(
          found.verdict,
          compared,
          [mine, residuals[policy]!, own.cost.value],
          [baseSummed, residuals[baseline]!, base.cost.value]
        )
    }
  }
  const ways = withheld.flatMap((why, policy) =>
    why === null && policy !== baseline && policy !== logged && summed[policy]!.differing > 0 ? [policy] : [])
  return {
    rows, labelled,
    policies: values.map((_, policy) => figuresOf(policy)),
    sameQuality: withheld[baseline] === null && ways.length > 0
      ? sameQualityOf(values.map((each, i) => ({ ...each, summed: summed[i]! })), ways, baseline, resamples)
      : null
  }
}
