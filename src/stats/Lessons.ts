import { folds, type OutcomeLog } from "./OutcomeLog.ts"

/** Sums of outcomes, their successes and the predictions for them, per cell. */
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

/** What a part of a log teaches: its cells, and the sums of prediction^2 and prediction * success. */
export interface Lessons {
  readonly cells: Cells
  readonly squares: number
  readonly products: number
}

/** Lessons while they are added up. */
type Sums = { -readonly [K in keyof Lessons]: Lessons[K] }

const nothing = (count: number): Sums => ({ cells: cellsOf(count), squares: 0, products: 0 })

/** Adds a row; one that ran no candidate teaches nothing. */
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

/** The lessons of the rows from `from` up to `to`. */
export const lessonsOf = (log: OutcomeLog, from: number, to: number): Lessons => {
  const sums = nothing(log.groups * log.models)
  for (let row = from; row < to; row++) addRow(sums, log, row)
  return sums
}

/** Several parts' lessons as one; `count` cells each. */
export const together = (parts: ReadonlyArray<Lessons>, count: number): Lessons => {
  const sums = nothing(count)
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

/** The sums of coarser cells: `parentOf` says where each row of cells (one per model) goes. */
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

/** The lessons of each fold. */
export const lessonsByFold = (log: OutcomeLog): ReadonlyArray<Lessons> => {
  const sums = Array.from({ length: folds }, () => nothing(log.groups * log.models))
  for (let row = 0; row < log.rows; row++) addRow(sums[log.fold[row]!]!, log, row)
  return sums
}
