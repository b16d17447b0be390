import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../../src/domain/Units.ts"
import { cell, predict, weigh } from "../../../src/engine/recommend/Aggregate.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import type { Neighbour, Tallies } from "../../../src/memory/Memory.ts"
import { candidate, neighbour, neighbours, recalled } from "../../support/builders.ts"

const tally = (weight: number, success: number) => ({ weight, success })
const nothing: Tallies = { lane: tally(0, 0), cluster: tally(0, 0), tags: tally(0, 0) }
const full: Tallies = { lane: tally(28, 20), cluster: tally(25, 20), tags: tally(25, 5) }
const half = candidate("a", { prior: 0.5, priorStrength: 12 })

it("each cell starts from the one above it", () => {
  // G = (12*0.5 + 20)/40 = 0.65; B = (25*0.65 + 20)/50 = 0.725; T = (25*0.725 + 5)/50 = 0.4625.
  assert.closeTo(cell(defaults, half, full, false).mean, 0.725, 1e-12)
  assert.closeTo(cell(defaults, half, full, true).mean, 0.4625, 1e-12)
  // A level lends at most its own pull: min(12, 12) + 28 = 40, then min(40, 25) + 25 = 50, then again 50.
  assert.closeTo(cell(defaults, half, full, false).sampleSize, 50, 1e-12)
  assert.closeTo(cell(defaults, half, full, true).sampleSize, 50, 1e-12)
})

it("empty cells leave the prior and its strength as they were", () => {
  for (const hasTags of [false, true]) {
    const { mean, sampleSize } = cell(defaults, half, nothing, hasTags)
    assert.closeTo(mean, 0.5, 1e-12)
    assert.closeTo(sampleSize, 12, 1e-12)
  }
})

const one = (found: ReadonlyArray<Neighbour>, tallies: Tallies = nothing, hasTags = false) => {
  const [first] = predict(defaults, [half], recalled(found, [["a", tallies]]), hasTags)
  return first ?? assert.fail("one candidate in, one out")
}

it("the prediction mixes the cell with the neighbours that start from it", () => {
  // T = 0.725. Two neighbours of weight 1, one success: L = (2*0.725 + 1)/(2 + 2) = 0.6125.
  const found = neighbours(2, "a", (i) => ({ quality: i }))
  const { neighbours: kept, predictedSuccess, sampleSize } = one(found, full)
  assert.closeTo(predictedSuccess, 0.5 * 0.725 + 0.5 * 0.6125, 1e-12)
  assert.closeTo(sampleSize, 0.5 * 50 + 0.5 * 4, 1e-12)
  assert.deepStrictEqual(kept.map(({ weight }) => weight), [1, 1])
})

it("a weight is kernel times reliability times decay times provenance", () => {
  // The lane starts at low 0.1 and high 0.4, so the kernel runs from 0.19 to 0.4; 0.295 is its middle.
  const [halfway, worn, old, stale, unlike] = weigh(defaults, [
    neighbour("a", { similarity: 0.295 }),
    neighbour("a", { reliability: 0.5, provenanceWeight: 0.6, ageDays: 30 }),
    neighbour("a", { ageDays: 10_000 }),
    neighbour("a", { isStale: true }),
    neighbour("a", { similarity: -0.4 })
  ], 0.5).map(({ weight }) => weight)
  assert.closeTo(halfway ?? 0, 0.5, 1e-9)
  assert.closeTo(worn ?? 0, 0.5 * 0.6 * 0.5, 1e-12)
  assert.closeTo(old ?? 0, 0.1, 1e-12)
  assert.closeTo(stale ?? 0, 0.5, 1e-12)
  assert.strictEqual(unlike, 0)
})

it("inverse propensities shift weight between a model's outcomes and add none", () => {
  // 1/0.25 = 4 and 1/1 = 1, rescaled to mean 1: 1.6 and 0.4. 1/0.01 is clipped to 5.
  const weights = (propensities: ReadonlyArray<number>) =>
    weigh(defaults, propensities.map((propensity) => neighbour("a", { propensity })), 0.5)
      .map(({ weight }) => weight)
  const [rare, sure] = weights([0.25, 1])
  assert.closeTo(rare ?? 0, 1.6, 1e-12)
  assert.closeTo(sure ?? 0, 0.4, 1e-12)
  const [clipped] = weights([0.01, 1])
  assert.closeTo(clipped ?? 0, 10 / 6, 1e-12)
})

