import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { dayMs } from "../../../src/domain/Time.ts"
import { type LaneEntry, reliabilityOf } from "../../../src/memory/index/Entry.ts"
import { LaneIndex } from "../../../src/memory/index/LaneIndex.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import { decayOf, memorySettings } from "../../../src/memory/MemorySettings.ts"
import { generator } from "../../../src/stats/Generator.ts"

const dimensions = 20
const nowMs = 1_800_000_000_000

const entryOf = (over: Partial<LaneEntry>): LaneEntry => ({
  observationId: "o", modelId: "alpha", cluster: "code:easy", tags: [], userId: null, quality: 1, provenanceWeight: 1,
  propensity: null, inputTokens: null, outputTokens: null, costUsd: null, latencyMs: null, timeToFirstTokenMs: null, isCostOutlier: false, isWeak: false, occurredAtMs: nowMs,
  votesUp: 0, votesDown: 0, ...over
})

const unit = (random: () => number): Float32Array => {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const norm = Math.hypot(...vector)
  return vector.map((coordinate) => coordinate / norm)
}

const vector = quantise(unit(generator(2)))

/** A lane that learned of these outcomes, in this order, all of one text. */
const laneOf = (entries: ReadonlyArray<LaneEntry>, settings = memorySettings): LaneIndex => {
  const index = new LaneIndex(dimensions, settings, nowMs)
  for (const entry of entries) index.upsert(entry, vector)
  return index
}

const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, coordinate, index) => sum + coordinate * right[index]!, 0)

const queryOf = (vector: Float32Array) => ({
  vector, modelIds: ["m0", "m1"], perModel: 4, cluster: "code:easy" as const, tags: ["t0", "t1"], userId: null, nowMs
})

const Lane = {
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })),
  // Past 512 rows a lane has a memory of its own.
  size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 700 }))
}

it.prop("search, similarities and tallies equal a brute-force scan, also after replacing rows", Lane, ({ seed, size }) => {
  const random = generator(seed)
  const index = new LaneIndex(dimensions, memorySettings, nowMs)
  const kept = new Map<string, { entry: LaneEntry; vector: Float32Array }>()
  for (let step = 0; step < size * 1.2; step++) {
    const observationId = `o${Math.floor(random() * size)}`
    const entry = entryOf({
      observationId,
      modelId: `m${Math.floor(random() * 3)}`,
      cluster: (["code:easy", "code:hard", "qa:hard"] as const)[Math.floor(random() * 3)]!,
      tags: ["t0", "t1", "t2"].filter(() => random() < 0.3),
      quality: random(),
      provenanceWeight: random(),
      occurredAtMs: nowMs - random() * 200 * dayMs
    })
    const vector = unit(random)
    kept.set(observationId, { entry, vector })
    index.upsert(entry, quantise(vector))
  }
  const query = queryOf(unit(random))
  const recalled = index.recall(query)
  const rows = [...kept.values()].map((row) => ({ ...row, similarity: dot(row.vector, query.vector) }))
    .sort((left, right) => right.similarity - left.similarity)

  assert.strictEqual(recalled.laneSize, rows.length)
  for (const modelId of query.modelIds) {
    const expected = rows.filter(({ entry }) => entry.modelId === modelId)
    const found = [...recalled.neighbours].filter((neighbour) => neighbour.modelId === modelId)
    assert.strictEqual(found.length, Math.min(4, expected.length))
    found.forEach(({ similarity }, rank) => assert.closeTo(similarity, expected[rank]!.similarity, 0.01))
    const sum = (of: typeof rows): number =>
      of.reduce((total, { entry }) =>
        total + entry.provenanceWeight * decayOf((nowMs - entry.occurredAtMs) / dayMs, memorySettings), 0)
    const ofType = expected.filter(({ entry }) => entry.cluster.startsWith("code:"))
    const inCluster = expected.filter(({ entry }) => entry.cluster === query.cluster)
    const tallies = recalled.tallies.get(modelId)
    assert.closeTo(tallies?.lane.weight ?? 0, sum(expected), 1e-6)
    assert.closeTo(tallies?.taskType.weight ?? 0, sum(ofType), 1e-6)
    assert.closeTo(tallies?.cluster.weight ?? 0, sum(inCluster), 1e-6)
    assert.closeTo(
      tallies?.tags.weight ?? 0,
      sum(ofType.filter(({ entry }) => entry.tags.some((tag) => query.tags.includes(tag)))),
      1e-6
    )
  }
}, { arbitrary: { runs: 40 } })

