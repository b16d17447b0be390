/* Sums over verdicts: their sources, and judges compared with people and gates. */
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { checkedSources } from "../domain/reports/JudgeWorth.ts"
import type { PairSums, RestSums } from "../stats/PredictionPowered.ts"

/** Decisions of one lane whose outcome has a label of one source, count. */
export interface VerdictCell {
  readonly lane: string
  /** Null where nothing was reported; `none` for a label that does not teach. */
  readonly source: Provenance | null
  readonly n: number
}

/**
 * The verdicts of one source on one kind of task: sums over those of which a gate or a person judged the same
 * call (y) beside the source (f), in success; and over the rest, which the source alone judged.
 */
export interface JudgeCell extends PairSums {
  readonly source: typeof checkedSources[number]
  readonly taskType: string | null
  /** Checked calls that were wrong, and those of them that the source passed; then the right ones. */
  readonly wrong: number
  readonly passedWrong: number
  readonly right: number
  readonly failedRight: number
  readonly rest: RestSums
}
