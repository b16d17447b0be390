/** The level of a lane: how much easier its tasks are than the models' priors expect, logit. */
import * as Logit from "./Logit.ts"

export interface PriorWithOutcomes {
  /** Prior success, logit. */
  readonly logit: number
  /** Assumed standard deviation, among lanes, of a model's success around its prior, logit, > 0. */
  readonly spread: number
  /** Weight of the model's outcomes in the lane, and their weighted successes; 0 <= success <= weight. */
  readonly weight: number
  readonly success: number
}

export interface LevelRule {
  /** Standard deviation of the level among lanes, logit, > 0. */
  readonly spread: number
  /** Number of outcomes exactly as expected that are added to the outcomes of each model, >= 0. */
  readonly pull: number
  /** Weight of a lane's outcomes from which the lane raises the priors of models without outcomes, > 0. */
  readonly outcomesMin: number
}

const rounds = 2
/** Minimum weight of outcomes, because a smaller weight is a rounding error. */
const weightMin = 1e-6
/** Minimum variance of a success, so that a model that always or never fails does not look certain. */
const varianceMin = 0.02

/**
 * Computes the level of a lane, logit: above 0 if its tasks are easier than the models' priors say. The level
 * is the a in logit p = prior + a + u_m with u_m ~ N(0, spread_m^2) and a ~ N(0, spread^2). The fit updates
 * the level a and the models' deviations u in turn, by Fisher scoring. A model's spread bounds its influence,
 * so that a busy model cannot set the level alone.
 *
 * @see Gelman and Hill, Data Analysis Using Regression and Multilevel Models, chapter 14
 */
export const learnedLevel = (
  models: ReadonlyArray<PriorWithOutcomes>,
  rule: Pick<LevelRule, "spread" | "pull">
): number => {
  const tried = models.filter(({ weight }) => weight > weightMin)
  const own = new Float64Array(tried.length)
  let level = 0
  for (let round = 0; round < rounds; round++) {
    let precision = 1 / rule.spread ** 2
    let sum = 0
    const targets = tried.map(({ logit, spread, success, weight }, i) => {
      const expected = logit + level + own[i]!
      const p = Logit.sigmoid(expected)
      const information = weight * Math.max(p * (1 - p), varianceMin)
      const surprise = (success - weight * p) * weight / (weight + rule.pull)
      const residual = expected + surprise / information - logit
      const say = 1 / (1 / information + spread ** 2)
      precision += say
      sum += say * residual
      return { information, residual, spread }
    })
    level = sum / precision
    targets.forEach(({ information, residual, spread }, i) => {
      own[i] = spread ** 2 / (spread ** 2 + 1 / information) * (residual - level)
    })
  }
  return level
}

/**
 * Computes the posterior variance of a lane's level, logit^2.
 *
 * @param models predicted success of each model, its spread around its prior, and its weight of outcomes
 */
export const levelVariance = (
  models: ReadonlyArray<Pick<PriorWithOutcomes, "spread" | "weight"> & { readonly success: number }>,
  { spread }: Pick<LevelRule, "spread">
): number =>
  1 / models.reduce((precision, model) => {
    if (model.weight <= weightMin) return precision
    const information = model.weight * Math.max(model.success * (1 - model.success), varianceMin)
    return precision + 1 / (1 / information + model.spread ** 2)
  }, 1 / spread ** 2)
