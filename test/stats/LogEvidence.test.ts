import { assert, describe, it } from "@effect/vitest"
import { adherencePropensity } from "../../src/stats/Adherence.ts"
import { costsOf } from "../../src/stats/CostRatio.ts"
import { evidenceOf } from "../../src/stats/LogEvidence.ts"
import { crossFit } from "../../src/stats/OutcomeModel.ts"
import { statisticsByFold } from "../../src/stats/SufficientStatistics.ts"
import { logOf, type Row, times } from "./log.ts"

const pair = [[0, 0.8, 1], [1, 0.9, 4]] as const

describe("the share of advice that is followed", () => {
  it("is exactly 1 where everybody follows", () => {
    const shares = adherencePropensity(logOf(times(7, (): Row => ({ candidates: pair }))))
    assert.deepStrictEqual([...shares], times(7, () => 1))
  })

  it("is the cell's own where it has rows enough, and known from other folds alone", () => {
    const rows = times(2000, (row): Row =>
      ({ candidates: pair, group: row % 2, ran: row % 2 === 0 || row % 4 === 1 ? 0 : 1, fold: row % 5 }))
    const shares = adherencePropensity(logOf(rows))
    assert.closeTo(shares[0]!, 1, 0.02)
    assert.closeTo(shares[1]!, 0.5, 0.02)
    const flipped = rows.map((row, index) => index === 1 ? { ...row, ran: 1 } : row)
    assert.strictEqual(adherencePropensity(logOf(flipped))[1], shares[1])
  })
})

describe("costs", () => {
  it("are the bill where there is one, 0 included, else the estimate as bills correct it", () => {
    const rows = times(500, (row): Row => ({ candidates: pair, ...(row === 3 ? {} : { bill: 2 }) }))
    const costs = costsOf(logOf([...rows, { candidates: pair, bill: 0 }]))
    assert.strictEqual(costs[0], 2)
    assert.strictEqual(costs[1000], 0)
    // Row 3 has no bill: its model bills twice what is estimated; the other one is thought to do the same.
    assert.closeTo(costs[6]!, 2, 0.06)
    assert.closeTo(costs[7]!, 8, 0.3)
  })

  it("of runs say nothing of calls, nor the other way round", () => {
    const calls = times(50, (row): Row => ({ candidates: pair, group: 0, ...(row === 3 ? {} : { bill: 2 }) }))
    const runs = times(50, (): Row => ({ candidates: [[0, 0.8, 100]], group: 1, bill: 50 }))
    const both = costsOf({ ...logOf([...calls, ...runs]), unitOfCluster: Int32Array.of(0, 1) })
    assert.deepStrictEqual([...both.subarray(0, 100)], [...costsOf(logOf(calls))])
  })

  it("stay estimates without any bill", () => {
    assert.deepStrictEqual([...costsOf(logOf([{ candidates: pair }]))], [1, 4])
  })
})

describe("the chance that a candidate ran on our advice", () => {
  const of = (row: Row) => {
    const log = logOf([row])
    return [...evidenceOf(log, crossFit(log, statisticsByFold(log))).chance]
  }

  it("is all the recommended one's where nothing was drawn", () => {
    assert.deepStrictEqual(of({ candidates: pair }), [1, 0])
  })

  it("is the propensity, the rest in equal parts to the other eligible, nothing below the bar", () => {
    const chances = of({ candidates: [...pair, [2, 0.9, 5], [3, 0.1, 0, false]], propensity: 0.9 })
    assert.strictEqual(chances[0], 0.9)
    assert.closeTo(chances[1]!, 0.05, 1e-12)
    assert.closeTo(chances[2]!, 0.05, 1e-12)
    assert.strictEqual(chances[3], 0)
  })
})
