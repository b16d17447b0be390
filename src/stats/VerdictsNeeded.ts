/*
 * Estimates how many further verdicts distinguish two models: until, with the stated confidence, the model
 * that looks better is at most `tolerance` worse than the other. The goal is that of Even-Dar, Mannor and
 * Mansour, "Action elimination and stopping conditions", JMLR 7 (2006).
 */
import { type Beta, mean, prior } from "./Beta.ts"
import { normalBelow, normalQuantile } from "./Normal.ts"
import { curveOf, meanUnder, unjudged } from "./TaskDifficulty.ts"

export interface TellRule {
  /** Difference of success that does not matter, in (0, 1). */
  readonly tolerance: number
  /** Required probability that the better-looking model is at most `tolerance` worse, in (0.5, 1). */
  readonly confidence: number
  /** Probability that the models are distinguished after the estimated number of rounds, in (0, 1). */
  readonly assurance: number
}

/**
 * With an assurance of 0.7, a test after every verdict ends in time in at least four of five simulations
 * (`test/simulation/Verdicts.test.ts`).
 */
export const tellRule: TellRule = { tolerance: 0.05, confidence: 0.95, assurance: 0.7 }

export const roundsMax = 2_000

/** Spread of a task's difficulty that both models share, logit: the measured mean of `difficultySpread`. */
const sharedSpread = 2

/**
 * The verdicts of a round: one for each model on two tasks (`separate`) or on one task (`paired`), or one for
 * the second model only (`second`).
 */
export type Round = "separate" | "paired" | "second"

/** Verdicts of one model: the sum of their successes, with 0.5 for a partial success, and their count. */
export interface Verdicts {
  readonly successes: number
  readonly count: number
}

/** Computes the belief about a model's success, by default from a uniform prior. */
export const beliefOf = ({ count, successes }: Verdicts, before: Beta = prior(0.5, 2)): Beta =>
  ({ alpha: before.alpha + successes, beta: before.beta + count - successes })

/**
 * Computes the expected evidence of one observation against a mean of 0, nats: gap^2 / (2 * variance), the
 * gain of the best bet (Waudby-Smith and Ramdas 2024, section 3).
 */
export const informationOf = (gap: number, variance: number): number => gap ** 2 / (2 * variance)

/** The variance of a belief is the variance of a verdict divided by the belief's size in verdicts. */
const verdictVariance = (belief: Beta): number => mean(belief) * (1 - mean(belief))
const sizeOf = ({ alpha, beta }: Beta): number => alpha + beta + 1

/** The covariance of two models' verdicts on one task, which both depend on the task's difficulty. */
const sharedCovariance = (one: Beta, other: Beta, spread: number): number => {
  const ofOther = curveOf(mean(other), spread)
  const both = curveOf(mean(one), spread).map((success, point) => success * ofOther[point]!)
  return meanUnder(unjudged, both) - mean(one) * mean(other)
}

/** Returns the variance of the believed difference after further rounds, by a normal approximation. */
const varianceBy = (one: Beta, other: Beta, round: Round, covariance: number) => (rounds: number): number => {
  const varianceOne = verdictVariance(one)
  const varianceOther = verdictVariance(other)
  // Share of the variance of one model's verdict that the other model's in the same round does not explain.
  const unexplained = 1 - covariance ** 2 / (varianceOne * varianceOther)
  const gained = rounds / unexplained
  const ofOne = (sizeOf(one) + (round === "second" ? 0 : gained)) / varianceOne
  const ofOther = (sizeOf(other) + gained) / varianceOther
  const joint = gained * covariance / (varianceOne * varianceOther)
  return (ofOne + ofOther - 2 * joint) / (ofOne * ofOther - joint ** 2)
}

const barOf = ({ confidence }: TellRule): number => informationOf(normalQuantile(confidence), 1)

/**
 * Computes the number of further rounds until two models are distinguished, with enough assurance. Returns
 * null if {@link roundsMax} rounds are not enough. Further verdicts are assumed to move the believed
 * difference by a normal variable of variance (variance now - variance after).
 *
 * @see O'Hagan, Stevens and Campbell, "Assurance in clinical trial design", Pharmaceutical Statistics 4
 * (2005)
 * @param spread spread of the difficulty that the models share, logit; only `paired` rounds read it
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
