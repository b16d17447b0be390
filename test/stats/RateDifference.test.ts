import { assert, describe, it } from "@effect/vitest"
import { interval95 } from "../../src/stats/RateDifference.ts"

describe("the interval of a difference of success rates", () => {
  it("is Newcombe's of his table: 56 of 70 less 48 of 80 is from 0.0524 to 0.3339", () => {
    const { high, low } = interval95({ mean: 56 / 70, n: 70 }, { mean: 48 / 80, n: 80 })
    assert.closeTo(low, 0.0524, 5e-5)
    assert.closeTo(high, 0.3339, 5e-5)
  })

  it("turns around with its rates, and is within -1 and 1", () => {
    for (const [one, other] of [[{ mean: 1, n: 5 }, { mean: 0, n: 3 }], [{ mean: 0.4, n: 30 }, { mean: 0.9, n: 1 }]] as const) {
      const { high, low } = interval95(one, other)
      const turned = interval95(other, one)
      assert.closeTo(low, -turned.high, 1e-12)
      assert.isAtLeast(low, -1)
      assert.isAtMost(high, 1)
    }
  })

  it("holds every difference that is possible without observations", () => {
    const { high, low } = interval95({ mean: 0, n: 0 }, { mean: 0, n: 0 })
    assert.closeTo(low, -1, 1e-12)
    assert.closeTo(high, 1, 1e-12)
  })
})
