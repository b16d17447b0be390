import { assert, describe, it } from "@effect/vitest"
import { generator } from "../../src/stats/Generator.ts"
import { bestSingle, oracleSuccess } from "../../src/stats/Oracle.ts"
import type { OutcomeLog } from "../../src/stats/OutcomeLog.ts"
import { statisticsByFold } from "../../src/stats/SufficientStatistics.ts"
import { logOf, type Row, times } from "./log.ts"

const oracle = (log: OutcomeLog) => oracleSuccess(log, statisticsByFold(log))

describe("the oracle", () => {
  it("knows nothing without rows", () => {
    assert.isNull(oracle(logOf([])))
  })

  it("finds the better model of every kind of task", () => {
    const log = logOf(times(2000, (row): Row => {
      const [group, ran] = [row % 2, Math.floor(row / 2) % 2]
      const success = group === ran ? 1 : 0
      return { candidates: [[0, 0.5, 1], [1, 0.5, 1]], group, recommended: ran, success }
    }))
    assert.isAbove(oracle(log) ?? NaN, 0.9)
  })

  // The best of ten equal models looks better than 0.5 on the rows that chose it, and not on other rows.
  it("is not flattered by the luck of one of many equal models", () => {
    const candidates = times(10, (model) => [model, 0.5, 1] as const)
    const found = times(10, (seed) => {
      const uniform = generator(seed)
      const fold = () => Math.floor(uniform() * 5)
      return oracle(logOf(times(500, (row): Row =>
        ({ candidates, recommended: row % 10, success: uniform() < 0.5 ? 1 : 0, fold: fold() })))) ?? NaN
    })
    assert.closeTo(found.reduce((sum, value) => sum + value, 0) / 10, 0.5, 0.03)
  })

  it("does not choose a model that has never run", () => {
    const log = logOf(times(400, (): Row => ({ candidates: [[0, 0.6, 1], [1, 0.97, 1]], success: 0.6 })))
    assert.closeTo(oracle(log) ?? NaN, 0.6, 0.02)
  })
})

describe("the best single model", () => {
  const candidates = [[0, 0.5, 1], [1, 0.5, 1]] as const

  it("is chosen by the rows before the half, not by those after it", () => {
    const rows = times(200, (row): Row =>
      ({ candidates, recommended: row % 2, success: (row < 100) === (row % 2 === 0) ? 1 : 0 }))
    assert.strictEqual(bestSingle(logOf(rows), 100), 0)
    assert.isNull(bestSingle(logOf(rows), 0))
  })

  it("must be a candidate on four rows of five", () => {
    const rows = times(100, (row): Row =>
      row % 3 === 0
        ? { candidates: [...candidates, [2, 0.9, 1]], recommended: 2, success: 1 }
        : { candidates, recommended: row % 2, success: row % 2 })
    assert.strictEqual(bestSingle(logOf(rows), 100), 1)
  })
})
