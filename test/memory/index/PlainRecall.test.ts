import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { dayMs } from "../../../src/domain/Time.ts"
import { aggregateWith } from "../../../src/engine/recommend/Aggregate.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import type { LaneEntry } from "../../../src/memory/index/Entry.ts"
import { LaneIndex } from "../../../src/memory/index/LaneIndex.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { generator } from "../../../src/stats/Generator.ts"
import * as Propensity from "../../../src/stats/Propensity.ts"
import { candidate, evidence, objectsOf } from "../../support/builders.ts"
import { PlainLane, plainWeights } from "../../support/plainRecall.ts"

const nowMs = 1_800_000_000_000
/** Without changes of models, which have tests of their own; a cap that some lanes reach. */
const settings = { ...memorySettings, laneObservationsMax: 300, changes: { ...memorySettings.changes, limit: 1e9 } }
const models = ["m0", "m1", "m2", "m3"]
const versions = ["lang:python@3.12", "lang:python@3.8", "repo:billing"]

const Case = {
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })),
  size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 })),
  /** 256 is the built-in embedder's number, the others are no multiple of 8 or several blocks long. */
  dimensions: Schema.Literals([12, 256, 384, 1_536]),
  userId: Schema.NullOr(Schema.Literals(["ann", "dan"]))
}

/** The same random lane in columns and as objects: texts and actors repeat, and rows are replaced and removed. */
const filled = ({ dimensions, seed, size }: { readonly dimensions: number; readonly seed: number; readonly size: number }) => {
  const random = generator(seed)
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const maybe = (value: number): number | null => random() < 0.4 ? null : value
  const texts = Array.from({ length: 1 + Math.floor(random() * size) }, () =>
    Float32Array.from({ length: dimensions }, () => random() < 0.2 ? random() - 0.3 : 0))
  const columns = new LaneIndex(dimensions, settings, nowMs)
  const plain = new PlainLane(settings, nowMs)
  for (let step = 0; step < size * 1.2; step++) {
    const entry: LaneEntry = {
      observationId: `o${Math.floor(random() * size)}`, modelId: pick(models),
      cluster: pick(["code:easy", "code:hard", "qa:hard"]), tags: versions.filter(() => random() < 0.3),
      userId: pick([null, "ann", "bob", "cat"]), quality: random(), provenanceWeight: random(),
      propensity: maybe(0.1 + 0.9 * random()), inputTokens: maybe(9), outputTokens: maybe(70), costUsd: maybe(random()),
      latencyMs: maybe(350.5), timeToFirstTokenMs: maybe(80.25), isCostOutlier: random() < 0.1, isWeak: false, occurredAtMs: nowMs - Math.floor(random() * 200) * dayMs,
      votesUp: Math.floor(random() * 3), votesDown: Math.floor(random() * 2)
    }
    const vector = random() < 0.05 ? null : quantise(pick(texts))
    if (random() < 0.05) {
      columns.measure(entry, vector)
      if (plain.rows.some((each) => each.entry.observationId === entry.observationId)) plain.remove(entry.observationId)
    } else {
      columns.upsert(entry, vector)
      plain.upsert(entry, vector)
    }
  }
  return { columns, plain, vector: random() < 0.1 ? new Float32Array(dimensions) : pick(texts) }
}

it.prop("a recall from columns is that of a loop over objects", Case, ({ userId, ...shape }) => {
  const { columns, plain, vector } = filled(shape)
  const query = {
    vector, userId, nowMs, modelIds: models.slice(0, 3), perModel: 8, cluster: "code:easy" as const, tags: ["repo:billing"]
  }
  const recalled = columns.recall(query)
  const expected = plain.recall(query)
  assert.deepStrictEqual([...recalled.neighbours], expected.neighbours)
  assert.strictEqual(recalled.laneSize, plain.rows.length)
  for (const modelId of query.modelIds) {
    const found = recalled.tallies.get(modelId)
    const all = plain.tallies(modelId, query, "all")
    const own = plain.tallies(modelId, query, "own")
    for (const level of ["lane", "taskType", "cluster", "tags"] as const) {
      assert.closeTo(found?.[level].weight ?? 0, all[level].weight, 1e-6)
      assert.closeTo(found?.[level].success ?? 0, all[level].success, 1e-6)
      if (found?.own !== undefined) assert.closeTo(found.own[level].weight, own[level].weight, 1e-6)
    }
  }
}, { arbitrary: { runs: 40 } })

it.prop("a prediction from columns weighs neighbours by the formula, the heaviest first", Case, (given) => {
  const { columns, vector } = filled(given)
  const tags = ["lang:python@3.12"]
  // Of one actor: what shields actors from each other has tests of its own.
  const recalled = columns.recall({ vector, userId: "ann", nowMs, modelIds: models, perModel: 64, cluster: "code:easy", tags })
  const all = [...recalled.neighbours]
  const predicted = aggregateWith(defaults, models.map((modelId) => candidate(modelId)), evidence({ recalled, tags }))
  predicted.forEach(({ card: { modelId }, neighbours }) => {
    const own = all.filter((each) => each.modelId === modelId)
    const share = Propensity.smoothedShare(own.length, all.length, models.length)
    const weights = plainWeights(defaults, own, share)
    const expected = own.map((neighbour, i) => ({ neighbour, weight: weights[i]! }))
      .sort((one, other) => other.weight - one.weight || other.neighbour.similarity - one.neighbour.similarity)
    assert.deepStrictEqual(objectsOf(neighbours), expected)
    assert.strictEqual(neighbours.heavy, weights.filter((weight) => weight > 0).length)
  })
}, { arbitrary: { runs: 40 } })
