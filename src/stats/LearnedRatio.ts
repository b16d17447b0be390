/** How much more than expected each of several models measures, learned together: means of log ratios. */

/** Log ratios of one model. */
export interface LogRatios {
  readonly count: number
  readonly sum: number
}

/** How much what was measured moves a mean, in outcomes. */
export interface RatioRule {
  /** Outcomes that what all models share weighs as in the mean of one. */
  readonly pull: number
  /** Models that no difference at all weighs as in what they share. */
  readonly levelPull: number
  /** Outcomes of a model at which it counts half in what they share. */
  readonly countHalf: number
  /** Largest log ratio of one outcome to either side that counts, > 0. */
  readonly ratioMost: number
}

/** What the models share: Σ w·mean / (Σ w + levelPull), w = n / (n + countHalf). 0 without outcomes. */
export const levelOf = (models: ReadonlyArray<LogRatios>, { countHalf, levelPull }: RatioRule): number => {
  let [weights, weighted] = [levelPull, 0]
  for (const { count, sum } of models) {
    weights += count / (count + countHalf)
    weighted += sum / (count + countHalf)
  }
  return weights === 0 ? 0 : weighted / weights
}

/** A model's mean, pulled toward what is expected of it: (sum + pull · expected) / (n + pull). */
export const meanOf = ({ count, sum }: LogRatios, expected: number, { pull }: RatioRule): number =>
  (sum + pull * expected) / (count + pull)

/**
 * The log ratio of each model for tasks of one kind: the mean of its own outcomes of that kind, pulled toward
 * the mean of all models there plus this model's deviation from it over tasks of all kinds.
 */
export const ofKind = (
  models: ReadonlyArray<{ readonly all: LogRatios; readonly ofKind: LogRatios }>,
  rule: RatioRule
): ReadonlyArray<number> => {
  const overall = levelOf(models.map(({ all }) => all), rule)
  const level = levelOf(models.map((each) => each.ofKind), rule)
  return models.map((each) => meanOf(each.ofKind, level + meanOf(each.all, overall, rule) - overall, rule))
}
