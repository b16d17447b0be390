/**
 * The ease d of a task, shared by all models. The model is logit P(m succeeds | d) = eta_m + s * d, where d
 * is normal with variance 1. A grid of 21 points replaces d. A weight is the probability of a point after
 * judged attempts. A curve is a model's success at each point. A prediction given attempts is the mean of a
 * curve under the weights.
 */
import { logit, sigmoid } from "./Logit.ts"

/** Points of the grid, count, and their distance, standard deviations. The grid reaches from -3 to 3. */
const points = 21
const spacing = 0.3

/** Ease at each point, standard deviations. Hard tasks lie below 0. */
const nodes = Float64Array.from({ length: points }, (_, i) => (i - (points - 1) / 2) * spacing)

/** Weight of each point before any attempt; the sum is 1. */
export const unjudged: Float64Array = (() => {
  const heights = nodes.map((d) => Math.exp(-d * d / 2))
  const sum = heights.reduce((total, height) => total + height, 0)
  return heights.map((height) => height / sum)
})()

/** A model's success at each point, in [0, 1]. */
export type Curve = Float64Array

/** Weighted sum of a curve, in [0, 1]: its mean if the weights add up to 1. Their sum is at most 1. */
export const meanUnder = (weights: Float64Array, curve: Curve): number => {
  let mean = 0
  for (let j = 0; j < points; j++) mean += weights[j]! * curve[j]!
  // The weights' rounded sum may be a little above 1.
  return Math.min(1, mean)
}

/** Newton steps that are enough for every success and spread, count. */
const stepsMax = 30
/** Step below which the iteration ends, logit. */
const stepMin = 1e-13

const curveAt = (eta: number, spread: number): Curve => nodes.map((d) => sigmoid(eta + spread * d))

/**
 * The curve whose mean under the weights is `success`, so that a prediction does not change without attempts.
 * It is found by damped Newton steps in eta.
 *
 * @param success the prediction, in [0, 1], clamped to [1e-9, 1 - 1e-9]
 * @param spread s >= 0, logit; 0 if the text shows the difficulty
 * @param weights weights at the time of the prediction; the sum is 1
 */
export const curveOf = (success: number, spread: number, weights: Float64Array = unjudged): Curve => {
  const start = logit(success)
  if (spread === 0) return curveAt(start, 0)
  const wanted = sigmoid(start)
  // The solution of the probit approximation: 16 sqrt(3) / (15 pi) squared is 0.346.
  let eta = start * Math.sqrt(1 + 0.346 * spread * spread)
  for (let step = 0; step < stepsMax; step++) {
    let mean = 0
    let slope = 0
    for (let j = 0; j < points; j++) {
      const p = sigmoid(eta + spread * nodes[j]!)
      mean += weights[j]! * p
      slope += weights[j]! * p * (1 - p)
    }
    const change = Math.max(-1, Math.min(1, (wanted - mean) / slope))
    eta += change
    if (Math.abs(change) < stepMin) break
  }
  return curveAt(eta, spread)
}

/** Error rates of a check. Their sum is at most 1, because a verdict is not worse than chance. */
export interface GateErrors {
  /** Probability that a wrong result passes, in [0, 1]. */
  readonly passWrong: number
  /** Probability that a right result fails, in [0, 0.5]. */
  readonly failRight: number
}

/** An attempt at the task with a verdict. */
export interface JudgedAttempt extends GateErrors {
  /** Index of the model that ran. Attempts of the same index are repeats. */
  readonly model: number
  readonly passed: boolean
}

/** Likelihood of the verdict if the model's success is p, in [0, 1]. */
const likelihood = ({ failRight, passWrong, passed }: JudgedAttempt, p: number): number => {
  const passes = p * (1 - failRight) + (1 - p) * passWrong
  return passed ? passes : 1 - passes
}

/** Likelihood ratio of a verdict, in [0, 1]: if it is an error, to if it is right. Lower is more reliable. */
const doubtOf = ({ failRight, passWrong, passed }: JudgedAttempt): number =>
  passed ? passWrong / (1 - failRight) : passWrong === 1 ? 1 : failRight / (1 - passWrong)

/** True if another attempt of the model has the same verdict and is at least as reliable. */
const isRepeat = (attempts: ReadonlyArray<JudgedAttempt>, index: number): boolean => {
  const own = attempts[index]!
  return attempts.some((other, i) =>
    other.model === own.model && other.passed === own.passed && i !== index
    && (doubtOf(other) < doubtOf(own) || (doubtOf(other) === doubtOf(own) && i < index)))
}

/**
 * Success of a repeat. With probability `repeatShare` it is independent; otherwise it has the earlier result.
 *
 * @param p success of a first run, in [0, 1]
 * @param before true if the model passed before
 */
const repeated = (p: number, before: boolean, repeatShare: number): number =>
  before ? 1 - repeatShare + repeatShare * p : repeatShare * p

/** Least probability of all verdicts together: division by a smaller number may overflow. */
const leastSum = 1e-200

/**
 * The weights after the attempts in any order; the sum is 1. A failure makes hard points likelier, and a pass
 * easy points. A repeat with the same verdict tells at most `repeatShare` as much as a first run.
 *
 * @param curves curve of the first run of each model, by index
 * @param repeatShare in [0, 1]
 */
export const after = (
  attempts: ReadonlyArray<JudgedAttempt>,
  curves: ReadonlyArray<Curve>,
  repeatShare: number
): Float64Array => {
  if (attempts.length === 0) return unjudged
  const weights = unjudged.slice()
  attempts.forEach((attempt, i) => {
    const curve = curves[attempt.model]!
    const isSame = isRepeat(attempts, i)
    for (let j = 0; j < points; j++) {
      const p = isSame ? repeated(curve[j]!, attempt.passed, repeatShare) : curve[j]!
      weights[j]! *= likelihood(attempt, p)
    }
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  // If no difficulty explains the verdicts, for example an impossible pass, nothing is known.
  return sum > leastSum ? weights.map((weight) => weight / sum) : unjudged
}

/**
 * The curve of a model's next run: that of a first run if the model has not run, or both passed and failed.
 *
 * @param curve curve of a first run
 */
export const nextRun = (
  curve: Curve,
  attempts: ReadonlyArray<JudgedAttempt>,
  model: number,
  repeatShare: number
): Curve => {
  const own = attempts.filter((attempt) => attempt.model === model)
  const [first] = own
  if (first === undefined || own.some(({ passed }) => passed !== first.passed)) return curve
  return curve.map((p) => repeated(p, first.passed, repeatShare))
}

const oddsOf = (p: number): number => Math.exp(logit(p))

/**
 * The weight of an outcome after earlier attempts at its task, in [0, 1]. A model that gets only tasks at
 * which others failed sees hard tasks alone, and without weights it would look weak. At the true success the
 * weighted outcomes are balanced: given * pass * (1 - success) = (1 - given) * fail * success.
 *
 * @param success predicted success on any task of the kind, in (0, 1)
 * @param given predicted success after the earlier attempts, in (0, 1)
 * @param quality of the outcome, in [0, 1]
 */
export const taughtWeight = (success: number, given: number, quality: number): number => {
  const harder = oddsOf(given) / oddsOf(success)
  return quality * Math.min(1, 1 / harder) + (1 - quality) * Math.min(1, harder)
}
