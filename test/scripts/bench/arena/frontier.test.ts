import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { averageQuality, concave, type Point, qualityAt } from "../../../../scripts/bench/arena/frontier.ts"

/** The mixture of the ends passes the second point, and the fourth is dear and bad. */
const points: ReadonlyArray<Point> = [[1, 0.2], [2, 0.3], [3, 0.8], [4, 0.7]]

describe("the concave frontier", () => {
  it("keeps only points that no mixture of others beats", () => {
    assert.deepStrictEqual(concave(points), [[1, 0.2], [3, 0.8]])
  })

  it("is a straight line between two points, and flat beyond the ends", () => {
    const hull = concave(points)
    assert.deepStrictEqual([0.5, 1, 2, 3, 9].map((cost) => qualityAt(hull, cost)), [0.2, 0.2, 0.5, 0.8, 0.8])
  })

  it("averages over cost: half the line and half the plateau", () => {
    assert.closeTo(averageQuality(points, 1, 5), (0.5 + 0.8) / 2, 1e-3)
  })

  const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  it.prop("never lies under a point it was made of", {
    own: Schema.NonEmptyArray(Schema.Tuple([Share, Share]))
  }, ({ own }) => {
    const hull = concave(own)
    // Points closer in quality than 1e-9 count as equals.
    for (const [cost, quality] of own) assert.isAtLeast(qualityAt(hull, cost), quality - 1e-8)
  })
})
