import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { levelOf, type LogRatios, meanOf, ofKind } from "../../src/stats/LearnedRatio.ts"

const noRatios: LogRatios = { count: 0, sum: 0 }

const rule = { pull: 2, levelPull: 0.5, countHalf: 3, ratioMost: 3 }
const of = (count: number, mean: number): LogRatios => ({ count, sum: count * mean })
const alike = (each: LogRatios) => ({ all: each, ofKind: each })

describe("ofKind", () => {
  it("is the worked example: a model's mean pulled toward the level of all", () => {
    // Weights 3/6 and 6/9: the level is (0.5 * 1 + 2/3 * 0.4) / (0.5 + 2/3 + 0.5).
    const level = (0.5 + 2 / 3 * 0.4) / (0.5 + 2 / 3 + 0.5)
    const models = [of(3, 1), of(6, 0.4)]
    assert.closeTo(levelOf(models, rule), level, 1e-12)
    const [first] = ofKind(models.map(alike), rule)
    const own = (3 + 2 * level) / 5
    assert.closeTo(first!, (3 + 2 * (level + own - level)) / 5, 1e-12)
  })
  it("is 0 without outcomes, and the level for a model without any beside others", () => {
    assert.deepStrictEqual(ofKind([alike(noRatios), alike(noRatios)], rule), [0, 0])
    const [, second] = ofKind([alike(of(9, 1)), alike(noRatios)], rule)
    assert.closeTo(second!, levelOf([of(9, 1), noRatios], rule), 1e-12)
  })
  it("carries what sets a model apart elsewhere to a kind that nobody has run", () => {
    const [terse, wordy] = ofKind(
      [{ all: of(50, -1), ofKind: noRatios }, { all: of(50, 1), ofKind: noRatios }], rule
    )
    assert.closeTo(terse!, -wordy!, 1e-12)
    assert.isAbove(wordy!, 0.9)
  })
})

const Ratio = Schema.Finite.check(Schema.isBetween({ minimum: -9, maximum: 9 }))
it.prop("a model's mean lies between its own outcomes' and what was expected", {
  own: Ratio, expected: Ratio, count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 }))
}, ({ count, expected, own }) => {
  const mean = meanOf(of(count, own), expected, rule)
  assert.isAtLeast(mean, Math.min(own, expected) - 1e-9)
  assert.isAtMost(mean, Math.max(own, expected) + 1e-9)
})
