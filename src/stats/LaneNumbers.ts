/** The numbers that a lane learns about its own predictions. */
import * as DifficultySpread from "./DifficultySpread.ts"
import * as Mixture from "./NeighbourMixture.ts"

/** Numbers of a lane. They follow from its outcomes in the order of arrival. */
export interface LaneNumbers {
  /** Outcomes that have moved these numbers, count. */
  readonly outcomes: number
  /** v: weight of the neighbours' prediction against that of the cells, in [0, 1]. */
  readonly localShare: number
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** One taught outcome, and the earlier predictions of it by cells and by neighbours; all in [0, 1]. */
export interface JudgedPrediction {
  readonly cells: number
  readonly local: number
  readonly success: number
  /** Weight of the label. */
  readonly weight: number
  /** Evidence about the spread of difficulty; empty for a first attempt. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

export interface LaneRule {
  /** Share by which the weight v returns to one half at every outcome, in [0, 1]. */
  readonly hedgeShare: number
}

export const observe = (self: LaneNumbers, trial: JudgedPrediction, rule: LaneRule): LaneNumbers => {
  const { cells, local, success, weight } = trial
  return {
    outcomes: self.outcomes + 1,
    localShare: Mixture.hedge(self.localShare, { cells, local, success, weight }, rule.hedgeShare),
    spreadEvidence: DifficultySpread.combined(self.spreadEvidence, trial.spreadEvidence)
  }
}

/**
 * The numbers after a label was replaced. Both trials are of one decision and model, and differ only by
 * label. `localShare` is computed as if the outcome were the lane's newest.
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
