/*
 * Worlds in which calls of four models are judged, a share of them is checked, and each pick is made by what was
 * learned: once with the fixed weight of a judge's label, and once with the weight that its checked labels earn.
 */
import { defaults } from "../../../src/engine/Settings.ts"
import { generator, normal } from "../../../src/stats/Generator.ts"

/** Labels of calls that were judged and checked, count: passed by the judge, by the check, and by both. */
interface Pairs {
  n: number
  judged: number
  right: number
  both: number
}

/** The weight of a judge's label by what its checked ones showed. */
export type JudgeWeight = (pairs: Pairs) => number

const fixedWeight = defaults.provenanceWeight.judge

export const fixed: JudgeWeight = () => fixedWeight

/** Pairs from which a judge counts as checked, and those that the fixed weight counts as, count. */
const checkedEnough = 30
/** Pairs added of each combination, count: as in `stats/PredictionPowered`. */
const addedPairs = 0.5

/** The squared correlation of judge and check: the share of a checked label that one of the judge's is worth. */
export const measured: JudgeWeight = (pairs) => {
  if (pairs.n < checkedEnough) return fixedWeight
  const n = pairs.n + 4 * addedPairs
  const [judged, right] = [(pairs.judged + 2 * addedPairs) / n, (pairs.right + 2 * addedPairs) / n]
  const covariance = Math.max(0, (pairs.both + addedPairs) / n - judged * right)
  const worth = covariance ** 2 / (judged * (1 - judged) * right * (1 - right))
  return (pairs.n * worth + checkedEnough * fixedWeight) / (pairs.n + checkedEnough)
}

export interface LearningOptions {
  readonly seed: number
  /** Probability that the judge errs, and how much more often it passes a wrong answer of the first model. */
  readonly error: number
  readonly favour: number
  /** Share of calls that are checked; all are judged. */
  readonly checked: number
}

const tasks = 1_500
const models = [0, 1, 2, 3]

/** Worth of a call that was forgone for each task, as a share of a success, and the mean squared error of success. */
export const learningWorld = (weightOf: JudgeWeight, { checked, error, favour, seed }: LearningOptions) => {
  const uniform = generator(seed)
  const between = (low: number, high: number) => low + (high - low) * uniform()
  const truths = models.map(() => between(0.4, 0.97))
  const costsUsd = models.map(() => Math.exp(between(Math.log(0.0003), Math.log(0.03))))
  const valueUsd = Math.exp(between(Math.log(0.01), 0))
  const worth = (success: number, model: number): number => success - costsUsd[model]! / valueUsd
  const best = (successes: ReadonlyArray<number>): number =>
    models.reduce((one, other) =>
      worth(successes[other]!, other) > worth(successes[one]!, one) ? other : one)
  const strength = defaults.priorStrengthMeasured
  const sums = models.map(() => 0.7 * strength)
  const weights = models.map(() => strength)
  const pairs: Pairs = { n: 0, judged: 0, right: 0, both: 0 }
  const highest = worth(truths[best(truths)]!, best(truths))
  let [lost, squares] = [0, 0]
  for (let task = 0; task < tasks; task++) {
    const means = models.map((model) => sums[model]! / weights[model]!)
    const advised = best(means)
    lost += highest - worth(truths[advised]!, advised)
    squares += models.reduce((sum, model) => sum + (means[model]! - truths[model]!) ** 2, 0) / models.length
    // Posterior sampling, so that every model is seen.
    const run = best(means.map((mean, model) =>
      mean + normal(uniform) * Math.sqrt(mean * (1 - mean) / (weights[model]! + 1))))
    const right = uniform() < truths[run]! ? 1 : 0
    const errs = uniform() < error + (right === 0 && run === 0 ? favour : 0)
    const judged = errs ? 1 - right : right
    const isChecked = uniform() < checked
    const weight = isChecked ? 1 : weightOf(pairs)
    sums[run]! += weight * (isChecked ? right : judged)
    weights[run]! += weight
    if (!isChecked) continue
    pairs.n += 1
    pairs.judged += judged
    pairs.right += right
    pairs.both += judged * right
  }
  return { lost: lost / tasks, squaredError: squares / tasks }
}
