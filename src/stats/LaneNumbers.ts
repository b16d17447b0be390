/** The numbers that a lane learns about its own predictions. */
import * as DifficultySpread from "./DifficultySpread.ts"
import * as Mixture from "./NeighbourMixture.ts"
import * as Weight from "./WeightFactors.ts"

/**
 * What a lane has learned about its own predictions. Every number follows from its outcomes, in the order of
 * their arrival.
 */
export interface LaneNumbers {
  /** Outcomes that have moved these numbers, >= 0. */
  readonly outcomes: number
  /** Running mean, over requests, of the mean similarity to the lane's records and of the 5th highest. */
  readonly similarityLow: number
  readonly similarityHigh: number
  /** v: weight of the local average against the cells, in [0, 1]. */
  readonly localShare: number
  /**
   * Summed squared errors of the cells without tags and of the mixture; a smaller second one means that kinds
   * differ.
   */
  readonly cellsError: number
  readonly mixedError: number
  /** What outcomes after judged attempts say of the spread of difficulty. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** One taught outcome, and the predictions made for the model that ran before it was known; all in [0, 1]. */
export interface Trial {
  /** The cells without tags, the most specific ones, the local average, and the mixture of the last two. */
  readonly base: number
  readonly cells: number
  readonly local: number
  readonly mixed: number
  /** Graded, in [0, 1]. */
  readonly success: number
  /** Weight of the label, in [0, 1]. */
  readonly weight: number
  /** Of the request to the lane's records as they were then; cosines in [-1, 1]. */
  readonly meanSimilarity: number
  readonly highSimilarity: number
  /** What it says of the spread of difficulty; empty of a first attempt. */
  readonly spreadEvidence: DifficultySpread.SpreadEvidence
}

/** Rates at which a lane's numbers follow its outcomes. */
export interface LaneRule {
  /** Least step of the running similarities, so that a lane whose texts change is followed; in (0, 1]. */
  readonly similarityStepMin: number
  /** Fixed share of the mixture that returns to one half at every outcome, in [0, 1]. */
  readonly hedgeShare: number
}

/** The numbers after one more outcome. */
export const observe = (self: LaneNumbers, trial: Trial, rule: LaneRule): LaneNumbers => {
  const { base, cells, local, mixed, success, weight } = trial
  const step = Math.max(1 / (self.outcomes + 1), rule.similarityStepMin)
  return {
    outcomes: self.outcomes + 1,
    similarityLow: self.similarityLow + step * (trial.meanSimilarity - self.similarityLow),
    similarityHigh: self.similarityHigh + step * (trial.highSimilarity - self.similarityHigh),
    localShare: Mixture.hedge(self.localShare, { cells, local, success, weight }, rule.hedgeShare),
    cellsError: self.cellsError + weight * (success - base) ** 2,
    mixedError: self.mixedError + weight * (success - mixed) ** 2,
    spreadEvidence: DifficultySpread.combined(self.spreadEvidence, trial.spreadEvidence)
  }
}

/**
 * The numbers with another label in the place of an outcome's: both trials are of one decision and model, and
 * differ in `success`, `weight` and `spreadEvidence` alone. The sums are exact but for rounding; the share is
 * so for the lane's newest outcome, and for an older one as if that had come last.
 */
export const replace = (self: LaneNumbers, before: Trial, after: Trial, rule: LaneRule): LaneNumbers => {
  const errorOf = ({ success, weight }: Trial, prediction: number): number =>
    weight * (success - prediction) ** 2
  return {
    ...self,
    localShare: Mixture.hedge(
      Mixture.unhedge(self.localShare, before, rule.hedgeShare), after, rule.hedgeShare
    ),
    cellsError: Math.max(0, self.cellsError - errorOf(before, before.base)) + errorOf(after, after.base),
    mixedError: Math.max(0, self.mixedError - errorOf(before, before.mixed)) + errorOf(after, after.mixed),
    spreadEvidence: DifficultySpread.combined(
      DifficultySpread.combined(self.spreadEvidence, before.spreadEvidence, -1), after.spreadEvidence
    )
  }
}

/** Where the kernel starts and saturates in this lane. */
export const kernelScale = (self: LaneNumbers): Weight.KernelScale =>
  Weight.kernelScale(self.similarityLow, self.similarityHigh)

/** Share of the cells' squared error that the local average removes; below 0 when it adds some. */
export const structure = (self: LaneNumbers): number => 1 - self.mixedError / self.cellsError
