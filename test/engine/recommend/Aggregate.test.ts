import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { probability } from "../../../src/domain/Rounding.ts"
import { Probability } from "../../../src/domain/Units.ts"
import { aggregateWith } from "../../../src/engine/recommend/Aggregate.ts"
import { cell } from "../../../src/engine/recommend/prediction/BackOff.ts"
import { weigh as weighRows } from "../../../src/engine/recommend/prediction/EvidenceWeight.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import type { Tallies } from "../../../src/memory/Memory.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import type { Neighbour } from "../../../src/memory/Neighbour.ts"
import { Neighbours } from "../../../src/memory/Neighbours.ts"
import { candidate, evidence, neighbour, neighbours, objectsOf, recalled } from "../../support/builders.ts"

const tally = (weight: number, success: number) => ({ weight, success })
const nothing: Tallies = { lane: tally(0, 0), taskType: tally(0, 0), cluster: tally(0, 0), tags: tally(0, 0) }
const full: Tallies = {
  lane: tally(28, 20), taskType: tally(25, 20), cluster: tally(15, 1), tags: tally(25, 5)
}
/** What some neighbours of one model weigh, which was sent half of all tasks. */
const weigh = (found: ReadonlyArray<Neighbour>): ReadonlyArray<number> =>
  [...weighRows(defaults, Neighbours.of(found), { from: 0, to: found.length }, 0.5)]
const half = candidate("a", { prior: 0.5, priorStrength: 12 })
/** The lane's level stays where it is, so that the cells can be worked out by hand. */
const settled = { ...defaults, levelRule: { ...defaults.levelRule, pull: 0, spread: 1e-9 } }

it("each cell starts from the one above it", () => {
  // G = (12*0.5 + 20)/40 = 0.65; B = (25*0.65 + 20)/50 = 0.725; T = (12*0.725 + 5)/37 = 0.37027.
  const plain = cell(defaults, half, full, evidence())
  const tagged = cell(defaults, half, full, evidence({ tags: ["lang:python"] }))
  assert.closeTo(plain.mean, 0.725, 1e-12)
  assert.closeTo(tagged.mean, 13.7 / 37, 1e-12)
  // A level lends at most its own pull: min(12, 12) + 28 = 40, then min(40, 25) + 25 = 50, then 12 + 25.
  assert.closeTo(plain.sampleSize, 50, 1e-12)
  assert.closeTo(tagged.sampleSize, 37, 1e-12)
  // What kinds are judged against leaves the tags out.
  assert.deepStrictEqual([plain.base, tagged.base], [plain.mean, plain.mean])
})

it("a difficulty has a cell of its own when the caller gave it", () => {
  // (25*0.725 + 1)/(25 + 15) = 0.478125
  const given = cell(defaults, half, full, evidence({ isDifficultyKnown: true }))
  assert.closeTo(given.mean, 0.478125, 1e-12)
  assert.closeTo(given.base, 0.478125, 1e-12)
})

it("a model that ran mostly hard tasks starts its easy cell from the mean of both difficulties", () => {
  // Of the hard tasks it had all but the smoothing, of the easy ones a tenth: 1/share is 1 and 5 by the clip.
  const byDifficulty = [
    { tally: tally(90, 45), own: tally(90, 45), modelShare: 1 }, { tally: tally(10, 10), own: tally(10, 10), modelShare: 0.1 }
  ]
  const sent: Tallies = { ...nothing, lane: tally(100, 55), taskType: tally(100, 55), cluster: tally(10, 10), byDifficulty }
  // G = (12*0.5 + 55)/112; (90 + 50)^2/(90 + 250) = 57.647 outcomes of mean (45 + 50)/140.
  const lane = 61 / 112
  const weight = 140 ** 2 / 340
  const taskType = (25 * lane + weight * 95 / 140) / (25 + weight)
  const given = cell(defaults, half, sent, evidence({ isDifficultyKnown: true }))
  assert.closeTo(given.mean, (25 * taskType + 10) / 35, 1e-12)
  // A guessed difficulty says too little to correct by.
  assert.closeTo(cell(defaults, half, sent, evidence()).mean, (25 * lane + 55) / 125, 1e-12)
})

it("an actor's own outcomes are a level below those of the others", () => {
  const own = { lane: tally(4, 4), taskType: tally(4, 4), cluster: tally(0, 0), tags: tally(0, 0) }
  const shared: Tallies = { ...nothing, lane: tally(8, 4), taskType: tally(8, 4), own }
  // Others: (12*0.5 + 0)/16 = 0.375, pulling by 12 - 8*4/6 = 6.667: (2.5 + 4)/10.667 = 0.609375.
  // Task type: (25*0.609375 + 0)/29 by 25 - 21*4/6 = 11: (11*0.52532 + 4)/15 = 0.651904.
  const others = 25 * 0.609375 / 29
  assert.closeTo(cell(defaults, half, shared, evidence()).mean, (11 * others + 4) / 15, 1e-12)
})

