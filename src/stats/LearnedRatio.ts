/** Ratios of measured to expected values, learned for several models as means of their logarithms. */

export interface LogRatios {
  readonly count: number
  readonly sum: number
}

export interface RatioRule {
  /** Weight of the expected mean against a model's own outcomes, in outcomes. */
  readonly pull: number
  /** Weight of a shared level of 0 against the models' levels, in models. */
  readonly levelPull: number
  /** Number of outcomes with which a model has half of its full weight in the shared level. */
  readonly countHalf: number
  /** Limit of an outcome's absolute log ratio, > 0; a larger one counts as this limit. */
  readonly ratioMost: number
}

/** Computes the shared level of the models: Σ w·mean / (Σ w + levelPull), w = n / (n + countHalf). */
export const levelOf = (models: ReadonlyArray<LogRatios>, { countHalf, levelPull }: RatioRule): number => {
  let [weights, weighted] = [levelPull, 0]
  for (const { count, sum } of models) {
    weights += count / (count + countHalf)
    weighted += sum / (count + countHalf)
  }
  return weights === 0 ? 0 : weighted / weights
}

/** Computes a model's mean, pulled toward an expected mean: (sum + pull · expected) / (n + pull). */
export const meanOf = ({ count, sum }: LogRatios, expected: number, { pull }: RatioRule): number =>
  (sum + pull * expected) / (count + pull)

/**
 * The log ratio of each model for one kind of task, pulled toward an expected mean: the level of the kind,
 * plus the model's deviation from the level of all kinds.
 */
export const ofKind = (
  models: ReadonlyArray<{ readonly all: LogRatios; readonly ofKind: LogRatios }>,
  rule: RatioRule
): ReadonlyArray<number> => {
  const overall = levelOf(models.map(({ all }) => all), rule)
  const level = levelOf(models.map((each) => each.ofKind), rule)
  return models.map((each) => meanOf(each.ofKind, level + meanOf(each.all, overall, rule) - overall, rule))
}