it("neighbours are listed heaviest first", () => {
  const found = [0.2, 0.9, 0.25].map((similarity, i) => neighbour("a", { entryId: `e${i}`, similarity }))
  assert.deepStrictEqual(one(found).neighbours.map((each) => each.neighbour.entryId), ["e1", "e2", "e0"])
})

it("the basis is memory with weight near the task or in its cluster, else prior", () => {
  assert.strictEqual(one([]).decisionBasis, "prior")
  assert.strictEqual(one([neighbour("a", { similarity: 0 })]).decisionBasis, "prior")
  assert.strictEqual(one([neighbour("a")]).decisionBasis, "memory")
  assert.strictEqual(one([], { ...nothing, cluster: tally(1, 1) }).decisionBasis, "memory")
})

it("confidence is one half at ten outcomes, never zero, and grows with evidence", () => {
  const [ten] = predict(defaults, [candidate("a", { priorStrength: 18 })], recalled(), false)
  // A prior of 18 alone: 0.5*18 + 0.5*2 = 10.
  assert.closeTo(ten?.confidence ?? 0, 0.5, 1e-12)
  assert.isAbove(one(neighbours(5, "a")).confidence, one([]).confidence)
})

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 1 }))
const Found = Schema.Array(Schema.Struct({
  similarity: Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })),
  quality: Probability,
  reliability: Probability,
  provenanceWeight: Probability,
  ageDays: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
  isStale: Schema.Boolean,
  propensity: Schema.NullOr(Share)
})).check(Schema.isMaxLength(12))
const Prior = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.99 }))
const Cell = Schema.Struct({
  weight: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 500 })),
  rate: Probability
})

const from = (rows: typeof Found.Type, modelId = "a"): ReadonlyArray<Neighbour> =>
  rows.map((row, i) => neighbour(modelId, { entryId: `${modelId}-${i}`, ...row }))

it.prop("a model without evidence keeps its prior, not one half", {
  prior: Prior, others: Found
}, ({ others, prior }) => {
  const [own] = predict(
    defaults, [candidate("a", { prior }), candidate("b")], recalled(from(others, "b")), true
  )
  assert.closeTo(own?.predictedSuccess ?? 0, prior, 1e-12)
  assert.strictEqual(own?.decisionBasis, "prior")
})

it.prop("a prediction stays in [0, 1] inside its own interval", {
  prior: Prior, rows: Found, cluster: Cell, hasTags: Schema.Boolean
}, ({ cluster, hasTags, prior, rows }) => {
  const both = tally(cluster.weight, cluster.weight * cluster.rate)
  const [own] = predict(
    defaults,
    [candidate("a", { prior })],
    recalled(from(rows), [["a", { lane: both, cluster: both, tags: both }]]),
    hasTags
  )
  if (own === undefined) return assert.fail("one candidate in, one out")
  assert.isAtLeast(own.predictedSuccess, 0)
  assert.isAtMost(own.predictedSuccess, 1)
  assert.isAtMost(own.successLow, own.successHigh)
  assert.isAtLeast(own.successLow, 0)
  assert.isAtMost(own.successHigh, 1)
  assert.isAbove(own.confidence, 0)
  assert.isBelow(own.confidence, 1)
})

it.prop("a better outcome never lowers the prediction", {
  rows: Found, better: Schema.Array(Probability).check(Schema.isMinLength(12), Schema.isMaxLength(12))
}, ({ better, rows }) => {
  const raised = rows.map((row, i) => ({ ...row, quality: Math.max(row.quality, better[i] ?? 0) }))
  assert.isAtLeast(one(from(raised)).predictedSuccess, one(from(rows)).predictedSuccess - 1e-12)
})

it.prop("other models' outcomes change nothing while no pick was random", {
  rows: Found, others: Found
}, ({ others, rows }) => {
  const calm = (found: typeof Found.Type) => found.map((row) => ({ ...row, propensity: null }))
  const own = (found: ReadonlyArray<Neighbour>) =>
    predict(defaults, [half, candidate("b")], recalled(found), false)[0]?.predictedSuccess ?? -1
  const alone = own(from(calm(rows)))
  assert.closeTo(own([...from(calm(others), "b"), ...from(calm(rows))]), alone, 1e-12)
})

it.prop("correcting for selection never adds evidence of equal outcomes", {
  propensities: Schema.Array(Share).check(Schema.isMinLength(1), Schema.isMaxLength(12))
}, ({ propensities }) => {
  const weights = weigh(defaults, propensities.map((propensity) => neighbour("a", { propensity })), 0.5)
  assert.closeTo(weights.reduce((sum, { weight }) => sum + weight, 0), propensities.length, 1e-9)
})
