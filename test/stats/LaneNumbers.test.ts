import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LaneNumbers from "../../src/stats/LaneNumbers.ts"

const start: LaneNumbers.LaneNumbers = { outcomes: 0, localShare: 0.5, spreadEvidence: [] }
const rule = { hedgeShare: 0.001 }
const trial = { cells: 0.4, local: 0.8, success: 1, weight: 1, spreadEvidence: [] }

it("an outcome counts, and moves the share toward the predictor that had said it", () => {
  const after = LaneNumbers.observe({ ...start, outcomes: 3 }, trial, rule)
  assert.strictEqual(after.outcomes, 4)
  // 0.999 * 2/3 + 0.001 * 1/2
  assert.closeTo(after.localShare, 0.6665, 1e-12)
})

it("outcomes on which both predictors agree leave the share at one half", () => {
  const blind = { ...trial, cells: 0.5, local: 0.5 }
  let numbers = start
  for (let index = 0; index < 400; index++) numbers = LaneNumbers.observe(numbers, blind, rule)
  assert.closeTo(numbers.localShare, 0.5, 1e-12)
})

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Trial = Schema.Struct({ cells: Unit, local: Unit, success: Unit, weight: Unit })
it.prop("the numbers stay finite and in range over any history", {
  trials: Schema.Array(Trial).check(Schema.isMaxLength(60))
}, ({ trials }) => {
  const end = trials.reduce((numbers, each) => LaneNumbers.observe(numbers, { ...each, spreadEvidence: [] }, rule), start)
  assert.strictEqual(end.outcomes, trials.length)
  assert.isTrue(end.localShare >= 0 && end.localShare <= 1)
})
