/** Sums over parts of a log, from which outcome models are fitted. */
import { folds, type OutcomeLog } from "./OutcomeLog.ts"

/** For each cell (a group and a model): the number of outcomes, and the sums of success and of prediction. */
export interface Cells {
  readonly n: Float64Array
  readonly success: Float64Array
  readonly predicted: Float64Array
}

const cellsOf = (count: number): Cells => ({
  n: new Float64Array(count),
  success: new Float64Array(count),
  predicted: new Float64Array(count)
})

/** The statistics of a part of a log: its cells, and the sums of prediction^2 and of prediction * success. */
export interface SufficientStatistics {
  readonly cells: Cells
  readonly squares: number
  readonly products: number
}

type Sums = { -readonly [K in keyof SufficientStatistics]: SufficientStatistics[K] }

const emptySums = (count: number): Sums => ({ cells: cellsOf(count), squares: 0, products: 0 })

/** A row on which no candidate ran adds nothing. */
const addRow = (sums: Sums, log: OutcomeLog, row: number): void => {
  const ran = log.ran[row]!
  if (ran < 0) return
  const { cells } = sums
  const cell = log.group[row]! * log.models + log.model[ran]!
  const prediction = log.prediction[ran]!
  const success = log.success[row]!
  cells.n[cell]! += 1
  cells.success[cell]! += success
  cells.predicted[cell]! += prediction
  sums.squares += prediction * prediction
  sums.products += prediction * success
}

/** Computes the statistics of the rows [from, to). */
export const statisticsOf = (log: OutcomeLog, from: number, to: number): SufficientStatistics => {
  const sums = emptySums(log.groups * log.models)
  for (let row = from; row < to; row++) addRow(sums, log, row)
  return sums
}

/** Adds up several parts of the log, with `count` cells each. */
export const pooled = (parts: ReadonlyArray<SufficientStatistics>, count: number): SufficientStatistics => {
  const sums = emptySums(count)
  const { cells } = sums
  for (const part of parts) {
    sums.squares += part.squares
    sums.products += part.products
    for (let cell = 0; cell < count; cell++) {
      cells.n[cell]! += part.cells.n[cell]!
      cells.success[cell]! += part.cells.success[cell]!
      cells.predicted[cell]! += part.cells.predicted[cell]!
    }
  }
  return sums
}

/** Adds up cells with the same parent; `parentOf` gives the parent of a row of cells, one per model. */
export const rolledUp = (
  fine: Cells,
  models: number,
  parentOf: (row: number) => number,
  parents: number
): Cells => {
  const coarse = cellsOf(parents * models)
  for (let cell = 0; cell < fine.n.length; cell++) {
    if (fine.n[cell] === 0) continue
    const to = parentOf(Math.floor(cell / models)) * models + cell % models
    coarse.n[to]! += fine.n[cell]!
    coarse.success[to]! += fine.success[cell]!
    coarse.predicted[to]! += fine.predicted[cell]!
  }
  return coarse
}

export const statisticsByFold = (log: OutcomeLog): ReadonlyArray<SufficientStatistics> => {
  const sums = Array.from({ length: folds }, () => emptySums(log.groups * log.models))
  for (let row = 0; row < log.rows; row++) addRow(sums[log.fold[row]!]!, log, row)
  return sums
}