it("a lane over its cap drops the outcomes of least decayed weight", () => {
  const entries = ([["young", 1], ["old", 60], ["middle", 20]] as const).map(([observationId, ageDays]) =>
    entryOf({ observationId, occurredAtMs: nowMs - ageDays * dayMs }))
  const index = laneOf(entries, { ...memorySettings, laneObservationsMax: 2 })
  assert.strictEqual(index.size, 2)
  assert.sameMembers([...index.recall(alphaQuery).neighbours].map(({ entryId }) => entryId), ["young", "middle"])
})

it("models whose outcomes were dropped leave nothing behind in a lane at its cap", () => {
  const settings = { ...memorySettings, laneObservationsMax: 4 }
  const index = laneOf([], settings)
  const add = (i: number) =>
    index.upsert(entryOf({ observationId: `o${i}`, modelId: `m${i}`, occurredAtMs: nowMs - (1_000 - i) * dayMs / 100 }), vector)
  for (let i = 0; i < 5; i++) add(i)
  const bytes = index.bytes
  for (let i = 5; i < 500; i++) add(i)
  assert.strictEqual(index.bytes, bytes)
  const { neighbours } = index.recall({ ...queryOf(unit(generator(1))), modelIds: ["m0", "m495", "m499"] })
  assert.deepStrictEqual([...neighbours].map(({ modelId }) => modelId), ["m499"])
})

it("an outcome halves in thirty days and never weighs less than a tenth", () => {
  assert.closeTo(decayOf(30, memorySettings), 0.5, 1e-12)
  assert.strictEqual(decayOf(3_000, memorySettings), 0.1)
})

it("tallies age with the clock", () => {
  const index = laneOf([entryOf({ modelId: "m0" })])
  const query = queryOf(unit(generator(2)))
  const later = index.recall({ ...query, nowMs: nowMs + 30 * dayMs })
  assert.closeTo(later.tallies.get("m0")?.lane.weight ?? 0, 0.5, 1e-9)
  assert.isFalse([...later.neighbours][0]?.isStale)
  assert.isTrue([...index.recall({ ...query, nowMs: nowMs + 91 * dayMs }).neighbours][0]?.isStale)
})

it("an outcome without a vector is tallied and is no neighbour", () => {
  const index = new LaneIndex(dimensions, memorySettings, nowMs)
  index.upsert(entryOf({ modelId: "m0" }), null)
  const recalled = index.recall(queryOf(unit(generator(1))))
  assert.deepStrictEqual([recalled.neighbours.length, recalled.laneSize], [0, 1])
  assert.strictEqual(recalled.tallies.get("m0")?.lane.weight, 1)
})

/** Forty successes and then ten failures of one model, one an hour, the last one now. */
const broken = Array.from({ length: 50 }, (_, i) =>
  entryOf({ observationId: `o${i}`, quality: i < 40 ? 1 : 0, occurredAtMs: nowMs - (49 - i) * 3_600_000 }))

/** Successes of ann and bob in turn, and then failures of bob alone. */
const seenByBob = broken.map((entry, i) => ({ ...entry, userId: i < 40 && i % 2 === 0 ? "ann" : "bob" }))

const alphaQuery = { ...queryOf(unit(generator(1))), modelIds: ["alpha"], perModel: 100, tags: [] }

