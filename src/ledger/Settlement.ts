/* What a settlement is expected to do, as values: one statement can then settle many. */
import type { Effect } from "effect"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import type { ReportedOutcome } from "../domain/ReportPrecedence.ts"
import type { PlannedWrites } from "../memory/PlannedWrites.ts"
import type { LaneNumbers, LaneRule, Trial } from "../stats/LaneNumbers.ts"

/** One outcome of what a lane's predictors had forecast. */
export interface PlannedCalibration {
  readonly trial: Trial
  readonly rule: LaneRule
  /** The numbers of a lane that has learned nothing. */
  readonly start: LaneNumbers
  /** Lets this process know of the lane's numbers once they are durable. */
  readonly remember: (numbers: LaneNumbers) => Effect.Effect<void>
}

/**
 * The settlement of a feedback that is the first of its decision. Where it is not the first by then, or
 * anything else is not as it was read, nothing of it is done: the settlement's work then runs instead.
 */
export interface PlannedSettlement {
  /** What the report makes of the decision: the only outcome. */
  readonly outcome: ReportedOutcome
  readonly writes: PlannedWrites
  /** Null where the lane's numbers stay as they are. */
  readonly calibration: PlannedCalibration | null
  /** The answer, but for what the memory answers to an outcome and to votes. */
  readonly response: FeedbackResponse
}
