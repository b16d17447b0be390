/** The outcome model: the expected success of a model on a task, learned from a log. */
import { clamp } from "./Clamp.ts"
import type { OutcomeLog } from "./OutcomeLog.ts"
import { type Cells, type SufficientStatistics, rolledUp, pooled } from "./SufficientStatistics.ts"

/** Number of a cell's own outcomes that weigh as much as a broader estimate. */
export const priorStrength = 10

/** Weight of a slope's prior, in the unit of a sum of squared predictions. */
const slopeRidge = 1

/** Minimum distance of an estimate from 0 and 1, so that no estimate is certain. */
const edge = 0.02

/** Linear functions from the logged prediction to success, one for each cell (a group and a model). */
interface Lines {
  readonly intercept: Float64Array
  readonly slope: Float64Array
}

/** The line of each cell (a group and a model), at index `group * models + model`. */
export interface OutcomeModel extends Lines {
  readonly models: number
  readonly seen: Float64Array
  readonly seenOfModel: Float64Array
}

/** Fits each cell's line through its mean with a given slope, shrunk toward the line of its parent. */
const shrunk = (
  cells: Cells,
  models: number,
  slope: number,
  parents: Lines,
  parentOf: (row: number) => number
): Lines => {
  const lines = { intercept: new Float64Array(cells.n.length), slope: new Float64Array(cells.n.length) }
  for (let cell = 0; cell < cells.n.length; cell++) {
    const parent = parentOf(Math.floor(cell / models)) * models + cell % models
    const n = cells.n[cell]!
    const own = cells.success[cell]! - slope * cells.predicted[cell]!
    lines.intercept[cell] = (priorStrength * parents.intercept[parent]! + own) / (priorStrength + n)
    lines.slope[cell] = (priorStrength * parents.slope[parent]! + n * slope) / (priorStrength + n)
  }
  return lines
}

/**
 * Computes the slopes of success over prediction, over all outcomes and inside cells. The slope over all
 * outcomes is shrunk toward 1, as if predictions were right. The slope inside cells is shrunk toward 0, as if
 * a cell's mean were right.
 */
const slopesOf = (cells: Cells, squares: number, products: number) => {
  let [n, success, predicted, insideSquares, insideProducts] = [0, 0, 0, squares, products]
  for (let cell = 0; cell < cells.n.length; cell++) {
    const count = cells.n[cell]!
    if (count === 0) continue
    n += count
    success += cells.success[cell]!
    predicted += cells.predicted[cell]!
    insideSquares -= cells.predicted[cell]! ** 2 / count
    insideProducts -= cells.predicted[cell]! * cells.success[cell]! / count
  }
  const mean = n === 0 ? 0 : predicted / n
  return {
    n,
    success,
    predicted,
    between: clamp(
      (products - mean * success + slopeRidge) / (squares - mean * predicted + slopeRidge), 0, 1.5
    ),
    inside: clamp(insideProducts / (insideSquares + slopeRidge), 0, 1)
  }
}

/**
 * Fits lines of success over the prediction: for all outcomes, each model, then each model in a task type,
 * cluster and group. Each line is shrunk toward the line of the next broader set of outcomes.
 *
 * @see Gelman and Hill, Data Analysis Using Regression and Multilevel Models, chapter 12
 */
export const fit = (log: OutcomeLog, parts: ReadonlyArray<SufficientStatistics>): OutcomeModel => {
  const { models } = log
  const { cells, products, squares } = pooled(parts, log.groups * models)
  const clusterOf = (group: number) => log.clusterOfGroup[group]!
  const typeOf = (cluster: number) => log.typeOfCluster[cluster]!
  const top = () => 0
  const ofCluster = rolledUp(cells, models, clusterOf, log.clusters)
  const ofType = rolledUp(ofCluster, models, typeOf, log.types)
  const ofModel = rolledUp(ofType, models, top, 1)
  const { between, inside, n, predicted, success } = slopesOf(cells, squares, products)
  const root: Lines = {
    intercept: new Float64Array(models).fill((success - between * predicted) / (priorStrength + n)),
    slope: new Float64Array(models).fill((priorStrength + n * between) / (priorStrength + n))
  }
  const model = shrunk(ofModel, models, between, root, top)
  const type = shrunk(ofType, models, between, model, top)
  const cluster = shrunk(ofCluster, models, inside, type, typeOf)
  return {
    models,
    ...shrunk(cells, models, inside, cluster, clusterOf),
    seen: cells.n,
    seenOfModel: ofModel.n
  }
}

/** Computes the expected success of a candidate of a row, in [0.02, 0.98]. */
export const expected = (self: OutcomeModel, log: OutcomeLog, row: number, candidate: number): number => {
  const cell = log.group[row]! * self.models + log.model[candidate]!
  return clamp(self.intercept[cell]! + self.slope[cell]! * log.prediction[candidate]!, edge, 1 - edge)
}

/** Computes the standard deviation of `mean` as that of a rate known from its cell's outcomes and a prior. */
export const deviation = (
  self: OutcomeModel,
  log: OutcomeLog,
  row: number,
  candidate: number,
  mean: number
): number => {
  const seen = self.seen[log.group[row]! * self.models + log.model[candidate]!]!
  return Math.sqrt(mean * (1 - mean) / (priorStrength + seen + 1))
}

/** Fits one outcome model for each fold on the other folds, so that no row judges itself. */
export const crossFit = (
  log: OutcomeLog,
  statistics: ReadonlyArray<SufficientStatistics>
): ReadonlyArray<OutcomeModel> =>
  statistics.map((own) => fit(log, statistics.filter((part) => part !== own)))