it("empty cells leave the prior and its strength as they were", () => {
  for (const hasTags of [false, true]) {
    const { mean, sampleSize } = cell(defaults, half, nothing, evidence({ tags: hasTags ? ["lang:python"] : [] }))
    assert.closeTo(mean, 0.5, 1e-12)
    assert.closeTo(sampleSize, 12, 1e-12)
  }
})

const one = (found: ReadonlyArray<Neighbour>, tallies: Tallies = nothing, hasTags = false) => {
  const [first] = aggregateWith(settled, [half], evidence({ recalled: recalled(found, [["a", tallies]]), tags: hasTags ? ["lang:python"] : [] }))
  return first ?? assert.fail("one candidate in, one out")
}

it("the prediction mixes the cell with the neighbours that start from it", () => {
  // T = 0.725. Two neighbours of weight 1, one success: L = (2*0.725 + 1)/(2 + 2) = 0.6125.
  const found = neighbours(2, "a", (i) => ({ quality: i }))
  const { neighbours: kept, predictedSuccess, sampleSize } = one(found, full)
  assert.closeTo(predictedSuccess, 0.5 * 0.725 + 0.5 * 0.6125, 1e-12)
  assert.closeTo(sampleSize, 0.5 * 50 + 0.5 * 4, 1e-12)
  assert.deepStrictEqual(objectsOf(kept).map(({ weight }) => weight), [1, 1])
})

it("a weight is kernel times reliability times decay times provenance", () => {
  // The lane starts at low 0.1 and high 0.4, so the kernel runs from 0.19 to 0.4; 0.295 is its middle.
  const [halfway, worn, old, stale, unlike] = weigh([
    neighbour("a", { similarity: 0.295 }),
    neighbour("a", { reliability: 0.5, provenanceWeight: 0.6, ageDays: 30 }),
    neighbour("a", { ageDays: 10_000 }),
    neighbour("a", { isStale: true }),
    neighbour("a", { similarity: -0.4 })
  ])
  assert.closeTo(halfway ?? 0, 0.5, 1e-9)
  assert.closeTo(worn ?? 0, 0.5 * 0.6 * 0.5, 1e-12)
  assert.closeTo(old ?? 0, 0.1, 1e-12)
  assert.closeTo(stale ?? 0, 0.5, 1e-12)
  assert.strictEqual(unlike, 0)
})

it("inverse propensities shift weight between a model's outcomes and add none", () => {
  // 1/0.25 = 4 and 1/1 = 1, rescaled to mean 1: 1.6 and 0.4. 1/0.01 is clipped to 5.
  const weights = (propensities: ReadonlyArray<number>) =>
    weigh(propensities.map((propensity) => neighbour("a", { propensity })))
  const [rare, sure] = weights([0.25, 1])
  assert.closeTo(rare ?? 0, 1.6, 1e-12)
  assert.closeTo(sure ?? 0, 0.4, 1e-12)
  const [clipped] = weights([0.01, 1])
  assert.closeTo(clipped ?? 0, 10 / 6, 1e-12)
})

it("neighbours are listed heaviest first", () => {
  const found = [0.2, 0.9, 0.25].map((similarity, i) => neighbour("a", { entryId: `e${i}`, similarity }))
  assert.deepStrictEqual(objectsOf(one(found).neighbours).map((each) => each.neighbour.entryId), ["e1", "e2", "e0"])
})

it("the basis is memory with weight near the task or of its type, else prior", () => {
  assert.strictEqual(one([]).decisionBasis, "prior")
  assert.strictEqual(one([neighbour("a", { similarity: 0 })]).decisionBasis, "prior")
  assert.strictEqual(one([neighbour("a")]).decisionBasis, "memory")
  assert.strictEqual(one([], { ...nothing, taskType: tally(1, 1) }).decisionBasis, "memory")
})

it("confidence is one half at ten outcomes, never zero, and grows with evidence", () => {
  const [ten] = aggregateWith(defaults, [candidate("a", { priorStrength: 18 })], evidence())
  // A prior of 18 alone: 0.5*18 + 0.5*2 = 10.
  assert.closeTo(ten?.confidence ?? 0, 0.5, 1e-12)
  assert.isAbove(one(neighbours(5, "a")).confidence, one([]).confidence)
})

it("a lane that trusts its neighbours follows them, one that does not stays with its cells", () => {
  const found = neighbours(2, "a", (i) => ({ quality: i }))
  const with_ = (localShare: number) =>
    aggregateWith(settled, [half], evidence({
      recalled: recalled(found, [["a", full]]), numbers: { ...defaults.laneStart, localShare }
    }))[0] ?? assert.fail("one candidate in, one out")
  assert.closeTo(with_(0).predictedSuccess, 0.725, 1e-12)
  assert.closeTo(with_(1).predictedSuccess, 0.6125, 1e-12)
  // The prediction of each predictor is kept, so that the outcome can judge between them.
  const { base, cells, local, mixed } = with_(0.5).forecast
  for (const [said, expected] of [[base, 0.725], [cells, 0.725], [local, 0.6125], [mixed, 0.66875]] as const) {
    assert.closeTo(said, expected, 1e-12)
  }
})

