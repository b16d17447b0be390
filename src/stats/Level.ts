import * as Logit from "./Logit.ts"

/** One model's standing before and after the lane's outcomes. */
export interface Standing {
  /** Expected logit of success before any outcome. */
  readonly logit: number
  /** How far models of this kind lie from what is expected of them, standard deviation, logit, > 0. */
  readonly spread: number
  /** Outcomes and successes in the lane, weighted; 0 <= success <= weight. */
  readonly weight: number
  readonly success: number
}

export interface LevelRule {
  /** Standard deviation of lanes around the expected level, logit, > 0. */
  readonly spread: number
  /** What a lane's level must differ by before it is followed, logit, >= 0. */
  readonly deadZone: number
}

/** Rounds of the alternating fit; the second moves the level by a few hundredths, a third by nothing. */
const rounds = 2
/** Less than this is rounding, not an outcome. */
const weightMin = 1e-6
/** Keeps a model that never fails, or always, from being certain. */
const varianceMin = 0.02

/**
 * How much easier (above 0) or harder a lane is than its models' standing says, logit: the level a of the
 * model logit p = standing + a + u_m with u_m ~ N(0, spread_m^2) and a ~ N(0, spread^2), fitted by scoring
 * steps in a and u in turn, less the dead zone. One busy model cannot set it alone: its say is bounded by its
 * own spread. 0 without outcomes.
 *
 * @see Gelman and Hill, Data Analysis Using Regression and Multilevel Models, chapter 14
 */
export const learnedLevel = (models: ReadonlyArray<Standing>, rule: LevelRule): number => {
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
      const residual = expected + (success - weight * p) / information - logit
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
  return Math.sign(level) * Math.max(0, Math.abs(level) - rule.deadZone)
}
