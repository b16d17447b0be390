import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { goalOf } from "../../../../src/engine/recommend/choice/Choose.ts"
import { loweredGoal } from "../../../../src/engine/recommend/choice/Paced.ts"
import { threshold } from "../../../../src/engine/recommend/choice/Threshold.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { request } from "../../../support/builders.ts"

const Slider = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Shift = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: defaults.pacing.shiftMax }))
const Quality = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const lowered = (slider: number, shift: number, minQuality: number | null = null) => {
  const asked = request({ costQualityTradeoff: slider, constraints: { minQuality } })
  const goal = goalOf(defaults, asked, "argmin")
  return { goal, after: loweredGoal(defaults, asked, goal, shift) }
}

describe("a goal that a budget lowers", () => {
  it("has the threshold of a slider that many units lower, below 0 as well", () => {
    assert.strictEqual(lowered(7, 3).after.threshold, threshold(defaults, 4, null))
    // 0.55 - 0.5 * 0.37.
    assert.closeTo(lowered(5, 10).after.threshold, 0.365, 1e-9)
  })

  it("is the same one without a multiplier", () => {
    const { after, goal } = lowered(7, 0)
    assert.strictEqual(after, goal)
  })

  it("reaches tau 0 from slider 10 at the highest multiplier of the settings", () => {
    assert.strictEqual(lowered(10, defaults.pacing.shiftMax).after.threshold, 0)
  })

  it.prop("is never below min_quality, and never above what was asked", {
    slider: Slider, shift: Shift, minQuality: Quality
  }, ({ minQuality, shift, slider }) => {
    const { after, goal } = lowered(slider, shift, minQuality)
    assert.isAtLeast(after.threshold, minQuality - 1e-6)
    assert.isAtMost(after.threshold, goal.threshold)
    assert.isTrue(after.slider >= 0 && after.slider <= slider)
  })

  it.prop("is no higher under a higher multiplier", { slider: Slider, one: Shift, other: Shift }, ({ one, other, slider }) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    assert.isAtMost(lowered(slider, high).after.threshold, lowered(slider, low).after.threshold)
  })
})