it("a sustained change makes older outcomes stale, which weigh a fifth, in the tallies too", () => {
  const { neighbours, tallies } = laneOf(broken).recall(alphaQuery)
  assert.deepStrictEqual(
    [...neighbours].map(({ currentShare, isStale, quality }) => ({ currentShare, isStale, quality }))
      .sort((one, other) => one.quality - other.quality),
    [
      ...Array.from({ length: 10 }, () => ({ currentShare: 1, isStale: false, quality: 0 })),
      ...Array.from({ length: 40 }, () => ({ currentShare: 0.2, isStale: true, quality: 1 }))
    ]
  )
  const { success, weight } = tallies.get("alpha")!.cluster
  assert.closeTo(success, 0.2 * 40, 0.5)
  assert.closeTo(weight, 0.2 * 40 + 10, 0.5)
})

it("a restart leaves a fifth of every actor's earlier outcomes and of what a change left", () => {
  // A change after the 40th, which one of two actors alone sees.
  const index = laneOf(seenByBob)
  const sharesOf = (restarts: ReadonlyMap<string, number>) =>
    [...index.recall({ ...alphaQuery, restarts }).neighbours]
      .sort((one, other) => other.ageDays - one.ageDays).map(({ currentShare }) => currentShare)
  const times = <A>(count: number, of: A): ReadonlyArray<A> => Array.from({ length: count }, () => of)
  assert.sameMembers(sharesOf(new Map()).slice(0, 40), [...times(20, 1), ...times(20, 0.2)])
  // Three hours ago: of the ten failures three are the new model's.
  assert.deepStrictEqual(sharesOf(new Map([["alpha", nowMs - 2.5 * 3_600_000]])), [...times(47, 0.2), ...times(3, 1)])
})

it("what a model did before a restart is no measure of what it does after", () => {
  const weightAfter = (restarts: ReadonlyMap<string, number>) =>
    laneOf(broken.slice(0, 44)).recall({ ...alphaQuery, restarts }).tallies.get("alpha")!.cluster.weight
  // Four failures after forty successes are a change; four of a new model are none that leaves less of the first.
  const restarts = new Map([["alpha", broken[40]!.occurredAtMs]])
  assert.closeTo(weightAfter(restarts), 0.2 * 40 + 4, 0.5)
  const later = new Map([["alpha", broken[41]!.occurredAtMs]])
  assert.closeTo(weightAfter(later), 0.2 * 41 + 3, 0.5)
})

it("a restart is told once, and an older one later changes nothing", () => {
  const index = laneOf([entryOf({ occurredAtMs: nowMs - 2 * dayMs })])
  const weightAfter = (restarts: ReadonlyMap<string, number>) =>
    index.recall({ ...alphaQuery, restarts }).tallies.get("alpha")?.cluster.weight ?? NaN
  const whole = weightAfter(new Map())
  assert.closeTo(weightAfter(new Map([["alpha", nowMs - 3 * dayMs]])), whole, 1e-9)
  assert.closeTo(weightAfter(new Map([["alpha", nowMs - dayMs]])), whole / 5, 1e-9)
  assert.closeTo(weightAfter(new Map([["alpha", nowMs - 3 * dayMs]])), whole / 5, 1e-9)
  assert.closeTo(weightAfter(new Map()), whole / 5, 1e-9)
  for (let i = 0; i < 2_000; i++) weightAfter(new Map([[`unknown${i}`, nowMs]]))
  index.upsert(entryOf({ observationId: "new" }), vector)
  assert.isAbove(weightAfter(new Map([["alpha", nowMs - dayMs]])), 1)
})

