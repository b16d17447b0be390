/** Learns the habit by which a log chose its models, row by row. */
import { finalise } from "../../../../src/stats/Hash.ts"

/** The fields of a row that are known before its model is chosen. */
export interface LogContext {
  readonly taskType: number
  readonly difficulty: number
  /** Hash of the tags; 0 if the row has no tags. */
  readonly tags: number
  /** Hash of the user; 0 if the row names no user. */
  readonly user: number
  /** Natural logarithm of the input tokens; NaN if not known. */
  readonly logInputTokens: number
}

/** Input size has two features, with wide and narrow classes. */
const feature = { taskType: 0, difficulty: 1, tags: 2, user: 3, size: 4, fineSize: 5, predicted: 6 } as const
const features = 7

/** A way to divide rows into cells: a cell has the rows with the same values of the features in `of`. */
interface Expert {
  readonly of: ReadonlyArray<number>
  /** Memory of a cell, rows: each row multiplies the weight of earlier rows by 1 - 1 / memory. */
  readonly memory: number
}

const { difficulty, fineSize, predicted, size, tags, taskType, user } = feature

const experts: ReadonlyArray<Expert> = [
  { of: [], memory: Infinity },
  { of: [], memory: 300 },
  { of: [], memory: 30 },
  { of: [taskType], memory: Infinity },
  { of: [taskType], memory: 100 },
  { of: [difficulty], memory: Infinity },
  { of: [taskType, difficulty], memory: Infinity },
  { of: [tags], memory: Infinity },
  { of: [tags], memory: 100 },
  { of: [user], memory: Infinity },
  { of: [user], memory: 100 },
  { of: [tags, user], memory: Infinity },
  { of: [taskType, user], memory: Infinity },
  { of: [size], memory: Infinity },
  { of: [fineSize], memory: Infinity },
  { of: [taskType, size], memory: Infinity },
  { of: [predicted], memory: Infinity },
  { of: [taskType, predicted], memory: Infinity },
  { of: [taskType, tags, user, size], memory: Infinity }
]

/** Maximum number of cells of an expert. Combinations of values are hashed to cells, to bound memory. */
const cellsMax = 2048

/** Prior weight of the overall shares in a cell's estimate, in rows. */
const cellStrength = 2
/** Prior weight of each model in the overall estimate, in rows. */
const rootStrength = 0.5

/** Part of the belief that is spread over all experts after each row, because a habit may change. */
const renewal = 0.001

/** Widths of a class of input size, in natural logarithms of tokens. */
const sizeWidth = 0.7
const fineSizeWidth = 0.2
/** Width of a class of predicted success, which is in [0, 1]. */
const predictedWidth = 0.05

const classOf = (value: number, width: number): number =>
  Number.isFinite(value) ? Math.floor(value / width) : -1

/** The learned habit. Each row calls `shares` and then `learn`, once each. */
export interface LoggingHabit {
  /**
   * Chance of each model to be chosen, from earlier rows, in an array that the next call overwrites.
   * @param predictedSuccess mean prediction over the models, in [0, 1]
   */
  readonly shares: (context: LogContext, predictedSuccess: number) => Float64Array
  readonly learn: (model: number) => void
}

/**
 * Learns shares of the models as a Bayesian mixture over several groupings of the rows.
 * @see Krichevsky and Trofimov, The performance of universal encoding (1981)
 * @see Herbster and Warmuth, Tracking the best expert (1998)
 */
export const makeLoggingHabit = (models: number): LoggingHabit => {
  const width = models + 1
  const tables = experts.map(({ of }) => new Float64Array(width * (of.length === 0 ? 1 : cellsMax)))
  const beliefs = new Float64Array(experts.length).fill(1 / experts.length)
  const bases = new Int32Array(experts.length)
  const values = new Int32Array(features)
  const root = new Float64Array(models)
  const shares = new Float64Array(models)
  const [everything] = tables
  const expectedOf = (at: number, model: number): number => {
    const table = tables[at]!
    const base = bases[at]!
    return (table[base + model]! + cellStrength * root[model]!) / (table[base + models]! + cellStrength)
  }
  const readRoot = (): void => {
    const total = everything![models]! + rootStrength * models
    for (let model = 0; model < models; model++) {
      root[model] = (everything![model]! + rootStrength) / total
    }
  }
  const findCells = (context: LogContext, predictedSuccess: number): void => {
    values[taskType] = context.taskType
    values[difficulty] = context.difficulty
    values[tags] = context.tags
    values[user] = context.user
    values[size] = classOf(context.logInputTokens, sizeWidth)
    values[fineSize] = classOf(context.logInputTokens, fineSizeWidth)
    values[predicted] = classOf(predictedSuccess, predictedWidth)
    for (let at = 0; at < experts.length; at++) {
      const { of } = experts[at]!
      let hash = at
      for (const each of of) hash = finalise(hash * 31 + values[each]!)
      bases[at] = of.length === 0 ? 0 : ((hash >>> 0) % cellsMax) * width
    }
  }
  return {
    shares: (context, predictedSuccess) => {
      findCells(context, predictedSuccess)
      readRoot()
      shares.fill(0)
      for (let at = 0; at < experts.length; at++) {
        const belief = beliefs[at]!
        for (let model = 0; model < models; model++) shares[model]! += belief * expectedOf(at, model)
      }
      return shares
    },
    learn: (model) => {
      let total = 0
      for (let at = 0; at < experts.length; at++) {
        beliefs[at]! *= expectedOf(at, model)
        total += beliefs[at]!
      }
      for (let at = 0; at < experts.length; at++) {
        beliefs[at] = (1 - renewal) * beliefs[at]! / total + renewal / experts.length
        const table = tables[at]!
        const base = bases[at]!
        const { memory } = experts[at]!
        if (memory !== Infinity) for (let i = 0; i < width; i++) table[base + i]! *= 1 - 1 / memory
        table[base + model]! += 1
        table[base + models]! += 1
      }
    }
  }
}
