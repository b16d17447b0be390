import { assert, describe, it } from "@effect/vitest"
import { along, cheapestAt, highestSuccess } from "../../../../packages/backtest/src/stats/SuccessPlane.ts"
import { generator } from "../../../../src/stats/Generator.ts"

/** Three ways on a convex hull, and a dominated fourth. */
const plane = { cost: [0.2, 0.5, 1.4, 0.9], success: [-0.1, 0, 0.1, -0.05] }

describe("the cheapest mixture of two ways", () => {
  it("is the neighbours of a success on the hull, or the one way that has it", () => {
    assert.deepStrictEqual(cheapestAt(plane, -0.2), { first: 0, second: 0, share: 1 })
    assert.deepStrictEqual(highestSuccess(plane), { first: 2, second: 2, share: 1 })
    const between = cheapestAt(plane, -0.01)!
    // Nine tenths of the way from -0.1 to 0: 0.2 + 0.9 * 0.3.
    assert.deepInclude(between, { first: 1, second: 0 })
    assert.closeTo(along(plane.cost, between), 0.47, 1e-12)
    assert.isNull(cheapestAt(plane, 0.11))
  })

  it("has the success that was asked for, and no mixture of any two has it for less", () => {
    const uniform = generator(3)
    for (let round = 0; round < 50; round++) {
      const ways = Array.from({ length: 6 }, () => [uniform(), uniform()] as const)
      const random = { cost: ways.map(([cost]) => cost), success: ways.map(([, success]) => success) }
      const least = uniform()
      const best = cheapestAt(random, least)
      for (let first = 0; first < 6; first++) {
        for (let second = 0; second < 6; second++) {
          const mixture = { first, second, share: uniform() }
          if (along(random.success, mixture) < least) continue
          assert.isNotNull(best)
          assert.isAtMost(along(random.cost, best!), along(random.cost, mixture) + 1e-12)
        }
      }
      if (best !== null) assert.isAtLeast(along(random.success, best), least - 1e-12)
    }
  })
})