it("what an outcome without a label measured is dropped with a restart", () => {
  const index = laneOf([])
  const telemetry = (observationId: string, ageDays: number) =>
    index.measure(entryOf({ observationId, costUsd: 0.5, provenanceWeight: 0, occurredAtMs: nowMs - ageDays * dayMs }), vector)
  telemetry("old", 2)
  telemetry("new", 0)
  const costs = ({ measurements }: ReturnType<typeof index.recall>) => [...measurements].map(({ costUsd }) => costUsd)
  assert.deepStrictEqual(costs(index.recall(alphaQuery)), [0.5, 0.5])
  const found = costs(index.recall({ ...alphaQuery, restarts: new Map([["alpha", nowMs - dayMs]]) }))
  assert.sameMembers(found, [null, 0.5])
})

it("one actor's run makes its older outcomes stale, and all others' once another sees it too", () => {
  const index = laneOf(seenByBob)
  const staleOf = (userId: string) =>
    [...index.recall({ ...alphaQuery, userId }).neighbours].filter(({ isStale }) => isStale).length
  assert.deepStrictEqual([staleOf("ann"), staleOf("bob")], [0, 20])
  const { own } = index.recall({ ...alphaQuery, userId: "ann" }).tallies.get("alpha")!
  assert.closeTo(own?.cluster.weight ?? 0, 20, 1)
  const late = entryOf({ observationId: "late", userId: "ann", occurredAtMs: nowMs })
  index.upsert({ ...late, quality: 1 }, vector)
  assert.strictEqual(staleOf("ann"), 0)
  index.upsert({ ...late, observationId: "later", quality: 0 }, vector)
  assert.deepStrictEqual([staleOf("ann"), staleOf("bob")], [20, 20])
})

it("a run of several actors makes every actor's older outcomes stale", () => {
  const index = laneOf(broken.map((entry, i) => ({ ...entry, userId: `user${i % 20}` })))
  const stale = [...index.recall(alphaQuery).neighbours].filter(({ isStale }) => isStale)
  assert.lengthOf(stale, 40)
})

it("actors who come and go leave no sums behind", () => {
  const index = laneOf([])
  const add = (userId: string | null, i: number) =>
    index.upsert(entryOf({ observationId: `o${i}`, modelId: `m${i % 3}`, tags: ["t0"], userId }), vector)
  for (let i = 0; i < 30; i++) add(null, i)
  const { bytes } = index
  for (let i = 0; i < 30; i++) add(`user${i}`, i)
  assert.isAbove(index.bytes, bytes)
  for (let i = 0; i < 30; i++) add(null, i)
  assert.strictEqual(index.bytes, bytes)
})

it("another cluster's outcomes of the model stay as they were", () => {
  const index = laneOf(broken.flatMap((entry) =>
    [entry, { ...entry, observationId: `${entry.observationId}-qa`, cluster: "qa:easy", quality: 1 }]))
  const ofAnother = [...index.recall(alphaQuery).neighbours].filter(({ cluster }) => cluster === "qa:easy")
  assert.strictEqual(ofAnother.length, 50)
  assert.isTrue(ofAnother.every(({ currentShare }) => currentShare === 1))
})

it.prop("a change is detected in any order in which a process learns of the outcomes", {
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))
}, ({ seed }) => {
  const random = generator(seed)
  const tallyAfter = (entries: ReadonlyArray<LaneEntry>) => laneOf(entries).recall(alphaQuery).tallies.get("alpha")!.cluster
  const shuffled = broken.map((entry) => ({ entry, at: random() })).sort((one, other) => one.at - other.at)
  const [inOrder, anyhow] = [tallyAfter(broken), tallyAfter(shuffled.map(({ entry }) => entry))]
  assert.closeTo(anyhow.weight, inOrder.weight, 1e-9)
  assert.closeTo(anyhow.success, inOrder.success, 1e-9)
})

