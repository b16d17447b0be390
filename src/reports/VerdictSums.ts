/* Sums over verdicts by source, and over verdicts that a gate or a person checked. */
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { checkedSources } from "../domain/reports/JudgeWorth.ts"
import type { PairSums, RestSums } from "../stats/PredictionPowered.ts"

/** The number of decisions of one lane whose label comes from one source. */
export interface VerdictCell {
  readonly lane: string
  /** Source of the label: null without a report, and `none` for a label that does not teach. */
  readonly source: Provenance | null
  readonly n: number
}

/**
 * Sums over the verdicts of one source on one kind of task. The sums of `PairSums` cover the calls that a
 * gate or a person judged too. There f is the source's verdict and y the gate's or person's, as success.
 * `rest` covers the calls that the source alone judged.
 */
export interface JudgeCell extends PairSums {
  readonly source: typeof checkedSources[number]
  readonly taskType: string | null
  /** Checked calls that failed by the gate or person, and how many of these the source passed. */
  readonly wrong: number
  readonly passedWrong: number
  /** Checked calls that succeeded by the gate or person, and how many of these the source failed. */
  readonly right: number
  readonly failedRight: number
  readonly rest: RestSums
}
