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

/** The lessons of the rows from `from` up to `to` that `partOf` puts into `part`; all of them by default. */
export const lessonsOf = (
  log: OutcomeLog,
  from: number,
  to: number,
  part: { readonly of: Uint8Array; readonly is: number } | null = null
): Lessons => {
  const cells = cellsOf(log.groups * log.models)
  let [squares, products] = [0, 0]
  for (let row = from; row < to; row++) {
    const ran = log.ran[row]!
    if (ran < 0 || (part !== null && part.of[row] !== part.is)) continue
    const cell = log.group[row]! * log.models + log.model[ran]!
    const prediction = log.prediction[ran]!
    const success = log.success[row]!
    cells.n[cell]! += 1
    cells.success[cell]! += success
    cells.predicted[cell]! += prediction
    squares += prediction * prediction
    products += prediction * success
  }
  return { cells, squares, products }
}

/** Several parts' lessons as one; `count` cells each. */
export const together = (parts: ReadonlyArray<Lessons>, count: number): Lessons => {
  const cells = cellsOf(count)
  let [squares, products] = [0, 0]
  for (const part of parts) {
    squares += part.squares
    products += part.products
    for (let cell = 0; cell < count; cell++) {
      cells.n[cell]! += part.cells.n[cell]!
      cells.success[cell]! += part.cells.success[cell]!
      cells.predicted[cell]! += part.cells.predicted[cell]!
    }
  }
  return { cells, squares, products }
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
export const lessonsByFold = (log: OutcomeLog): ReadonlyArray<Lessons> =>
  Array.from({ length: folds }, (_, fold) => lessonsOf(log, 0, log.rows, { of: log.fold, is: fold }))
