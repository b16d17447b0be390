import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { affordableGoal, loweredGoal, reservedUsd } from "../../../../src/engine/recommend/choice/BudgetGoal.ts"
import { goalOf } from "../../../../src/engine/recommend/choice/Choose.ts"
import { threshold } from "../../../../src/engine/recommend/choice/Threshold.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { type BudgetState, trackBudget } from "../../../../src/stats/BudgetState.ts"
import { priced, request } from "../../../support/builders.ts"

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

describe("what a call reserves", () => {
  const cost = { costUsd: 1, breakdown: {}, lowUsd: null, highUsd: null, bandBasis: "" }

  it("is the upper quartile of its cost, 1.25 times the estimate where none is known, and never less than that", () => {
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, highUsd: 1.1 } }), 1.1)
    assert.strictEqual(reservedUsd(defaults, { cost }), 1.25)
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, highUsd: 0.5 } }), 1)
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, costUsd: 0 } }), 0)
  })

  it("is nothing where its tokens are paid already", () => {
    assert.strictEqual(reservedUsd(defaults, { cost, isPrepaid: true }), 0)
  })
})

describe("a goal that must fit into what is left", () => {
  const asked = request({ costQualityTradeoff: 10 })
  const candidates = [priced("dear", 0.99, 1), priced("cheap", 0.5, 0.01)] as const
  const none = trackBudget(defaults.pacing).state({ usd: 0, period: "day" }, 0)
  const left = (leftUsd: number, over: Partial<BudgetState> = {}) => ({ ...none, ...over, leftUsd })
  const exploring = goalOf(defaults, asked, "epsilon_softmax")
  const goalFor = (state: BudgetState, goal = exploring) =>
    affordableGoal(defaults, asked, goal, candidates, state)

  it("is what was asked, with the lowest one for the case that others take the rest", () => {
    const { goal, leastUsd, lowest } = goalFor(left(10))
    assert.strictEqual(goal, exploring)
    assert.deepInclude(lowest, { threshold: 0, selectionPolicy: "argmin" })
    assert.strictEqual(leastUsd, 0.01)
  })

  it("is the lowest one where the pick's upper quartile, not its estimate, is more than what is left", () => {
    assert.strictEqual(goalFor(left(1.25)).goal.threshold, exploring.threshold)
    const { goal, lowest } = goalFor(left(1.24))
    assert.deepInclude(goal, { threshold: 0, selectionPolicy: "argmin" })
    assert.isNull(lowest)
    assert.strictEqual(goalFor(left(2, { billsPerEstimate: 2 })).goal.threshold, 0)
  })

  it("draws no candidate that does not fit", () => {
    const low = goalOf(defaults, request({ costQualityTradeoff: 0 }), "epsilon_softmax")
    const { goal } = goalFor(left(1), { ...low, threshold: 0 })
    assert.deepInclude(goal, { threshold: 0, selectionPolicy: "argmin" })
  })
})
