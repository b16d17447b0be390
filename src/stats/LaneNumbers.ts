/** The numbers that a lane learns about its own predictions. */
import * as DifficultySpread from "./DifficultySpread.ts"
import * as Mixture from "./NeighbourMixture.ts"

/**
 * What a lane has learned about its own predictions. Every number follows from its outcomes, in the order of
 * their arrival.
 */
export interface LaneNumbers {
  /** Outcomes that have moved these numbers, >= 0. */
  readonly outcomes: number
  /** v: weight of the local average against the cells, in [0, 1]. */
  readonly localShare: number
  /** What the lane's outcomes say of the spread of difficulty. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** One taught outcome, and the predictions made for the model that ran before it was known; all in [0, 1]. */
export interface JudgedPrediction {
  /** The most specific cells, and the local average. */
  readonly cells: number
  readonly local: number
  /** Graded, in [0, 1]. */
  readonly success: number
  /** Weight of the label, in [0, 1]. */
  readonly weight: number
  /** What it says of the spread of difficulty; empty of a first attempt. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** Rates at which a lane's numbers follow its outcomes. */
export interface LaneRule {
  /** Fixed share of the mixture that returns to one half at every outcome, in [0, 1]. */
  readonly hedgeShare: number
}

/** The numbers after one more outcome. */
export const observe = (self: LaneNumbers, trial: JudgedPrediction, rule: LaneRule): LaneNumbers => {
  const { cells, local, success, weight } = trial
  return {
    outcomes: self.outcomes + 1,
    localShare: Mixture.hedge(self.localShare, { cells, local, success, weight }, rule.hedgeShare),
    spreadEvidence: DifficultySpread.combined(self.spreadEvidence, trial.spreadEvidence)
  }
}

/**
 * The numbers with another label in the place of an outcome's: both trials are of one decision and model, and
 * differ in `success`, `weight` and `spreadEvidence` alone. The share is exact but for rounding where that is
 * the lane's newest outcome, and is for an older one as if it had come last.
 */
export const replace = (
  self: LaneNumbers,
  before: JudgedPrediction,
  after: JudgedPrediction,
  rule: LaneRule
): LaneNumbers => ({
  ...self,
  localShare: Mixture.hedge(
    Mixture.unhedge(self.localShare, before, rule.hedgeShare), after, rule.hedgeShare
  ),
  spreadEvidence: DifficultySpread.combined(
    DifficultySpread.combined(self.spreadEvidence, before.spreadEvidence, -1), after.spreadEvidence
  )
})
