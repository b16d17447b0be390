import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isAffordable, loweredCriteria, reservedUsd } from "../../../src/engine/policies/BudgetCriteria.ts"
import { criteriaOf, threshold } from "../../../src/engine/policies/Criteria.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { type BudgetState, trackBudget } from "../../../src/stats/BudgetState.ts"
import { priced, request } from "../../support/builders.ts"
import { asked, attemptsBy, choiceOf, choiceWithin } from "../../support/choices.ts"

const Slider = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Shift = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: defaults.pacing.shiftMax }))
const Quality = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const lowered = (slider: number, shift: number, minQuality: number | null = null) => {
  const asking = request({ costQualityTradeoff: slider, constraints: { minQuality } })
  const before = criteriaOf(defaults, asking, "argmin")
  return { before, after: loweredCriteria(defaults, asking, before, shift) }
}

describe("criteria that a budget lowers", () => {
  it("have the threshold of a slider that many units lower, below 0 as well", () => {
    assert.strictEqual(lowered(7, 3).after.threshold, threshold(defaults, 4, null))
    // 0.55 - 0.5 * 0.37.
    assert.closeTo(lowered(5, 10).after.threshold, 0.365, 1e-9)
  })

  it("are the same ones without a multiplier", () => {
    const { after, before } = lowered(7, 0)
    assert.strictEqual(after, before)
  })

  it("reach tau 0 from slider 10 at the highest multiplier of the settings", () => {
    assert.strictEqual(lowered(10, defaults.pacing.shiftMax).after.threshold, 0)
  })

  it.prop("are never below min_quality, and never above what was asked", {
    slider: Slider, shift: Shift, minQuality: Quality
  }, ({ minQuality, shift, slider }) => {
    const { after, before } = lowered(slider, shift, minQuality)
    assert.isAtLeast(after.threshold, minQuality - 1e-6)
    assert.isAtMost(after.threshold, before.threshold)
    assert.isTrue(after.slider >= 0 && after.slider <= slider)
  })

  it.prop("are no higher under a higher multiplier", { slider: Slider, one: Shift, other: Shift }, ({ one, other, slider }) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    assert.isAtMost(lowered(slider, high).after.threshold, lowered(slider, low).after.threshold)
  })
})

describe("what a call reserves", () => {
  const cost = { costUsd: 1, breakdown: {}, lowUsd: null, highUsd: null, bandBasis: "" }

  it("is the upper quartile of its cost: 1.25 times the estimate where unknown, and never below", () => {
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, highUsd: 1.1 } }), 1.1)
    assert.strictEqual(reservedUsd(defaults, { cost }), 1.25)
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, highUsd: 0.5 } }), 1)
    assert.strictEqual(reservedUsd(defaults, { cost: { ...cost, costUsd: 0 } }), 0)
  })
})

describe("criteria whose pick must fit into what is left", () => {
  const asking = request({ costQualityTradeoff: 10 })
  const candidates = [priced("dear", 0.99, 1), priced("cheap", 0.5, 0.01)] as const
  const none = trackBudget(defaults.pacing).state({ usd: 0, period: "day" }, 0)
  const left = (leftUsd: number, over: Partial<BudgetState> = {}) => ({ ...none, ...over, leftUsd })
  const exploring = criteriaOf(defaults, asking, "epsilon_softmax")
  const chosenFor = (state: BudgetState, sent = asking) => choiceWithin(state, candidates, sent, "epsilon_softmax")

  it("are what was asked, with the lowest ones for the case that others take the rest", () => {
    const { choice, least, levels } = chosenFor(left(10))
    assert.deepStrictEqual(levels.asked, exploring)
    assert.deepStrictEqual(choice.criteria, exploring)
    assert.deepInclude(levels.lowest, { threshold: 0, selectionPolicy: "argmin" })
    assert.strictEqual(least.deterministic.cost.costUsd, 0.01)
    assert.isTrue(levels.lowest?.isLowered)
  })

  it("are the lowest where the pick's upper quartile, not its estimate, exceeds what is left", () => {
    assert.strictEqual(chosenFor(left(1.25)).choice.criteria.threshold, exploring.threshold)
    const { choice, least } = chosenFor(left(1.24))
    assert.deepInclude(choice.criteria, { threshold: 0, selectionPolicy: "argmin" })
    // Nothing lower is left to give way to.
    assert.strictEqual(choice, least)
    assert.strictEqual(chosenFor(left(2, { billsPerEstimate: 2 })).choice.criteria.threshold, 0)
  })

  it("are the lowest where all attempts of a plan are expected to cost more than what is left", () => {
    const two = [priced("dear", 0.6, 1), priced("also", 0.5, 1)] as const
    const { expectedUsd, ...planned } = choiceOf(defaults, two, asked({ plan: attemptsBy() }))
    assert.isAbove(expectedUsd ?? 0, 1.3)
    assert.isFalse(isAffordable(defaults, { ...planned, expectedUsd }, left(1.3)))
    assert.isTrue(isAffordable(defaults, { ...planned, expectedUsd: null }, left(1.3)))
    assert.isTrue(isAffordable(defaults, { ...planned, expectedUsd, isIdle: true }, left(0)))
  })

  it("draw no candidate that does not fit", () => {
    const { choice } = chosenFor(left(1), request({ successValueUsd: 0.03 }))
    assert.deepInclude(choice.criteria, { threshold: 0, valueUsd: 0.03, selectionPolicy: "argmin" })
  })
})
