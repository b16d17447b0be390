/**
 * The ease d of one task, which all models share: logit P(m succeeds | d) = eta_m + s * d, d ~ N(0, 1). It
 * lives on a grid of 21 points. A weight is how probable a point is after the attempts that were judged; a
 * curve is a model's success at each point. Every conditional prediction is the mean of a curve under
 * weights.
 */
import { logit, sigmoid } from "./Logit.ts"

/** Points of the grid, count, and the distance between two, standard deviations: from -3 to 3. */
const points = 21
const spacing = 0.3

/** Ease at each point, standard deviations: hard tasks lie below 0. */
const nodes = Float64Array.from({ length: points }, (_, i) => (i - (points - 1) / 2) * spacing)

/** Probability of each point before any attempt; the sum is 1. */
export const unjudged: Float64Array = (() => {
  const heights = nodes.map((d) => Math.exp(-d * d / 2))
  const sum = heights.reduce((total, height) => total + height, 0)
  return heights.map((height) => height / sum)
})()

/** A model's success at each point, in [0, 1]. */
export type Curve = Float64Array

/** Sum of a curve under weights whose sum is at most 1, and its mean where that is 1; in [0, 1]. */
export const meanUnder = (weights: Float64Array, curve: Curve): number => {
  let mean = 0
  for (let j = 0; j < points; j++) mean += weights[j]! * curve[j]!
  // The weights' rounded sum may be a little above 1.
  return Math.min(1, mean)
}

/** Newton steps that are enough for every success and spread, count; a step below this ends them, logit. */
const stepsMax = 30
const stepMin = 1e-13

const curveAt = (eta: number, spread: number): Curve => nodes.map((d) => sigmoid(eta + spread * d))

/**
 * The curve whose mean under the weights is the success: without attempts a prediction stays what it is.
 * Damped Newton steps; the mean rises with eta, and its slope is that of the curve.
 *
 * @param success the prediction, in [0, 1]; below 1e-9 and above 1 - 1e-9 it counts as that
 * @param spread s >= 0, logit; 0 for a task whose difficulty its text tells
 * @param weights what was known of the task when it was predicted, of sum 1
 */
export const curveOf = (success: number, spread: number, weights: Float64Array = unjudged): Curve => {
  const start = logit(success)
  if (spread === 0) return curveAt(start, 0)
  const wanted = sigmoid(start)
  // Where a probit would put it: 16 sqrt(3) / (15 pi) squared is 0.346.
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

/** How often the judge of an attempt errs. Their sum is at most 1: a verdict is never worse than chance. */
export interface GateErrors {
  /** Probability that a wrong result passes, in [0, 1]. */
  readonly passWrong: number
  /** Probability that a right result fails, in [0, 0.5]. */
  readonly failRight: number
}

/** An attempt at the task whose result was judged. Without a verdict an attempt says nothing. */
export interface JudgedAttempt extends GateErrors {
  /** Which model ran: attempts of one index are repeats of each other. */
  readonly model: number
  readonly passed: boolean
}

/** How likely the verdict is when the model's success is p; in [0, 1]. */
const likelihood = ({ failRight, passWrong, passed }: JudgedAttempt, p: number): number => {
  const passes = p * (1 - failRight) + (1 - p) * passWrong
  return passed ? passes : 1 - passes
}

/** How little a verdict is an error: the ratio of its probabilities for the one result and for the other. */
const doubtOf = ({ failRight, passWrong, passed }: JudgedAttempt): number =>
  passed ? passWrong / (1 - failRight) : passWrong === 1 ? 1 : failRight / (1 - passWrong)

/** Whether a verdict that tells as much or more was given of the same model: this one is then its repeat. */
const isRepeat = (attempts: ReadonlyArray<JudgedAttempt>, index: number): boolean => {
  const own = attempts[index]!
  return attempts.some((other, i) =>
    other.model === own.model && other.passed === own.passed && i !== index
    && (doubtOf(other) < doubtOf(own) || (doubtOf(other) === doubtOf(own) && i < index)))
}

/**
 * A repeat runs anew with probability `repeatShare`, and otherwise comes to what the model came to before.
 *
 * @param p success of a first run, in [0, 1]
 * @param before whether the model passed before
 */
const repeated = (p: number, before: boolean, repeatShare: number): number =>
  before ? 1 - repeatShare + repeatShare * p : repeatShare * p

/** Probability of all verdicts together under which they explain nothing: quotients by less may overflow. */
const leastSum = 1e-200

/**
 * The weights after the attempts, in whatever order they were made; the sum is 1. A failure makes hard points
 * likelier and a pass easy ones. A repeat of a model with the same verdict tells at
 * most `repeatShare` as much.
 *
 * @param curves by model index, of first runs
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
  // Verdicts that no difficulty explains, as a pass where a pass is impossible: nothing is known then.
  return sum > leastSum ? weights.map((weight) => weight / sum) : unjudged
}

/**
 * The curve of a model's next run: the first run's where it has not run, or both passed and failed.
 *
 * @param curve of a first run
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
 * What an outcome weighs that came after others at its task, so that it teaches the model's success on any
 * task of the kind: a model that is sent only what others failed at sees hard tasks alone. At the true
 * success the weighted outcomes are balanced around it: given * pass * (1 - success) = (1 - given) * fail *
 * success.
 *
 * @param success predicted on any such task, in (0, 1)
 * @param given predicted after the attempts before, in (0, 1)
 * @param quality of the outcome, in [0, 1]; one between is in part a pass
 * @returns in [0, 1]; 1 where the attempts before say nothing
 */
export const taughtWeight = (success: number, given: number, quality: number): number => {
  const harder = oddsOf(given) / oddsOf(success)
  return quality * Math.min(1, 1 / harder) + (1 - quality) * Math.min(1, harder)
}
