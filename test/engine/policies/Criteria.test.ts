import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability, Slider } from "../../../src/domain/Units.ts"
import { threshold } from "../../../src/engine/policies/Criteria.ts"
import { defaults } from "../../../src/engine/Settings.ts"

it("the slider runs from 0.55 through 0.735 to 0.92", () => {
  assert.closeTo(threshold(defaults, 0, null), 0.55, 1e-12)
  assert.closeTo(threshold(defaults, 5, null), 0.735, 1e-12)
  assert.closeTo(threshold(defaults, 10, null), 0.92, 1e-12)
})

it("a quality floor above tau replaces it, one below says nothing", () => {
  assert.strictEqual(threshold(defaults, 5, 0.8), 0.8)
  assert.closeTo(threshold(defaults, 5, 0.2), 0.735, 1e-12)
  assert.closeTo(threshold(defaults, 5, 0), 0.735, 1e-12)
  assert.strictEqual(threshold(defaults, 10, 1), 1)
})

it.prop(
  "raising the slider or the floor never lowers tau, which stays a probability",
  { low: Slider, high: Slider, floor: Schema.NullOr(Probability), other: Probability },
  ({ floor, high, low, other }) => {
    const [from, to] = [Math.min(low, high), Math.max(low, high)]
    assert.isAtLeast(threshold(defaults, to, floor), threshold(defaults, from, floor))
    assert.isAtLeast(threshold(defaults, to, Math.max(floor ?? 0, other)), threshold(defaults, to, floor))
    assert.isAtMost(threshold(defaults, to, floor), 1)
    assert.isAtLeast(threshold(defaults, from, floor), defaults.thresholdMin)
  }
)
