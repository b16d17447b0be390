import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { weightedQuantiles } from "../../src/stats/Quantile.ts"

const weightedQuantile = (values: ReadonlyArray<number>, weights: ReadonlyArray<number>, q: number) =>
  weightedQuantiles(values, weights, [q])[0] ?? null
const weightedMedian = (values: ReadonlyArray<number>, weights: ReadonlyArray<number>) =>
  weightedQuantile(values, weights, 0.5)

const Value = Schema.Finite.check(Schema.isBetween({ minimum: -1e6, maximum: 1e6 }))
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 100 }))
const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Points = Schema.Array(Schema.Struct({ value: Value, weight: Weight }))
  .check(Schema.isMinLength(1), Schema.isMaxLength(30))

const valuesOf = (points: typeof Points.Type) => points.map(({ value }) => value)
const weightsOf = (points: typeof Points.Type) => points.map(({ weight }) => weight)

it("unit weights give the usual median", () => {
  assert.strictEqual(weightedMedian([9, 1, 5], [1, 1, 1]), 5)
  assert.strictEqual(weightedMedian([4, 1, 2, 3], [1, 1, 1, 1]), 2.5)
})

// Midpoints of the shares: 0.5 for 10, 2.5 for 20. The median's target 2 is three quarters of the way.
it("the median of 10 and, three times as heavy, 20 is 17.5", () => {
  assert.closeTo(weightedMedian([10, 20], [1, 3]) ?? NaN, 17.5, 1e-12)
})

it("the 25th percentile of 1, 2, 3, 4 is 1.5", () => {
  assert.closeTo(weightedQuantile([1, 2, 3, 4], [1, 1, 1, 1], 0.25) ?? NaN, 1.5, 1e-12)
})

it("the ends are the smallest and the largest value", () => {
  assert.strictEqual(weightedQuantile([3, 1, 2], [1, 1, 1], 0), 1)
  assert.strictEqual(weightedQuantile([3, 1, 2], [1, 1, 1], 1), 3)
})

it("a value without weight is left out", () => {
  assert.strictEqual(weightedMedian([], []), null)
  assert.strictEqual(weightedMedian([1, 2], [0, 0]), null)
  assert.strictEqual(weightedMedian([1, 100], [1, 0]), 1)
})

it.prop("a quantile stays inside the observed range", { points: Points, q: Unit }, ({ points, q }) => {
  const quantile = weightedQuantile(valuesOf(points), weightsOf(points), q) ?? NaN
  assert.isAtLeast(quantile, Math.min(...valuesOf(points)))
  assert.isAtMost(quantile, Math.max(...valuesOf(points)))
})

it.prop("a higher quantile is never a lower value", { points: Points, one: Unit, other: Unit }, (given) => {
  const at = (q: number) => weightedQuantile(valuesOf(given.points), weightsOf(given.points), q) ?? NaN
  assert.isAtMost(at(Math.min(given.one, given.other)), at(Math.max(given.one, given.other)) + 1e-6)
})

it.prop("doubling every weight changes nothing", { points: Points, q: Unit }, ({ points, q }) => {
  const doubled = weightsOf(points).map((weight) => 2 * weight)
  assert.strictEqual(
    weightedQuantile(valuesOf(points), doubled, q),
    weightedQuantile(valuesOf(points), weightsOf(points), q)
  )
})
