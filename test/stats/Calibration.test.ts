import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { expectedCalibrationError, reliabilityBins, shrunkError } from "../../src/stats/Calibration.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Pairs = Schema.Array(Schema.Struct({ predicted: Unit, realized: Unit })).check(Schema.isMaxLength(60))

it("predictions fall into the bin that starts at or below them, and 1 into the last", () => {
  const bins = reliabilityBins([0, 0.1, 0.95, 1], [0, 1, 1, 0])
  assert.deepStrictEqual(bins.map(({ n }) => n), [1, 1, 0, 0, 0, 0, 0, 0, 0, 2])
  assert.deepStrictEqual(bins[1], { lo: 0.1, hi: 0.2, n: 1, avgPredicted: 0.1, avgRealized: 1 })
  assert.deepStrictEqual(bins[2], { lo: 0.2, hi: 0.3, n: 0, avgPredicted: null, avgRealized: null })
})

// Bin 0.2: predicted 0.25, realized 0.5, off 0.25, n 2. Bin 0.8: predicted 0.85, realized 1, off 0.15, n 2.
it("the error of two bins off by 0.25 and 0.15 is 0.2", () => {
  const error = expectedCalibrationError(reliabilityBins([0.25, 0.25, 0.85, 0.85], [0, 1, 1, 1]))
  assert.closeTo(error ?? NaN, 0.2, 1e-12)
})

it("without outcomes the error is unknown, not zero", () => {
  assert.strictEqual(expectedCalibrationError(reliabilityBins([], [])), null)
  assert.strictEqual(shrunkError(null, 0, 0.1), null)
  assert.strictEqual(shrunkError(0.3, 5, null), null)
})

it("a slice of 20 stands halfway between itself and the whole", () => {
  assert.closeTo(shrunkError(0.3, 20, 0.1) ?? NaN, 0.2, 1e-12)
})

it.prop("every prediction is counted once, and averages stay in their bin", { pairs: Pairs }, ({ pairs }) => {
  const bins = reliabilityBins(pairs.map(({ predicted }) => predicted), pairs.map(({ realized }) => realized))
  assert.strictEqual(bins.reduce((sum, { n }) => sum + n, 0), pairs.length)
  for (const { lo, hi, avgPredicted } of bins) {
    if (avgPredicted === null) continue
    assert.isAtLeast(avgPredicted, lo - 1e-12)
    assert.isAtMost(avgPredicted, hi + 1e-12)
  }
})

it.prop("the error is in [0, 1], and 0 when outcomes equal predictions", { pairs: Pairs }, ({ pairs }) => {
  const predicted = pairs.map(({ predicted }) => predicted)
  const realized = pairs.map(({ realized }) => realized)
  const error = expectedCalibrationError(reliabilityBins(predicted, realized)) ?? 0
  assert.isTrue(error >= 0 && error <= 1)
  assert.closeTo(expectedCalibrationError(reliabilityBins(predicted, predicted)) ?? 0, 0, 1e-12)
})
