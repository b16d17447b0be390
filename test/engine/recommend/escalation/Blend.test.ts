import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../../../src/domain/Units.ts"
import { blend } from "../../../../src/engine/recommend/escalation/Blend.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { priced } from "../../../support/builders.ts"

describe("the blend", () => {
  const said = (modelId: string, predictedSuccess: number) =>
    ({ modelId, predictedSuccess, rationale: "because" })

  it("weighs the reasoner by 0.8 of what confidence lacks, between 0.1 and 0.9", () => {
    const chance = (confidence: number) =>
      blend(defaults, [priced("a", 0.5, 1, { confidence })], [said("a", 1)])[0]?.predictedSuccess ?? 0
    assert.closeTo(chance(0.5), 0.5 + 0.4 * 0.5, 1e-12)
    assert.closeTo(chance(0.99), 0.5 + 0.1 * 0.5, 1e-12)
    assert.closeTo(chance(0), 0.5 + 0.8 * 0.5, 1e-12)
  })
  it("moves the basis to llm and the interval with the prediction", () => {
    const [moved] = blend(defaults, [priced("a", 0.5, 1)], [said("a", 0.9)])
    assert.strictEqual(moved?.decisionBasis, "llm")
    assert.isAbove(moved?.predictedSuccess ?? 0, moved?.successLow ?? 1)
    assert.isBelow(moved?.predictedSuccess ?? 1, moved?.successHigh ?? 0)
  })
  it("drops unknown ids and keeps a candidate without an opinion the same object", () => {
    const before = [priced("a", 0.5, 1), priced("b", 0.6, 2)] as const
    const after = blend(defaults, before, [said("unknown", 1), said("b", 1)])
    assert.strictEqual(after.length, 2)
    assert.strictEqual(after[0], before[0])
    assert.notStrictEqual(after[1], before[1])
  })
  it("changes nothing where the reasoner agrees", () => {
    const before = [priced("a", 0.5, 1)] as const
    assert.strictEqual(blend(defaults, before, [said("a", 0.5)])[0], before[0])
  })
  it.prop("never leaves [0, 1], and lies between the two opinions", {
    ours: Probability, theirs: Probability, confidence: Probability
  }, ({ confidence, ours, theirs }) => {
    const [blended] = blend(defaults, [priced("a", ours, 1, { confidence })], [said("a", theirs)])
    const chance = blended?.predictedSuccess ?? -1
    assert.isAtLeast(chance, Math.min(ours, theirs) - 1e-6)
    assert.isAtMost(chance, Math.max(ours, theirs) + 1e-6)
    assert.isTrue(Schema.is(Probability)(chance))
  })
})
