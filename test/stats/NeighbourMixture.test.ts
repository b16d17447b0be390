import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Mixture from "../../src/stats/NeighbourMixture.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Outcomes = Schema.Array(Unit).check(Schema.isMinLength(1), Schema.isMaxLength(50))
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

it("a prior of 0.6 worth 25 becomes 0.65 after 25 outcomes that average 0.7", () => {
  assert.closeTo(Mixture.backOff(25, 0.6, { weight: 25, success: 17.5 }), 0.65, 1e-12)
})

it("two neighbours that failed halve an estimate worth two", () => {
  assert.closeTo(Mixture.backOff(2, 0.8, { weight: 2, success: 0 }), 0.4, 1e-12)
  assert.strictEqual(Mixture.backOff(2, 0.8, { weight: 0, success: 0 }), 0.8)
})

it("a quarter of the weight moves a quarter of the way", () => {
  assert.closeTo(Mixture.mix(0.25, 0.4, 0.8), 0.5, 1e-12)
})

it("two neighbours that failed move a prediction of 0.8 by half of their share", () => {
  const rule = { cells: 0.8, localPull: 2, localShare: 0.5 }
  const { local, mixed } = Mixture.predictedSuccess(rule, { weight: 2, success: 0 })
  assert.deepStrictEqual([local, mixed].map((each) => Math.round(1e9 * each) / 1e9), [0.4, 0.6])
})

it("a predictor that gave a success 0.8 beats one that gave it 0.4 two to one", () => {
  assert.closeTo(Mixture.hedge(0.5, { cells: 0.4, local: 0.8, success: 1, weight: 1 }, 0), 2 / 3, 1e-12)
})

// 0.995 * 2/3 + 0.005 * 0.5
it("a fixed share of 0.005 pulls two thirds back to 0.66583", () => {
  const trial = { cells: 0.4, local: 0.8, success: 1, weight: 1 }
  assert.closeTo(Mixture.hedge(0.5, trial, 0.005), 0.6658333333, 1e-9)
})

it("a label without weight moves nothing, and one of half weight moves by the root", () => {
  const trial = { cells: 0.2, local: 0.8, success: 1, weight: 0 }
  assert.closeTo(Mixture.hedge(0.3, trial, 0), 0.3, 1e-12)
  assert.closeTo(Mixture.hedge(0.5, { ...trial, weight: 0.5 }, 0), 2 / 3, 1e-12)
})

it("a certain predictor that is wrong loses 99 to 1, not everything", () => {
  assert.closeTo(Mixture.hedge(0.5, { cells: 0, local: 1, success: 0, weight: 1 }, 0), 0.01, 1e-12)
})

it("a lane that favoured one predictor for 500 outcomes favours the other within 30", () => {
  const predicted = { cells: 0.3, local: 0.9, weight: 1 }
  let v = 0.5
  for (let index = 0; index < 500; index++) v = Mixture.hedge(v, { ...predicted, success: 1 }, 0.005)
  assert.isAbove(v, 0.99)
  for (let index = 0; index < 30; index++) v = Mixture.hedge(v, { ...predicted, success: 0 }, 0.005)
  assert.isBelow(v, 0.05)
})

it.prop("without a prior, unit weights give the plain mean", { outcomes: Outcomes }, ({ outcomes }) => {
  const tally = { weight: outcomes.length, success: sum(outcomes) }
  assert.closeTo(Mixture.backOff(1e-9, 0.5, tally), sum(outcomes) / outcomes.length, 1e-8)
})

it.prop("a mixture lies between its parts", { v: Unit, t: Unit, l: Unit }, ({ v, t, l }) => {
  const mixed = Mixture.mix(v, t, l)
  assert.isAtLeast(mixed, Math.min(t, l) - 1e-12)
  assert.isAtMost(mixed, Math.max(t, l) + 1e-12)
})

it.prop(
  "the weight stays off both ends, and predictors that agree leave it but for the share",
  { v: Unit, cells: Unit, local: Unit, success: Unit, weight: Unit },
  ({ v, cells, local, success, weight }) => {
    const after = Mixture.hedge(v, { cells, local, success, weight }, 0.005)
    assert.isAtLeast(after, 0.0025 - 1e-12)
    assert.isAtMost(after, 0.9975 + 1e-12)
    assert.closeTo(Mixture.hedge(v, { cells, local: cells, success, weight }, 0), v, 1e-12)
  }
)

it.prop("a success never lowers a cell's mean", { outcomes: Outcomes, mean: Unit }, ({ outcomes, mean }) => {
  const tally = { weight: outcomes.length, success: sum(outcomes) }
  const more = { weight: tally.weight + 1, success: tally.success + 1 }
  assert.isAtLeast(Mixture.backOff(25, mean, more), Mixture.backOff(25, mean, tally) - 1e-12)
})
