/** Foreign logs of known truth: what every model would have achieved and cost on every row. */
import type { LogFigures } from "../../packages/backtest/src/stats/LogFigures.ts"
import { makeLogPolicies } from "../../packages/backtest/src/stats/LogPolicies.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { sigmoid } from "../../src/stats/Logit.ts"

/** By what the log's author chose models. */
export type Habit =
  | "random" | "type" | "price" | "size" | "user" | "drift" | "type_always" | "one" | "sorted" | "hidden"

export interface ForeignOptions {
  readonly seed: number
  readonly rows: number
  readonly habit: Habit
  /** Share of rows with a label, and with a bill; 1 unless given. */
  readonly labelled?: number
  readonly billed?: number
  /** Labels are likelier on some task types: missing at random. */
  readonly isLabelledByType?: boolean
  /** Mean error of predictions, in probability. */
  readonly bias?: number
  /** Standard deviation of a bill's logarithm around its expectation. */
  readonly spread?: number
}

/** One row with every counterfactual. */
interface World {
  readonly type: number
  readonly user: number
  readonly logInputTokens: number
  readonly hardness: number
  readonly quality: ReadonlyArray<number>
  readonly costUsd: ReadonlyArray<number>
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
}

export const models = 4
const pricesUsd = [0.0004, 0.001, 0.003, 0.012]
const abilities = [0.3, 0.9, 1.3, 1.9]
const types = 5
const users = 6
const thresholds = [0.6, 0.75, 0.85]

/** Policies: three thresholds, each model alone, and what was logged, against which savings are. */
export const policyNames = ["slider .6", "slider .75", "slider .85", "always 0", "always 1", "always 2",
  "always 3", "logged"] as const
export const logged = policyNames.length - 1

const weightsOf: Record<Habit, (row: World, share: number) => ReadonlyArray<number>> = {
  random: () => [1, 1, 1, 1],
  type: ({ type }) => [0, 1, 2, 3].map((model) => model === type % models ? 6 : 1),
  price: () => [10, 5, 3, 2],
  size: ({ logInputTokens }) => logInputTokens > 6.5 ? [6, 3, 1, 1] : [1, 1, 3, 5],
  user: ({ user }) => [0, 1, 2, 3].map((model) => model === user % models ? 5 : 1),
  drift: (_, share) => share < 0.5 ? [6, 2, 1, 1] : [1, 1, 2, 6],
  type_always: ({ type }) => [0, 1, 2, 3].map((model) => model === type % models ? 1 : 0),
  one: () => [0, 0, 0, 1],
  sorted: (_, share) => [0, 1, 2, 3].map((model) => Math.floor(share * models) === model ? 1 : 0),
  hidden: ({ hardness }) => hardness > 0 ? [1, 1, 2, 12] : [12, 2, 1, 1]
}

const draw = (weights: ReadonlyArray<number>, uniform: number): number => {
  let rest = uniform * weights.reduce((sum, weight) => sum + weight, 0)
  return Math.max(0, weights.findIndex((weight) => (rest -= weight) < 0))
}

/** The common facts of a seed's world, and a function that draws one of its rows. */
const worldOf = (common: () => number, { bias = 0, spread = 0.8 }: Pick<ForeignOptions, "bias" | "spread">) => {
  const ease = Array.from({ length: types }, () => 0.7 * normal(common))
  const own = Array.from({ length: types * models }, () => 0.5 * normal(common))
  const known = Array.from({ length: models }, () => bias + 0.05 * normal(common))
  const billed = Array.from({ length: models }, () => Math.exp(0.4 * normal(common)))
  return (uniform: () => number): World => {
    const gauss = () => normal(uniform)
    const type = Math.floor(types * uniform() ** 1.5)
    const hardness = gauss()
    const logInputTokens = 6.5 + gauss()
    const read = 0.6 * hardness + 0.4 * gauss()
    const success = new Float64Array(models)
    const expectedUsd = new Float64Array(models)
    const quality: Array<number> = []
    const costUsd: Array<number> = []
    for (let model = 0; model < models; model++) {
      const logit = abilities[model]! + ease[type]! + own[type * models + model]!
      quality.push(uniform() < sigmoid(logit - hardness) ? 1 : 0)
      success[model] = Math.min(0.99, Math.max(0.01, sigmoid(logit - 0.6 * read) + known[model]!))
      const usd = pricesUsd[model]! * Math.exp(0.5 * (logInputTokens - 6.5))
      expectedUsd[model] = usd
      costUsd.push(usd * billed[model]! * Math.exp(spread * gauss() - spread ** 2 / 2 + 0.2 * hardness))
    }
    return { type, user: Math.floor(users * uniform()), logInputTokens, hardness, quality, costUsd, success,
      expectedUsd }
  }
}

