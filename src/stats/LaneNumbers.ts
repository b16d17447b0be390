/** The numbers that a lane learns about its own predictions. */
import * as DifficultySpread from "./DifficultySpread.ts"
import * as Mixture from "./NeighbourMixture.ts"

export interface LaneNumbers {
  readonly outcomes: number
  /** v: weight of the neighbours' prediction against that of groups of outcomes (cells), in [0, 1]. */
  readonly localShare: number
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** An outcome, and its earlier predictions by cells and by neighbours, all in [0, 1]. */
export interface JudgedPrediction {
  readonly cells: number
  readonly local: number
  readonly success: number
  readonly weight: number
  /** Evidence about the spread of the tasks' difficulty; empty if the outcome has none. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

export interface LaneRule {
  /** Share by which the weight v moves back toward one half at every outcome, in [0, 1]. */
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

/** Returns the numbers after a label was replaced, as if this outcome were the lane's newest. */
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
