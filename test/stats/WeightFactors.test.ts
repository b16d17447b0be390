import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Weight from "../../src/stats/WeightFactors.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Days = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

it("halfway up the kernel weighs one half", () => {
  assert.closeTo(Weight.kernel(0.3, 0.2, 0.4), 0.5, 1e-12)
  assert.strictEqual(Weight.kernel(0.2, 0.2, 0.4), 0)
  assert.strictEqual(Weight.kernel(0.9, 0.2, 0.4), 1)
})

it("a kernel without a slope is a step", () => {
  assert.strictEqual(Weight.kernel(0.5, 0.5, 0.5), 1)
  assert.strictEqual(Weight.kernel(0.4, 0.5, 0.5), 0)
})

it("a lane that means 0.1 and peaks at 0.4 weighs from 0.19 to 0.4", () => {
  const { a, b } = Weight.kernelScale(0.1, 0.4)
  assert.closeTo(a, 0.19, 1e-12)
  assert.closeTo(b, 0.4, 1e-12)
})

it("a lane of one kind still gets a slope 0.05 wide", () => {
  const { a, b } = Weight.kernelScale(0.3, 0.3)
  assert.closeTo(a, 0.3, 1e-12)
  assert.closeTo(b, 0.35, 1e-12)
})

it("evidence loses half its weight in a half life and stops at the floor", () => {
  assert.strictEqual(Weight.decay(30, 30, 0.1), 0.5)
  assert.strictEqual(Weight.decay(60, 30, 0.1), 0.25)
  assert.strictEqual(Weight.decay(3_000, 30, 0.1), 0.1)
})

it("an outcome from the future counts as fresh", () => {
  assert.strictEqual(Weight.decay(-5, 30, 0.1), 1)
})

it.prop("a nearer neighbour never weighs less", { near: Unit, far: Unit, lo: Unit, hi: Unit }, (given) => {
  const { a, b } = Weight.kernelScale(given.lo, given.hi)
  const [far, near] = [Math.min(given.near, given.far), Math.max(given.near, given.far)]
  assert.isAtMost(Weight.kernel(far, a, b), Weight.kernel(near, a, b))
  assert.isAtLeast(Weight.kernel(far, a, b), 0)
  assert.isAtMost(Weight.kernel(near, a, b), 1)
})

it.prop("the kernel always has a slope", { lo: Unit, hi: Unit }, ({ lo, hi }) => {
  const { a, b } = Weight.kernelScale(lo, hi)
  assert.isAtLeast(b - a, 0.05 - 1e-12)
})

it("a lane that repeats one task weighs from 0.94 to 0.99", () => {
  const { a, b } = Weight.kernelScale(1, 1)
  assert.closeTo(a, 0.94, 1e-12)
  assert.closeTo(b, 0.99, 1e-12)
})

it.prop("an identical task weighs fully in every lane, whatever its vector was rounded to", {
  lo: Unit, hi: Unit, rounding: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.0099 }))
}, ({ hi, lo, rounding }) => {
  const { a, b } = Weight.kernelScale(lo, hi)
  assert.closeTo(Weight.kernel(1 - rounding, a, b), 1, 1e-9)
})

it.prop("a task that is less similar than the lane's tasks are on average weighs nothing", {
  lo: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.93 })), hi: Unit, less: Unit
}, ({ hi, less, lo }) => {
  const { a, b } = Weight.kernelScale(lo, Math.max(lo, hi))
  assert.isAtMost(Weight.kernel(lo - less, a, b), 1e-9)
})

it.prop("age never adds weight", { age: Days, more: Days }, ({ age, more }) => {
  assert.isAtMost(Weight.decay(age + more, 30, 0.1), Weight.decay(age, 30, 0.1))
})
