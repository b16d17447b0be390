/**
 * The ease d of a task (how easy it is), which all models share: logit P(m succeeds | d) = eta_m + s * d. The
 * ease has a standard normal prior on a grid of 21 points. A prediction after attempts is the mean of a
 * model's curve (its success at each point) under the weights of the points.
 */
import { logit, sigmoid } from "./Logit.ts"

/** Number of grid points, and the distance between two points in standard deviations of the ease d. */
const points = 21
const spacing = 0.3

/** Ease d at each grid point, in standard deviations; hard tasks have an ease below 0. */
const nodes = Float64Array.from({ length: points }, (_, i) => (i - (points - 1) / 2) * spacing)

/** Weight of each point before any attempt; the weights sum to 1. */
export const unjudged: Float64Array = (() => {
  const heights = nodes.map((d) => Math.exp(-d * d / 2))
  const sum = heights.reduce((total, height) => total + height, 0)
  return heights.map((height) => height / sum)
})()

/** A model's success at each point of the grid, in [0, 1]. */
export type Curve = Float64Array

/** Computes a model's weighted success over the grid, in [0, 1], for weights that sum to at most 1. */
export const meanUnder = (weights: Float64Array, curve: Curve): number => {
  let mean = 0
  for (let j = 0; j < points; j++) mean += weights[j]! * curve[j]!
  // The sum of the weights may be slightly above 1 because of rounding.
  return Math.min(1, mean)
}

const stepsMax = 30
/** Step size below which the iteration ends, logit. */
const stepMin = 1e-13

const curveAt = (eta: number, spread: number): Curve => nodes.map((d) => sigmoid(eta + spread * d))

/**
 * Computes the curve whose mean under the weights is `success`, by damped Newton steps in eta.
 *
 * @param success clamped to [1e-9, 1 - 1e-9]
 * @param spread s >= 0, logit
 */
export const curveOf = (success: number, spread: number, weights: Float64Array = unjudged): Curve => {
  const start = logit(success)
  if (spread === 0) return curveAt(start, 0)
  const wanted = sigmoid(start)
  // The first `eta` is a probit approximation of a logistic-normal mean: 0.346 is (16 √3 / (15 π))².
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

/** Error rates of a check, which sum to at most 1, because no verdict is worse than chance. */
export interface GateErrors {
  /** Probability that a wrong result passes, in [0, 1]. */
  readonly passWrong: number
  /** Probability that a right result fails, in [0, 0.5]. */
  readonly failRight: number
}

export interface JudgedAttempt extends GateErrors {
  /** Index of the model that ran; attempts with the same index are repeats. */
  readonly model: number
  readonly passed: boolean
}

/** Computes the likelihood of the verdict if the model's success is p, in [0, 1]. */
const likelihood = ({ failRight, passWrong, passed }: JudgedAttempt, p: number): number => {
  const passes = p * (1 - failRight) + (1 - p) * passWrong
  return passed ? passes : 1 - passes
}

/** Returns P(this verdict, if it is wrong) / P(this verdict, if it is right), in [0, 1]: low if reliable. */
const doubtOf = ({ failRight, passWrong, passed }: JudgedAttempt): number =>
  passed ? passWrong / (1 - failRight) : passWrong === 1 ? 1 : failRight / (1 - passWrong)

/** True if a more reliable, or as reliable but earlier, attempt of the same model has the same verdict. */
const isRepeat = (attempts: ReadonlyArray<JudgedAttempt>, index: number): boolean => {
  const own = attempts[index]!
  return attempts.some((other, i) =>
    other.model === own.model && other.passed === own.passed && i !== index
    && (doubtOf(other) < doubtOf(own) || (doubtOf(other) === doubtOf(own) && i < index)))
}

/**
 * Computes the success of a repeated run, which is independent of the first run with probability
 * `repeatShare`, and otherwise has the same result.
 *
 * @param p success of a first run, in [0, 1]
 */
const repeated = (p: number, before: boolean, repeatShare: number): number =>
  before ? 1 - repeatShare + repeatShare * p : repeatShare * p

/** Minimum probability of all verdicts together, because division by a smaller number may overflow. */
const leastSum = 1e-200

/**
 * Computes the weights after the attempts, in any order; the weights sum to 1. A repeated run with the same
 * verdict tells less than a first run.
 *
 * @param curves curve of the first run of each model, by index
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
  // If no difficulty explains the verdicts, the weights stay as before any attempt.
  return sum > leastSum ? weights.map((weight) => weight / sum) : unjudged
}

/**
 * Computes the curve of a model's next run from the curve of its first run. A model's first and next
 * curve are equal if the model has not run at the task, or has both passed and failed.
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
 * Computes the weight of an outcome after earlier attempts at its task, in [0, 1]. With equal
 * weights, a model that gets only tasks at which others failed would look weak. The weights turn the
 * odds predicted after earlier attempts into the odds predicted before any attempt.
 *
 * @param given predicted success after the earlier attempts, in (0, 1)
 */
export const taughtWeight = (success: number, given: number, quality: number): number => {
  const harder = oddsOf(given) / oddsOf(success)
  return quality * Math.min(1, 1 / harder) + (1 - quality) * Math.min(1, harder)
}
