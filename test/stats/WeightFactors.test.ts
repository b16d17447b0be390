import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Weight from "../../src/stats/WeightFactors.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Days = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

it("halfway up the kernel weighs one half", () => {
  assert.closeTo(Weight.kernel(0.3, { a: 0.2, b: 0.4 }), 0.5, 1e-12)
  assert.strictEqual(Weight.kernel(0.2, { a: 0.2, b: 0.4 }), 0)
  assert.strictEqual(Weight.kernel(0.9, { a: 0.2, b: 0.4 }), 1)
})

it("a kernel without a slope is a step", () => {
  assert.strictEqual(Weight.kernel(0.5, { a: 0.5, b: 0.5 }), 1)
  assert.strictEqual(Weight.kernel(0.4, { a: 0.5, b: 0.5 }), 0)
})

it("evidence loses half its weight in a half life and stops at the floor", () => {
  assert.strictEqual(Weight.decay(30, 30, 0.1), 0.5)
  assert.strictEqual(Weight.decay(60, 30, 0.1), 0.25)
  assert.strictEqual(Weight.decay(3_000, 30, 0.1), 0.1)
})

it("an outcome from the future counts as fresh", () => {
  assert.strictEqual(Weight.decay(-5, 30, 0.1), 1)
})

it.prop("a nearer neighbour never weighs less", { near: Unit, far: Unit, a: Unit, b: Unit }, (given) => {
  const [far, near] = [Math.min(given.near, given.far), Math.max(given.near, given.far)]
  assert.isAtMost(Weight.kernel(far, given), Weight.kernel(near, given))
  assert.isAtLeast(Weight.kernel(far, given), 0)
  assert.isAtMost(Weight.kernel(near, given), 1)
})

it.prop("age never adds weight", { age: Days, more: Days }, ({ age, more }) => {
  assert.isAtMost(Weight.decay(age + more, 30, 0.1), Weight.decay(age, 30, 0.1))
})
