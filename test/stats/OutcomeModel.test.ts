import { assert, it } from "@effect/vitest"
import { crossFit, deviation, expected, fit } from "../../src/stats/OutcomeModel.ts"
import { statisticsByFold, statisticsOf } from "../../src/stats/SufficientStatistics.ts"
import { logOf, type Row, times } from "./log.ts"

const fitted = (rows: ReadonlyArray<Row>) => {
  const log = logOf(rows)
  const model = fit(log, [statisticsOf(log, 0, log.rows)])
  return { log, of: (row: number, candidate: number) => expected(model, log, row, candidate), model }
}

it("without outcomes the prediction is all there is, kept off certainty", () => {
  const { of } = fitted([{ candidates: [[0, 0.7, 1], [1, 1, 1], [2, 0, 1]], ran: -1 }])
  assert.closeTo(of(0, 0), 0.7, 1e-12)
  assert.strictEqual(of(0, 1), 0.98)
  assert.strictEqual(of(0, 2), 0.02)
})

// Every level has the same 1,000 outcomes at the same prediction: ten pseudo-outcomes of 0.9 fade.
it("a cell with many outcomes is its own mean, whatever was predicted", () => {
  const { of } = fitted(times(1000, (row) => ({ candidates: [[0, 0.9, 1]], success: row % 4 === 0 ? 1 : 0 })))
  assert.closeTo(of(0, 0), 0.25, 0.01)
})

it("a model that failed in one cell is expected to do worse in a new one, but less so", () => {
  const failing = times(60, (): Row => ({ candidates: [[0, 0.8, 1]], success: 0 }))
  const { of } = fitted([...failing, { candidates: [[0, 0.8, 1], [1, 0.8, 1]], group: 1, ran: -1 }])
  assert.isBelow(of(0, 0), 0.1)
  assert.isBelow(of(60, 60), 0.4)
  assert.isAbove(of(60, 61), of(60, 60))
})

it("inside a cell the prediction counts as far as it separates outcomes", () => {
  const telling = fitted(times(400, (row): Row =>
    ({ candidates: [[0, row % 2 === 0 ? 0.9 : 0.3, 1]], success: row % 2 === 0 ? 1 : 0 })))
  assert.isAbove(telling.of(0, 0) - telling.of(1, 1), 0.5)
  const idle = fitted(times(400, (row): Row =>
    ({ candidates: [[0, row % 2 === 0 ? 0.9 : 0.3, 1]], success: row % 4 < 2 ? 1 : 0 })))
  assert.isBelow(Math.abs(idle.of(0, 0) - idle.of(1, 1)), 0.05)
})

it("a row never judges itself, nor do the other rows of its fold", () => {
  const rowsWith = (success: number) =>
    times(50, (row): Row => ({ candidates: [[0, 0.6, 1]], success: row % 5 === 3 ? success : row % 2 }))
  const judge = (success: number) => {
    const log = logOf(rowsWith(success))
    const models = crossFit(log, statisticsByFold(log))
    return [3, 4].map((row) => expected(models[log.fold[row]!]!, log, row, row))
  }
  const [own, other] = judge(0)
  const [ownAfter, otherAfter] = judge(1)
  assert.strictEqual(own, ownAfter)
  assert.notStrictEqual(other, otherAfter)
})

it("the more outcomes a cell has, the surer it is", () => {
  const { log, model } = fitted(times(89, (): Row => ({ candidates: [[0, 0.5, 1], [1, 0.5, 1]] })))
  // 10 pseudo-outcomes and one more, and 89 outcomes beside them.
  assert.closeTo(deviation(model, log, 0, 1, 0.5), Math.sqrt(0.25 / 11), 1e-12)
  assert.closeTo(deviation(model, log, 0, 0, 0.5), Math.sqrt(0.25 / 100), 1e-12)
})
