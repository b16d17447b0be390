import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Propensity from "../../src/stats/Propensity.ts"

const Positive = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 100 }))
const Weights = Schema.Array(Positive).check(Schema.isMinLength(1), Schema.isMaxLength(50))

it("a model with 2 of 6 picks among 4 models has a smoothed share of 0.3", () => {
  assert.closeTo(Propensity.smoothedShare(2, 6, 4), 0.3, 1e-12)
  assert.strictEqual(Propensity.smoothedShare(0, 0, 4), 0.25)
})

it("a pick made a quarter of the time counts four times, within the clip", () => {
  assert.strictEqual(Propensity.inverseWeight(0.25, 0.2, 5), 4)
  assert.strictEqual(Propensity.inverseWeight(0.01, 0.2, 5), 5)
  assert.strictEqual(Propensity.inverseWeight(0, 0.2, 5), 5)
  assert.strictEqual(Propensity.inverseWeight(1, 2, 5), 2)
})

it("weights 1 and 3 become 0.5 and 1.5", () => {
  assert.deepStrictEqual(Propensity.normalizeToMeanOne([1, 3]), [0.5, 1.5])
})

it("weights of 0 stay 0", () => {
  assert.deepStrictEqual(Propensity.normalizeToMeanOne([]), [])
  assert.deepStrictEqual(Propensity.normalizeToMeanOne([0, 0]), [0, 0])
})

it("shares of all models sum to one", () => {
  const counts = [5, 0, 12, 1]
  const sum = counts.reduce((total, count) => total + Propensity.smoothedShare(count, 18, counts.length), 0)
  assert.closeTo(sum, 1, 1e-12)
})

it.prop("normalised weights average to one", { weights: Weights }, ({ weights }) => {
  const normalised = Propensity.normalizeToMeanOne(weights)
  assert.closeTo(normalised.reduce((sum, weight) => sum + weight, 0) / weights.length, 1, 1e-9)
})

it.prop("a rarer pick never counts less", { one: Positive, other: Positive }, ({ one, other }) => {
  const [rare, common] = [Math.min(one, other) / 100, Math.max(one, other) / 100]
  assert.isAtLeast(Propensity.inverseWeight(rare, 0.2, 5), Propensity.inverseWeight(common, 0.2, 5))
})

const Part = Schema.Struct({ weight: Positive, mean: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })), factor: Positive })
const Parts = Schema.Array(Part).check(Schema.isMinLength(1), Schema.isMaxLength(6))
const talliesOf = (parts: ReadonlyArray<typeof Part.Type>) =>
  parts.map(({ mean, weight }) => ({ weight, success: weight * mean }))

it("ten outcomes that count nine times weigh as ninety, worth no more than thirty-six", () => {
  const { success, weight } = Propensity.reweighted([{ weight: 90, success: 90 }, { weight: 10, success: 0 }], [1, 9])
  assert.closeTo(success / weight, 0.5, 1e-12)
  assert.closeTo(weight, 180 ** 2 / (90 + 810), 1e-9)
})

it.prop("equal factors leave the sums as they are", { parts: Parts, factor: Positive }, ({ factor, parts }) => {
  const tallies = talliesOf(parts)
  const { success, weight } = Propensity.reweighted(tallies, tallies.map(() => factor))
  assert.closeTo(weight, tallies.reduce((sum, each) => sum + each.weight, 0), 1e-6)
  assert.closeTo(success, tallies.reduce((sum, each) => sum + each.success, 0), 1e-6)
})

it.prop("other factors never add weight, and keep the mean between those of the parts", { parts: Parts }, ({ parts }) => {
  const { success, weight } = Propensity.reweighted(talliesOf(parts), parts.map(({ factor }) => factor))
  assert.isAtMost(weight, parts.reduce((sum, each) => sum + each.weight, 0) + 1e-6)
  const means = parts.map(({ mean }) => mean)
  assert.isTrue(success / weight >= Math.min(...means) - 1e-9 && success / weight <= Math.max(...means) + 1e-9)
})

it("nothing stays nothing", () => {
  assert.deepStrictEqual(Propensity.reweighted([], []), { weight: 0, success: 0 })
  assert.deepStrictEqual(Propensity.reweighted([{ weight: 0, success: 0 }], [5]), { weight: 0, success: 0 })
})
