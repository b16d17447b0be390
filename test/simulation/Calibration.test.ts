import { assert, it } from "@effect/vitest"
import { calibration } from "../reports/reference/Calibration.ts"
import { argmin, logOf, makeWorld } from "./world.ts"

/** Mean error of the global slice over a few worlds. */
const errorAt = (rows: number, predictionNoise: number): number => {
  const seeds = [1, 2, 3, 4, 5, 6]
  const errors = seeds.map((seed) =>
    calibration(logOf(makeWorld({ seed, predictionNoise }), { rows, logging: argmin })).reports[0]?.ece
      ?? NaN)
  return errors.reduce((sum, error) => sum + error, 0) / seeds.length
}

it("the error of true predictions decreases with one over the square root of n", () => {
  const [few, more, many] = [errorAt(200, 0), errorAt(3200, 0), errorAt(20_000, 0)]
  // Four times and ten times fewer than at 200, within what six worlds leave to chance.
  assert.isBelow(more, few / 2.5)
  assert.isBelow(many, few / 6)
  assert.isBelow(many, 0.008)
})

it("the error of wrong predictions does not decrease", () => {
  assert.isAbove(errorAt(20_000, 1.5), 0.05)
})
