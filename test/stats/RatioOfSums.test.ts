import { assert, describe, it } from "@effect/vitest"
import { generator } from "../../src/stats/Generator.ts"
import { ratioOf, type RatioSums } from "../../src/stats/RatioOfSums.ts"

const sumsOf = (units: ReadonlyArray<readonly [cost: number, isFinished: boolean]>): RatioSums => ({
  n: units.length,
  denominator: units.filter(([, isFinished]) => isFinished).length,
  numerator: units.reduce((total, [cost]) => total + cost, 0),
  squares: units.reduce((total, [cost]) => total + cost * cost, 0),
  both: units.reduce((total, [cost, isFinished]) => total + (isFinished ? cost : 0), 0)
})

describe("the ratio of two sums", () => {
  it("is what all units cost for each that was finished", () => {
    const { high, low, ratio } = ratioOf(sumsOf([[1, true], [3, false], [2, true]])) ?? assert.fail("none")
    assert.strictEqual(ratio, 3)
    // Residuals -2, 3, -1, of which the sum of squares is 14: half the width is 1.96 sqrt(14 * 3 / 2) / 2.
    assert.closeTo(high - ratio, 1.959964 * Math.sqrt(21) / 2, 1e-6)
    assert.strictEqual(low, 0)
  })

  it("is null without a finished unit, and as wide as can be with one", () => {
    assert.isNull(ratioOf(sumsOf([[1, false]])))
    assert.deepStrictEqual(ratioOf(sumsOf([[1, true], [2, false]])), { ratio: 3, low: 0, high: Infinity })
  })

  it("has no width where every unit costs the same and is finished", () => {
    assert.deepStrictEqual(ratioOf(sumsOf([[2, true], [2, true]])), { ratio: 2, low: 2, high: 2 })
  })

  it("has an interval that holds the true ratio in nearly 95 of 100 samples", () => {
    const uniform = generator(1)
    const truth = (0.7 * 1 + 0.3 * 3) / 0.8
    let held = 0
    for (let sample = 0; sample < 1_000; sample++) {
      const units = Array.from({ length: 200 }, () => [uniform() < 0.7 ? 1 : 3, uniform() < 0.8] as const)
      const { high, low } = ratioOf(sumsOf(units)) ?? assert.fail("none")
      if (low <= truth && truth <= high) held++
    }
    assert.isAtLeast(held, 930)
    assert.isAtMost(held, 970)
  })
})