it("a model hardly known near the task is optimistic from its prior, not one that failed twice", () => {
  // v is one half.
  const others = neighbours(2, "b")
  const low: Tallies = { ...nothing, taskType: tally(28, 4) }
  const [own] = aggregateWith(
    defaults, [half, candidate("b")], evidence({ recalled: recalled(others, [["a", low]]) })
  )
  const cells = own?.forecast.cells ?? 1
  assert.closeTo(own?.optimisticSuccess ?? 0, cells + 0.5 * (0.5 - cells), 1e-6)
  const failed = neighbours(2, "a", () => ({ quality: 0 }))
  const [known] = aggregateWith(
    defaults, [half, candidate("b")], evidence({ recalled: recalled([...others, ...failed], [["a", low]]) })
  )
  assert.strictEqual(known?.optimisticSuccess, known?.predictedSuccess)
})

it("a model is hoped to be as good as its prior may err, until its own outcomes wash it out", () => {
  const hopeOf = (...tallies: ReadonlyArray<readonly [string, Tallies]>) => {
    const [own] = aggregateWith(settled, [half, candidate("b")], evidence({ recalled: recalled([], [...tallies]) }))
    return own ?? assert.fail("one candidate in, one out")
  }
  // sigma(logit 0.5 + 0.35) = 0.586618.
  const untried = hopeOf(["b", full])
  assert.closeTo(untried.predictedSuccess, 0.5, 1e-6)
  assert.closeTo(untried.highPriorSuccess, 0.586618, 1e-6)
  // A prior's share of the prediction: 12 of 40 outcomes in the lane, and that 25 of 50 of the type.
  const tried = hopeOf(["a", full])
  assert.closeTo(tried.highPriorSuccess - tried.predictedSuccess, 0.3 * 0.5 * 0.086618, 2e-6)
  // Where next to nothing was reported, nothing would be learned.
  for (const few of [hopeOf(), hopeOf(["b", { ...nothing, lane: tally(9, 9), taskType: tally(9, 9) }])]) {
    assert.strictEqual(few.highPriorSuccess, few.predictedSuccess)
  }
})

it("beside a pick that disappoints, an untried model of a lower prior becomes the likeliest", () => {
  const [first, second] = [candidate("first", { prior: 0.7 }), candidate("second", { prior: 0.65 })]
  const likeliest = (weight: number, success: number) => {
    const some = tally(weight, success)
    const predictions = aggregateWith(settled, [first, second], evidence({
      recalled: recalled([], [["first", { ...nothing, lane: some, taskType: some }]])
    }))
    return predictions.reduce((a, b) => b.highPriorSuccess > a.highPriorSuccess ? b : a).card.modelId
  }
  assert.strictEqual(likeliest(10, 8), "first")
  assert.strictEqual(likeliest(60, 42), "second")
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
  const [own] = aggregateWith(
    defaults,
    [candidate("a", { prior }), candidate("b")],
    evidence({ recalled: recalled(from(others, "b")), tags: ["lang:python"] })
  )
  assert.strictEqual(own?.predictedSuccess, probability(prior))
  assert.strictEqual(own?.decisionBasis, "prior")
})

it.prop("a prediction stays in [0, 1] inside its own interval", {
  prior: Prior, rows: Found, cluster: Cell, hasTags: Schema.Boolean
}, ({ cluster, hasTags, prior, rows }) => {
  const both = tally(cluster.weight, cluster.weight * cluster.rate)
  const [own] = aggregateWith(
    defaults,
    [candidate("a", { prior })],
    evidence({
      recalled: recalled(from(rows), [["a", { lane: both, taskType: both, cluster: both, tags: both }]]),
      tags: hasTags ? ["lang:python"] : []
    })
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
    aggregateWith(defaults, [half, candidate("b")], evidence({ recalled: recalled(found) }))[0]?.predictedSuccess ?? -1
  const alone = own(from(calm(rows)))
  assert.closeTo(own([...from(calm(others), "b"), ...from(calm(rows))]), alone, 1e-12)
})

it.prop("correcting for selection never adds evidence of equal outcomes", {
  propensities: Schema.Array(Share).check(Schema.isMinLength(1), Schema.isMaxLength(12))
}, ({ propensities }) => {
  const weights = weigh(propensities.map((propensity) => neighbour("a", { propensity })))
  assert.closeTo(weights.reduce((sum, weight) => sum + weight, 0), propensities.length, 1e-9)
})

it("neighbours and the lane's sums age alike: the engine's decay is memory's", () => {
  const { decayFloor, decayHalfLifeDays } = memorySettings
  assert.deepInclude(defaults, { decayFloor, decayHalfLifeDays })
})