it("a neighbour carries what its outcome measured and null for the rest, also when moved", () => {
  const settings = { ...memorySettings, laneObservationsMax: 40 }
  const index = new LaneIndex(dimensions, settings, nowMs)
  const random = generator(3)
  const added = new Map<string, LaneEntry>()
  const some = (value: number): number | null => random() < 0.4 ? null : value
  // Two over the share that is left alone: the oldest go, and the last rows take their places.
  for (let i = 0; i < 43; i++) {
    const entry = entryOf({
      observationId: `o${i}`, modelId: `m${i % 2}`, cluster: i % 3 === 0 ? "qa:hard" : "code:easy",
      tags: i % 4 === 0 ? ["t0"] : [], quality: random(), provenanceWeight: random(), propensity: some(0.3),
      inputTokens: some(0), outputTokens: some(70), costUsd: some(0.01), latencyMs: some(350.5),
      timeToFirstTokenMs: some(80.25),
      occurredAtMs: nowMs - (i < 5 ? 100 : 1 + i) * dayMs, votesUp: i % 3, votesDown: i % 2
    })
    added.set(entry.observationId, entry)
    index.upsert(entry, quantise(unit(random)))
  }
  const { neighbours } = index.recall({ ...queryOf(unit(random)), perModel: 64 })
  assert.strictEqual(neighbours.length, 40)
  for (const { ageDays, currentShare, entryId, isStale, reliability, similarity: _, ...rest } of neighbours) {
    const { isWeak: _isWeak, observationId, occurredAtMs, tags: _tags, userId, votesDown, votesUp, ...kept } = added.get(entryId)!
    assert.deepStrictEqual(rest, kept)
    assert.strictEqual(ageDays, (nowMs - occurredAtMs) / dayMs)
    assert.strictEqual(reliability, reliabilityOf({ votesDown, votesUp }, ageDays, settings))
    assert.strictEqual(isStale, currentShare < 1 || ageDays > settings.staleAfterDays)
  }
})

it("of equally similar outcomes the first added are recalled, in that order", () => {
  const index = new LaneIndex(dimensions, memorySettings, nowMs)
  const near = unit(generator(1))
  const far = near.map((coordinate) => -coordinate)
  for (let i = 0; i < 20; i++) {
    index.upsert(entryOf({ observationId: `o${i}`, modelId: "m0" }), quantise(i % 5 === 4 ? near : far))
  }
  const recall = (perModel: number) =>
    [...index.recall({ ...queryOf(near), perModel }).neighbours].map(({ entryId }) => entryId)
  assert.deepStrictEqual(recall(7), ["o4", "o9", "o14", "o19", "o0", "o1", "o2"])
  assert.deepStrictEqual(recall(0), [])
})

it("outcomes of one text share its vector, whose place the next text takes after the last", () => {
  const filledBy = (textOf: (i: number) => number) => {
    const index = new LaneIndex(dimensions, memorySettings, nowMs)
    for (let i = 0; i < 1_000; i++) {
      index.upsert(entryOf({ observationId: `o${i}`, modelId: "m0" }), quantise(unit(generator(1 + textOf(i)))))
    }
    return index
  }
  const [repeated, distinct] = [filledBy((i) => i % 4), filledBy((i) => i)]
  // Of 1,000 slots all but 16 are spared, at 24 bytes and more each.
  assert.isAbove(distinct.bytes - repeated.bytes, 1_000 * 24)
  const { bytes } = repeated
  for (let round = 1; round < 20; round++) {
    for (let i = 0; i < 1_000; i++) {
      repeated.upsert(entryOf({ observationId: `o${i}`, modelId: "m0" }), quantise(unit(generator(1 + round * 4 + i % 4))))
    }
  }
  assert.strictEqual(repeated.bytes, bytes)
  const near = unit(generator(1 + 19 * 4))
  const recalled = repeated.recall({ ...queryOf(near), perModel: 1_000 })
  assert.lengthOf([...recalled.neighbours].filter(({ similarity }) => similarity > 0.99), 250)
})

