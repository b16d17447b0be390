import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as DifficultySpread from "../../src/stats/DifficultySpread.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"
import * as TaskDifficulty from "../../src/stats/TaskDifficulty.ts"

const rule = { mean: 2, deviation: 1.5 }
const { combined, evidenceOf, noSpreadEvidence, spreadOf, spreads } = DifficultySpread

it("a lane without evidence has the spread that is believed", () => {
  assert.strictEqual(spreadOf(noSpreadEvidence, rule), 2)
})

it("evidence that is as likely under every spread leaves the belief", () => {
  const even = spreads.map(() => -3)
  assert.closeTo(spreadOf(even, rule), spreadOf(spreads.map(() => 0), rule), 1e-12)
})

const Likelihoods = Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
  .check(Schema.isBetweenLength(spreads.length, spreads.length))
it.prop("evidence adds up in any order, and what was added can be taken back", {
  one: Likelihoods, other: Likelihoods, passed: Schema.Boolean
}, ({ one, other, passed }) => {
  const [a, b] = [evidenceOf(one, passed, 1), evidenceOf(other, !passed, 0.6)]
  assert.deepStrictEqual(combined(a, b), combined(b, a))
  combined(combined(a, b), b, -1).forEach((each, i) => assert.closeTo(each, a[i]!, 1e-12))
  const spread = spreadOf(combined(a, b), rule)
  assert.isTrue(spread >= spreads[0]! && spread <= spreads.at(-1)!)
})

it("a failure before a failed attempt speaks for a wide spread, before a success for a narrow", () => {
  const failed: ReadonlyArray<TaskDifficulty.JudgedAttempt> =
    [{ model: 0, passed: false, passWrong: 0, failRight: 0 }]
  const predictions = spreads.map((spread) => {
    const curves = [0.7, 0.8].map((success) => TaskDifficulty.curveOf(success, spread))
    return TaskDifficulty.meanUnder(TaskDifficulty.after(failed, curves, 1 / 3), curves[1]!)
  })
  const before = spreadOf(spreads.map(() => 0), rule)
  assert.isAbove(spreadOf(evidenceOf(predictions, false, 1), rule), before)
  assert.isBelow(spreadOf(evidenceOf(predictions, true, 1), rule), before)
})

for (const real of [0.5, 3.5]) {
  it(`a lane whose tasks differ by ${real} learns so from 400 second attempts`, () => {
    const random = generator(7)
    const [cheap, dear] = [0.6, 0.8].map((success) => {
      const curve = TaskDifficulty.curveOf(success, real)
      return logit(curve[(curve.length - 1) / 2]!)
    })
    const runs = (eta: number, d: number) => random() < sigmoid(eta + real * d)
    const given = spreads.map((spread) => {
      const curves = [0.6, 0.8].map((success) => TaskDifficulty.curveOf(success, spread))
      const attempts = [{ model: 0, passed: false, passWrong: 0, failRight: 0 }]
      return TaskDifficulty.meanUnder(TaskDifficulty.after(attempts, curves, 1 / 3), curves[1]!)
    })
    let evidence = noSpreadEvidence
    for (let seconds = 0; seconds < 400;) {
      const d = normal(random)
      if (runs(cheap!, d)) continue
      seconds++
      evidence = combined(evidence, evidenceOf(given, runs(dear!, d), 1))
    }
    assert.closeTo(spreadOf(evidence, rule), real, 0.6)
  })
}
