import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { learnedLevel, type PriorWithOutcomes } from "../../src/stats/LaneLevel.ts"

const rule = { spread: 0.5, pull: 1 }
const model = (weight: number, rate: number, logit = 1.2): PriorWithOutcomes =>
  ({ logit, spread: 0.35, weight, success: weight * rate })

it("a lane without outcomes has no level of its own", () => {
  for (const models of [[], [model(0, 0), model(0, 0)]]) {
    assert.strictEqual(learnedLevel(models, rule), 0)
  }
})

it("models that succeed as their priors say leave the level at 0", () => {
  const expected = 1 / (1 + Math.exp(-1.2))
  assert.closeTo(learnedLevel([model(50, expected), model(80, expected)], rule), 0, 1e-9)
})

it("one busy model has a bounded influence, many models set the level", () => {
  // A model at 0.1 sits 3.4 logits under 1.2; its say is at most 1/0.35^2 = 8.2 against the prior's 4.
  const alone = learnedLevel([model(1e6, 0.1)], rule)
  const together = learnedLevel(Array.from({ length: 12 }, () => model(1e6, 0.1)), rule)
  assert.isAbove(alone, together)
  assert.isBelow(together, -2.5)
})

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Model = Schema.Struct({
  logit: Schema.Finite.check(Schema.isBetween({ minimum: -6, maximum: 6 })),
  weight: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e5 })),
  rate: Unit
})
it.prop("the level is finite for any history, and mirrors when successes become failures", {
  models: Schema.Array(Model).check(Schema.isMaxLength(20))
}, ({ models }) => {
  const level = learnedLevel(models.map(({ logit, rate, weight }) => model(weight, rate, logit)), rule)
  const mirrored = learnedLevel(models.map(({ logit, rate, weight }) => model(weight, 1 - rate, -logit)), rule)
  assert.isTrue(Number.isFinite(level))
  assert.closeTo(level, -mirrored, 1e-6 * Math.max(1, Math.abs(level)))
})

it("two successes lift the level by half a logit at most, many lift it by more", () => {
  const wide = { spread: 1.5, pull: 1 }
  assert.isBelow(learnedLevel([model(2, 1)], wide), 0.5)
  assert.isBelow(learnedLevel([model(1, 1), model(1, 1, 0.4)], wide), 0.5)
  assert.isAbove(learnedLevel([model(1, 1), model(1, 1, 0.4)], { ...wide, pull: 0 }), 0.5)
  assert.isAbove(learnedLevel([model(40, 0.95, 0.5), model(40, 0.95, 0.4)], wide), 1)
})