it("what was recalled stays as it was when the lane changes afterwards", () => {
  const index = new LaneIndex(dimensions, { ...memorySettings, laneObservationsMax: 40 }, nowMs)
  const random = generator(5)
  const add = (i: number, over: Partial<LaneEntry> = {}) =>
    index.upsert(entryOf({ observationId: `o${i}`, modelId: `m${i % 2}`, tags: [`t${i}`], costUsd: i, ...over }), quantise(unit(random)))
  for (let i = 0; i < 40; i++) add(i)
  const { neighbours } = index.recall({ ...queryOf(unit(random)), perModel: 40 })
  const { fingerprint } = neighbours
  const before = [...neighbours]
  // Every outcome is replaced, and newer ones displace them.
  for (let i = 0; i < 40; i++) add(i, { quality: 0, costUsd: 99, tags: [], cluster: "qa:hard", votesDown: 3 })
  for (let i = 40; i < 120; i++) add(i, { occurredAtMs: nowMs + i })
  assert.deepStrictEqual([...neighbours], before)
  assert.strictEqual(neighbours.fingerprint, fingerprint)
})

it("weak labels weigh the bound at each level and over all, and a gate's word frees one", () => {
  const { weakOutcomesMax } = memorySettings
  const index = new LaneIndex(dimensions, memorySettings, nowMs)
  const label = (i: number, over: Partial<LaneEntry>) =>
    index.upsert(entryOf({ observationId: `o${i}`, cluster: i % 3 === 0 ? "code:hard" : "code:easy", ...over }), null)
  const tallies = () => {
    const { tallies } = index.recall({ ...queryOf(unit(generator(1))), modelIds: ["alpha", "beta"] })
    return tallies.get("alpha")!
  }
  for (let i = 0; i < 60; i++) label(i, { isWeak: true, provenanceWeight: 0.6, quality: i % 2 })
  const weak = tallies()
  for (const level of ["lane", "taskType", "cluster"] as const) {
    assert.closeTo(weak[level].weight, weakOutcomesMax, 1e-9)
    assert.closeTo(weak[level].success, weakOutcomesMax / 2, 1e-9)
  }
  assert.lengthOf(weak.byDifficulty ?? [], 2)
  assert.closeTo((weak.byDifficulty ?? []).reduce((sum, { tally }) => sum + tally.weight, 0), weakOutcomesMax, 1e-9)
  assert.closeTo(index.known("code:easy").get("alpha")?.lane ?? 0, 36, 1e-9)
  for (let i = 0; i < 10; i++) label(i, { isWeak: false, quality: 1 })
  assert.closeTo(tallies().lane.weight, 10 + weakOutcomesMax, 1e-9)
  for (let i = 10; i < 60; i++) label(i, { isWeak: false, quality: 1 })
  assert.closeTo(tallies().lane.weight, 60, 1e-9)
})

it("a model's weak neighbours weigh the bound together at most, the nearest first", () => {
  const { weakOutcomesMax } = memorySettings
  const random = generator(7)
  const index = new LaneIndex(dimensions, memorySettings, nowMs)
  for (let i = 0; i < 40; i++) {
    index.upsert(
      entryOf({ observationId: `o${i}`, modelId: `m${i % 2}`, isWeak: i < 32, provenanceWeight: i < 32 ? 0.6 : 1 }),
      quantise(unit(random))
    )
  }
  const { neighbours } = index.recall({ ...queryOf(unit(random)), perModel: 64 })
  for (const modelId of ["m0", "m1"]) {
    const own = [...neighbours].filter((each) => each.modelId === modelId)
    const isWeak = (entryId: string) => Number(entryId.slice(1)) < 32
    const weak = own.filter(({ entryId }) => isWeak(entryId)).map((each) => each.provenanceWeight)
    assert.lengthOf(weak, 16)
    assert.closeTo(weak.reduce((sum, each) => sum + each, 0), weakOutcomesMax, 1e-9)
    assert.deepStrictEqual(weak, weak.toSorted((one, other) => other - one))
    for (const { entryId, provenanceWeight } of own) {
      if (!isWeak(entryId)) assert.strictEqual(provenanceWeight, 1)
    }
  }
})
