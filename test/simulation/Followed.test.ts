import { assert, describe, it } from "@effect/vitest"
import { followedCoverage, randomLedger } from "./followed.ts"

describe("the savings of followed advice, in 60 worlds whose every bill is known", () => {
  const worlds = Array.from({ length: 60 }, (_, index) => randomLedger(index + 1))
  const found = followedCoverage(worlds)

  it("have intervals that hold the truth in at least 93 % of the worlds", () => {
    assert.isAtLeast(found.intervals, 50)
    assert.isAtLeast(found.covered, 0.93)
  })

  it("rest on an estimate, without an interval, in every world whose baseline was never billed", () => {
    assert.isAtLeast(found.estimates, found.unbilled)
    assert.strictEqual(found.intervals, found.ledgers - found.estimates)
  })

  it("are much nearer to the truth than bills beside unscaled estimates", () => {
    assert.isBelow(found.error, 0.15)
    assert.isBelow(found.error, found.errorOfRealized / 2)
  })
})

describe("the savings of followed advice at list prices, beside discounted bills, in 200 worlds", () => {
  const found = followedCoverage(Array.from({ length: 200 }, (_, index) => randomLedger(index + 1, true)), true)

  it("have intervals that hold the truth in at least 94 % of the worlds", () => {
    assert.isAtLeast(found.intervals, 150)
    assert.isAtLeast(found.covered, 0.94)
  })

  it("rest on an estimate in every world whose baseline never ran, and have no interval there", () => {
    assert.isAtLeast(found.estimates, found.unbilled)
    assert.strictEqual(found.intervals, found.ledgers - found.estimates)
  })
})
