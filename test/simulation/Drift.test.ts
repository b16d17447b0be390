import { assert, it } from "@effect/vitest"
import { calibration } from "../reports/reference/Calibration.ts"
import { drift } from "../../src/stats/Drift.ts"
import { generator } from "../../src/stats/Generator.ts"
import { logOf, makeWorld, argmin } from "./world.ts"

const seriesOf = (uniform: () => number) => (count: number, predicted: number, truth: number) =>
  Array.from({ length: count }, () => (uniform() < truth ? 1 : 0) - predicted)

it("of six models that keep their predictions one is flagged in under 5 % of worlds", () => {
  const series = seriesOf(generator(3))
  let flagged = 0
  for (let world = 0; world < 500; world++) {
    const predictions = [0.4, 0.55, 0.65, 0.75, 0.85, 0.95]
    if (predictions.some((p) => drift(series(300, p, p)) !== null)) flagged += 1
  }
  assert.isBelow(flagged / 500, 0.05)
})

it("a shift of 0.4 is flagged within 200 outcomes, and nearly always remains flagged", () => {
  const series = seriesOf(generator(4))
  for (const [predicted, truth, side] of [[0.8, 0.4, "below"], [0.5, 0.9, "above"]] as const) {
    let [found, standing] = [0, 0]
    for (let world = 0; world < 200; world++) {
      const shifted = [...series(100, predicted, predicted), ...series(200, predicted, truth)]
      if (shifted.some((_, last) => last >= 100 && drift(shifted.slice(0, last + 1)) === side)) found += 1
      if (drift(shifted) === side) standing += 1
    }
    assert.strictEqual(found, 200)
    assert.isAbove(standing / 200, 0.93)
  }
})

it("a check after each of 200 outcomes without drift flags at most one series in ten", () => {
  const series = seriesOf(generator(6))
  for (const predicted of [0.5, 0.6, 0.8]) {
    let flagged = 0
    for (let world = 0; world < 200; world++) {
      const quiet = series(200, predicted, predicted)
      if (quiet.some((_, last) => drift(quiet.slice(0, last + 1)) !== null)) flagged += 1
    }
    assert.isBelow(flagged / 200, 0.1)
  }
})

it("a shift inside the slack is rarely flagged as drift: the calibration error shows it", () => {
  const series = seriesOf(generator(5))
  let standing = 0
  for (let world = 0; world < 300; world++) {
    if (drift([...series(100, 0.8, 0.8), ...series(200, 0.8, 0.65)]) !== null) standing += 1
  }
  assert.isBelow(standing / 300, 0.15)
})

it("a log with true predictions has no flag in 19 of 20 worlds", () => {
  let flagged = 0
  for (let seed = 1; seed <= 60; seed++) {
    const world = makeWorld({ seed, predictionNoise: 0 })
    if (calibration(logOf(world, { rows: 1000, logging: argmin })).driftFlags.length > 0) flagged += 1
  }
  assert.isAtMost(flagged, 3)
})
