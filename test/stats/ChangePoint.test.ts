import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ChangeRule, presentEvidence as presentEvidenceOf } from "../../src/stats/ChangePoint.ts"

const presentEvidence = (
  newestFirst: ReadonlyArray<{ readonly weight: number; readonly success: number }>,
  rule: ChangeRule
) =>
  presentEvidenceOf(
    newestFirst.map(({ weight }) => weight), newestFirst.map(({ success }) => success), newestFirst.length,
    rule
  )
const rule = { prior: 0.2, splits: [8, 16, 32], olderMin: 6 }
const outcomes = (...runs: ReadonlyArray<readonly [count: number, success: number]>) =>
  runs.flatMap(([count, success]) => Array.from({ length: count }, () => ({ weight: 1, success })))

it("a short history is summed as it is", () => {
  assert.deepStrictEqual(presentEvidence([], rule), { weight: 0, success: 0 })
  assert.deepStrictEqual(presentEvidence(outcomes([8, 0], [5, 1]), rule), { weight: 13, success: 5 })
})

it("one split is weighed by hand", () => {
  // Eight failures after six successes: B(1,9)*B(7,1)/B(7,9) = (1/9)*(1/7)*45045 = 715, times 0.25.
  const found = presentEvidence(outcomes([8, 0], [6, 1]), { ...rule, splits: [8] })
  assert.closeTo(found.weight, (14 + 178.75 * 8) / 179.75, 1e-6)
  assert.closeTo(found.success, 6 / 179.75, 1e-6)
})

it("a model that breaks is judged by the newest outcomes, one that recovers as well", () => {
  const broken = presentEvidence(outcomes([8, 0], [40, 1]), rule)
  assert.isBelow(broken.success / broken.weight, 0.01)
  const recovered = presentEvidence(outcomes([8, 1], [40, 0]), rule)
  assert.isAbove(recovered.success / recovered.weight, 0.99)
})

it("a steady model keeps most of its evidence", () => {
  const steady = Array.from({ length: 60 }, (_, i) => ({ weight: 1, success: i % 5 === 0 ? 0 : 1 }))
  const found = presentEvidence(steady, rule)
  assert.isAbove(found.weight, 50)
  assert.closeTo(found.success / found.weight, 0.8, 0.01)
})

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
it.prop("the evidence is finite, never more than there is, and its rate is a rate", {
  rows: Schema.Array(Schema.Tuple([Unit, Unit])).check(Schema.isMaxLength(64))
}, ({ rows }) => {
  const given = rows.map(([weight, quality]) => ({ weight, success: weight * quality }))
  const { success, weight } = presentEvidence(given, rule)
  assert.isAtMost(weight, given.reduce((sum, each) => sum + each.weight, 0) + 1e-9)
  assert.isAtLeast(success, 0)
  assert.isAtMost(success, weight + 1e-9)
})