const pickAt = ({ expectedUsd, success }: World, threshold: number): number => {
  let best = 0
  for (let model = 0; model < models; model++) {
    const clears = success[model]! >= threshold
    const bestClears = success[best]! >= threshold
    if (clears && (!bestClears || expectedUsd[model]! < expectedUsd[best]!)) best = model
    else if (!clears && !bestClears && success[model]! > success[best]!) best = model
  }
  return best
}

/** Rows of a world over which the truth for new calls is taken, count. */
const newRows = 40_000

const uniformOf = (seed: number) => generator(seed * 7919 + 13)

const picksOf = (row: World, ran: number) =>
  Int32Array.from([...thresholds.map((each) => pickAt(row, each)), 0, 1, 2, 3, ran])

interface Truth {
  success: number
  costUsd: number
}

const noTruths = () => policyNames.map((): Truth => ({ success: 0, costUsd: 0 }))

const addTo = (sums: ReadonlyArray<Truth>, row: World, picks: Int32Array, rows: number): void =>
  picks.forEach((pick, policy) => {
    sums[policy]!.success += row.quality[pick]! / rows
    sums[policy]!.costUsd += row.costUsd[pick]! / rows
  })

/** The truth of each policy over new calls of a seed's world, but of the logged one, which needs an author. */
export const newTruthsOf = (seed: number): ReadonlyArray<Readonly<Truth>> => {
  const next = worldOf(uniformOf(seed), {})
  const uniform = generator(seed * 7919 + 14)
  const sums = noTruths()
  for (let at = 0; at < newRows; at++) {
    const row = next(uniform)
    addTo(sums, row, picksOf(row, 0), newRows)
  }
  return sums.slice(0, logged)
}

/** The estimate from a log, and the true figures of each policy over the judged rows. */
export const playForeign = (options: ForeignOptions): {
  readonly figures: LogFigures
  readonly truths: ReadonlyArray<Readonly<Truth>>
} => {
  const { billed = 1, habit, isLabelledByType = false, labelled = 1, rows, seed } = options
  const uniform = uniformOf(seed)
  const next = worldOf(uniform, options)
  const policies = makeLogPolicies(models, policyNames.length, logged)
  const sums = noTruths()
  const unjudged = 50
  for (let at = 0; at < rows; at++) {
    const row = next(uniform)
    const ran = draw(weightsOf[habit](row, at / rows), uniform())
    const picks = picksOf(row, ran)
    const isLabelled = uniform() < (isLabelledByType ? labelled * (row.type === 0 ? 1 : 0.4) : labelled)
    policies.add({
      block: Math.floor(at / 10),
      loggedModel: ran,
      quality: isLabelled ? row.quality[ran]! : NaN,
      costUsd: uniform() < billed ? row.costUsd[ran]! : NaN,
      context: {
        taskType: row.type, difficulty: -1, tags: -1, user: row.user, logInputTokens: row.logInputTokens
      },
      success: row.success,
      expectedUsd: row.expectedUsd,
      picks
    })
    if (at >= unjudged) addTo(sums, row, picks, rows - unjudged)
  }
  return { figures: policies.finish(), truths: sums }
}
