/* Sums over verdicts by source, and over verdicts that a gate or a person checked too. */
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { checkedSources } from "../domain/reports/JudgeWorth.ts"
import type { PairSums, RestSums } from "../stats/PredictionPowered.ts"

export interface VerdictCell {
  readonly lane: string
  /** The source; null for decisions without a report, and `none` for a label that does not teach. */
  readonly source: Provenance | null
  readonly n: number
}

/**
 * The verdicts of one source. `PairSums` covers calls that both the source and a gate or a person judged. In
 * `PairSums`, f is the success by the source's verdict, and y the success by the gate or person. `rest`
 * covers the calls that neither a gate nor a person judged.
 */
export interface JudgeCell extends PairSums {
  readonly source: typeof checkedSources[number]
  readonly taskType: string | null
  /** Number of calls that a gate or a person failed, and how many of these calls the source passed. */
  readonly wrong: number
  readonly passedWrong: number
  /** Number of calls that a gate or a person passed, and how many of these calls the source failed. */
  readonly right: number
  readonly failedRight: number
  readonly rest: RestSums
}
