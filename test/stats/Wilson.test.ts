import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Wilson from "../../src/stats/Wilson.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

// Newcombe (1998), Statistics in Medicine 17:857, method 3.
it("81 of 263 give 0.2553 to 0.3662, and 0 of 20 give 0 to 0.1611", () => {
  const some = Wilson.interval95(81 / 263, 263)
  assert.closeTo(some.low, 0.2553, 5e-5)
  assert.closeTo(some.high, 0.3662, 5e-5)
  const none = Wilson.interval95(0, 20)
  assert.closeTo(none.low, 0, 1e-12)
  assert.closeTo(none.high, 0.1611, 5e-5)
})

it("the interval ends at exactly 1 where all succeeded, and at exactly 0 where none did", () => {
  for (let n = 1; n <= 1_000; n++) {
    assert.strictEqual(Wilson.interval95(1, n).high, 1)
    assert.strictEqual(Wilson.interval95(0, n).low, 0)
  }
})

it("without observations the interval is [0, 1]", () => {
  assert.deepStrictEqual(Wilson.interval95(0, 0), { low: 0, high: 1 })
})

it.prop("the interval holds the rate and shrinks with n", { mean: Unit, n: Count }, ({ mean, n }) => {
  const { low, high } = Wilson.interval95(mean, n)
  assert.isTrue(0 <= low && low <= mean && mean <= high && high <= 1)
  const more = Wilson.interval95(mean, n * 10)
  assert.isBelow(more.high - more.low, high - low)
})

describe("the interval of a difference of success rates", () => {
  it("is Newcombe's of his table: 56 of 70 less 48 of 80 is from 0.0524 to 0.3339", () => {
    const { high, low } = Wilson.differenceInterval95({ mean: 56 / 70, n: 70 }, { mean: 48 / 80, n: 80 })
    assert.closeTo(low, 0.0524, 5e-5)
    assert.closeTo(high, 0.3339, 5e-5)
  })

  it("turns around with its rates, and is within -1 and 1", () => {
    for (const [one, other] of [[{ mean: 1, n: 5 }, { mean: 0, n: 3 }], [{ mean: 0.4, n: 30 }, { mean: 0.9, n: 1 }]] as const) {
      const { high, low } = Wilson.differenceInterval95(one, other)
      const turned = Wilson.differenceInterval95(other, one)
      assert.closeTo(low, -turned.high, 1e-12)
      assert.isAtLeast(low, -1)
      assert.isAtMost(high, 1)
    }
  })

  it("holds every difference that is possible without observations", () => {
    const { high, low } = Wilson.differenceInterval95({ mean: 0, n: 0 }, { mean: 0, n: 0 })
    assert.closeTo(low, -1, 1e-12)
    assert.closeTo(high, 1, 1e-12)
  })
})
