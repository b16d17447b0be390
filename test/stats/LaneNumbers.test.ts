import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LaneNumbers from "../../src/stats/LaneNumbers.ts"
import * as Weight from "../../src/stats/WeightFactors.ts"

const start: LaneNumbers.LaneNumbers = {
  outcomes: 0, similarityLow: 0.1, similarityHigh: 0.4, localShare: 0.5, spreadEvidence: []
}
const rule = { similarityStepMin: 0.02, hedgeShare: 0.001 }
const trial = {
  cells: 0.4, local: 0.8,
  success: 1, weight: 1, meanSimilarity: 0.2, highSimilarity: 0.9, spreadEvidence: []
}

it("an outcome moves every number by its own rule", () => {
  const after = LaneNumbers.observe({ ...start, outcomes: 3 }, trial, rule)
  assert.strictEqual(after.outcomes, 4)
  // Steps of 1/4: 0.1 + 0.1/4 and 0.4 + 0.5/4.
  assert.closeTo(after.similarityLow, 0.125, 1e-12)
  assert.closeTo(after.similarityHigh, 0.525, 1e-12)
  // 0.999 * 2/3 + 0.001 * 1/2
  assert.closeTo(after.localShare, 0.6665, 1e-12)
})

it("an old lane still follows its texts at the least step", () => {
  const after = LaneNumbers.observe({ ...start, outcomes: 10_000 }, trial, rule)
  assert.closeTo(after.similarityHigh, 0.4 + 0.02 * 0.5, 1e-12)
})

it("outcomes on which both predictors agree leave the share at one half", () => {
  const blind = { ...trial, cells: 0.5, local: 0.5 }
  let numbers = start
  for (let index = 0; index < 400; index++) numbers = LaneNumbers.observe(numbers, blind, rule)
  assert.closeTo(numbers.localShare, 0.5, 1e-12)
})

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Trial = Schema.Struct({
  cells: Unit, local: Unit,
  success: Unit, weight: Unit, meanSimilarity: Unit, highSimilarity: Unit
})
it.prop("the numbers stay finite and in range over any history", {
  trials: Schema.Array(Trial).check(Schema.isMaxLength(60))
}, ({ trials }) => {
  const end = trials.reduce((numbers, each) => LaneNumbers.observe(numbers, { ...each, spreadEvidence: [] }, rule), start)
  assert.strictEqual(end.outcomes, trials.length)
  assert.isTrue(end.localShare >= 0 && end.localShare <= 1)
  assert.isTrue(end.similarityLow >= 0 && end.similarityLow <= 1)
  assert.isTrue(end.similarityHigh >= 0 && end.similarityHigh <= 1)
  const { a, b } = LaneNumbers.kernelScale(end)
  assert.isAbove(b, a)
})

it.prop("a lane that only repeats one task keeps weighing it fully", {
  repeats: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })),
  similarity: Schema.Finite.check(Schema.isBetween({ minimum: 0.995, maximum: 1 }))
}, ({ repeats, similarity }) => {
  const repeated = { ...trial, meanSimilarity: similarity, highSimilarity: similarity }
  let numbers = start
  for (let count = 0; count < repeats; count++) numbers = LaneNumbers.observe(numbers, repeated, rule)
  const { a, b } = LaneNumbers.kernelScale(numbers)
  assert.closeTo(Weight.kernel(similarity, a, b), 1, 1e-9)
})
