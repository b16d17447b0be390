/*
 * How many more verdicts distinguish two models.
 *
 * They are distinguished when the model that looks better is known, with the confidence, to be worse than
 * the other by the tolerance at most: it is the better one, or taking it loses less than matters (the goal
 * of Even-Dar, Mannor and Mansour, "Action elimination and stopping conditions for the multi-armed bandit
 * and reinforcement learning problems", Journal of Machine Learning Research 7, 2006).
 */
import { type Beta, mean, prior } from "./Beta.ts"
import { normalBelow, normalQuantile } from "./Normal.ts"
import { curveOf, meanUnder, unjudged } from "./TaskDifficulty.ts"

/** When two models count as distinguished. */
export interface TellRule {
  /** Difference of success that does not matter, in (0, 1). */
  readonly tolerance: number
  /** Probability that what is then said is so, in (0.5, 1). */
  readonly confidence: number
  /** Probability with which the named number tells when all of it has come, in (0, 1). */
  readonly assurance: number
}

/**
 * The rule of reports and answers. Tolerance and confidence are those of a guarantee by default. The
 * assurance is measured: who looks after every verdict knows by then in more than four of five cases
 * (`test/simulation/Verdicts.test.ts`).
 */
export const tellRule: TellRule = { tolerance: 0.05, confidence: 0.95, assurance: 0.7 }

/** Most rounds that are named, count; what takes more is not in sight. Chosen. */
export const roundsMax = 2_000

/**
 * How far the difficulty that models share spreads a task's success, logit: the mean of `difficultySpread`
 * in the engine's settings, which is measured. Two verdicts on one task then correlate by 0.3 to 0.4.
 */
const sharedSpread = 2

/**
 * What one round brings: a verdict of each model on tasks of their own, a verdict of each on the same task,
 * or one verdict of the second model.
 */
export type Round = "separate" | "paired" | "second"

/** Verdicts of one model: their sum, a partial success one half, and their count. */
export interface Verdicts {
  readonly successes: number
  readonly count: number
}

/**
 * What is believed of a model's success after its verdicts, which may be none.
 *
 * @param before the belief without them; by default any success is as likely
 */
export const beliefOf = ({ count, successes }: Verdicts, before: Beta = prior(0.5, 2)): Beta =>
  ({ alpha: before.alpha + successes, beta: before.beta + count - successes })

/**
 * Evidence that one observation is expected to give against a mean of 0, in nats: the gap between the mean
 * and 0, squared, over twice the variance. So much has a normal log-likelihood ratio, and so much does the
 * best bet gain (Waudby-Smith and Ramdas 2024, section 3).
 *
 * @param variance > 0, of the observation
 */
export const informationOf = (gap: number, variance: number): number => gap ** 2 / (2 * variance)

/** Variance of one verdict, and how many verdicts the belief is worth: its variance is their ratio. */
const verdictVariance = (belief: Beta): number => mean(belief) * (1 - mean(belief))
const sizeOf = ({ alpha, beta }: Beta): number => alpha + beta + 1

/** Covariance of two models' verdicts on one task, by the difficulty that they share. */
const sharedCovariance = (one: Beta, other: Beta, spread: number): number => {
  const ofOther = curveOf(mean(other), spread)
  const both = curveOf(mean(one), spread).map((success, point) => success * ofOther[point]!)
  return meanUnder(unjudged, both) - mean(one) * mean(other)
}

/**
 * Variance of the believed difference by the number of further rounds: beliefs and verdicts as normal, the
 * verdicts of a round with this covariance.
 */
const varianceBy = (one: Beta, other: Beta, round: Round, covariance: number) => (rounds: number): number => {
  const varianceOne = verdictVariance(one)
  const varianceOther = verdictVariance(other)
  // The share of a verdict's variance that the other verdict of its round does not explain.
  const unexplained = 1 - covariance ** 2 / (varianceOne * varianceOther)
  const gained = rounds / unexplained
  const ofOne = (sizeOf(one) + (round === "second" ? 0 : gained)) / varianceOne
  const ofOther = (sizeOf(other) + gained) / varianceOther
  const joint = gained * covariance / (varianceOne * varianceOther)
  return (ofOne + ofOther - 2 * joint) / (ofOne * ofOther - joint ** 2)
}

/** Evidence that tells at this confidence, nats: that of a mean its quantile of deviations from 0. */
const barOf = ({ confidence }: TellRule): number => informationOf(normalQuantile(confidence), 1)

/**
 * The number of further rounds until two models are distinguished: 0 where they are, null where more than
 * {@link roundsMax} would not do. A round is one verdict of each model, or of the second one alone.
 *
 * The number is the least whose assurance is enough. Verdicts to come move the believed difference by what
 * its variance falls, and the probability that it then suffices is that of a normal distribution (O'Hagan,
 * Stevens and Campbell, "Assurance in clinical trial design", Pharmaceutical Statistics 4, 2005).
 *
 * @param spread of the difficulty that the models share, logit; only rounds on the same task read it
 */
export const verdictsNeeded = (
  one: Beta,
  other: Beta,
  round: Round,
  rule: TellRule = tellRule,
  spread: number = sharedSpread
): number | null => {
  const difference = Math.abs(mean(one) - mean(other))
  const varianceAfter = varianceBy(
    one, other, round, round === "paired" ? sharedCovariance(one, other, spread) : 0
  )
  const now = varianceAfter(0)
  const bar = barOf(rule)
  if (informationOf(difference + rule.tolerance, now) >= bar) return 0
  const isEnough = (rounds: number): boolean => {
    const then = varianceAfter(rounds)
    const least = Math.sqrt(2 * bar * then) - rule.tolerance
    if (least <= 0) return true
    const deviation = Math.sqrt(now - then)
    return normalBelow((difference - least) / deviation) + normalBelow((-difference - least) / deviation)
      >= rule.assurance
  }
  if (!isEnough(roundsMax)) return null
  let tooFew = 0
  let enough = roundsMax
  while (enough - tooFew > 1) {
    const rounds = Math.floor((tooFew + enough) / 2)
    if (isEnough(rounds)) enough = rounds
    else tooFew = rounds
  }
  return enough
}
