/** The level of a lane: the shift in logits by which its tasks are easier or harder than the priors say. */
import * as Logit from "./Logit.ts"

/** One model's prior, and its outcomes in the lane. */
export interface PriorWithOutcomes {
  /** Expected logit of success before any outcome. */
  readonly logit: number
  /** Distance of models of this kind from their prior, standard deviation, logit, > 0. */
  readonly spread: number
  /** Outcomes and successes in the lane, weighted; 0 <= success <= weight. */
  readonly weight: number
  readonly success: number
}

/** How far a lane's level may lie from the priors. */
export interface LevelRule {
  /** Standard deviation of lanes around the expected level, logit, > 0. */
  readonly spread: number
  /** Outcomes just as expected that each model is taken to have beside its own, >= 0. */
  readonly pull: number
  /** Weight of a lane's outcomes from which they lift models that have none, > 0. */
  readonly outcomesMin: number
}

/** Rounds of the alternating fit; the second moves the level by a few hundredths, a third not at all. */
const rounds = 2
/** Least weight of outcomes; less is rounding. */
const weightMin = 1e-6
/** Least variance, so that a model that always or never fails is not certain. */
const varianceMin = 0.02

/**
 * Level of a lane, logit, above 0 where its tasks are easier than the models' priors say: the level a of the
 * model logit p = prior + a + u_m with u_m ~ N(0, spread_m^2) and a ~ N(0, spread^2), fitted by scoring steps
 * in a and u in turn. One busy model cannot set it alone: its influence is bounded by its own spread. 0
 * without outcomes. A record is taken as less extreme while it is short, so that a few successes lift others
 * little.
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
 * Variance that outcomes leave of a lane's level, logit^2: all of `spread` squared without any.
 *
 * @param models of each its predicted success, the spread around its prior, and its outcomes in the lane
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
