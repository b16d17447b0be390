import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { aged, reliability } from "../../src/stats/Reliability.ts"

const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const prior = { mean: 0.8, weight: 5 }

it("two good votes and three bad ones turn a prior of 0.8 worth five into 0.6", () => {
  assert.closeTo(reliability({ up: 2, down: 3 }, prior), 0.6, 1e-12)
  assert.closeTo(reliability({ up: 0, down: 0 }, prior), 0.8, 1e-12)
})

it.prop("a good vote never hurts and a bad one never helps", { up: Count, down: Count }, ({ up, down }) => {
  const before = reliability({ up, down }, prior)
  assert.isAtLeast(reliability({ up: up + 1, down }, prior), before)
  assert.isAtMost(reliability({ up, down: down + 1 }, prior), before)
  assert.isTrue(before >= 0 && before <= 1)
})

it("a belief is half as far from one half after each half-life, from either side", () => {
  assert.closeTo(aged(0.9, 180, 180), 0.7, 1e-12)
  assert.closeTo(aged(0.9, 360, 180), 0.6, 1e-12)
  assert.closeTo(aged(0.1, 180, 180), 0.3, 1e-12)
  assert.strictEqual(aged(0.5, 1_000, 180), 0.5)
})
