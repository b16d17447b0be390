import { assert, it } from "@effect/vitest"
import { dayMs } from "../../../src/domain/Time.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import type { Observation } from "../../../src/memory/MemoryWrite.ts"
import { outcomeItem } from "../../../src/memory/mubit/MubitItems.ts"
import { recalledFrom } from "../../../src/memory/mubit/MubitRecall.ts"
import { freshScope, observationIn, queryIn } from "../fixtures.ts"

const now = Date.now()
const evidenceOf = (observation: Observation, score = 0.5) =>
  ({ ...outcomeItem(observation), reference_id: observation.observationId, score })

it("what a model did before it broke counts for a fifth, in tallies and neighbours", () => {
  const scope = freshScope()
  const at = (day: number, quality: number) =>
    observationIn(scope, { quality, occurredAt: new Date(now - dayMs + day * 60_000) })
  const good = Array.from({ length: 20 }, (_, n) => at(n, 1))
  const bad = Array.from({ length: 10 }, (_, n) => at(20 + n, 0))
  const query = queryIn(scope, { perModel: 64 })
  const { recalled } = recalledFrom([...bad, ...good].map((one) => evidenceOf(one)), query, memorySettings, now)
  const shares = new Map([...recalled.neighbours].map(({ currentShare, entryId }) => [entryId, currentShare]))
  assert.strictEqual(shares.get(`1000:${good[0]!.observationId}`), 0.2)
  assert.strictEqual(shares.get(`0:${bad[9]!.observationId}`), 1)
  const { success, weight } = recalled.tallies.get("alpha")!.lane
  assert.isBelow(success / weight, 0.4)
})

it("outcomes that taught nothing are no neighbours though the backend returns them", () => {
  const scope = freshScope()
  const { dropped, recalled } = recalledFrom(
    [evidenceOf(observationIn(scope, { teaches: false }))], queryIn(scope), memorySettings, now
  )
  assert.deepStrictEqual([dropped, recalled.laneSize, recalled.neighbours.length], [0, 0, 0])
})

it("an outcome that is several entries counts once, as the most similar of them", () => {
  const scope = freshScope()
  const observation = observationIn(scope)
  const evidence = [0.2, 0.9, 0.4].map((score) => evidenceOf(observation, score))
  const { recalled } = recalledFrom(evidence, queryIn(scope), memorySettings, now)
  assert.deepStrictEqual([recalled.laneSize, recalled.highSimilarity], [1, 0.9])
  assert.closeTo(recalled.tallies.get("alpha")?.lane.weight ?? 0, 1, 0.01)
})

it("the lane's high similarity is its 5th highest, and its mean is over all that is known", () => {
  const scope = freshScope()
  const evidence = [0.9, 0.8, 0.7, 0.6, 0.5, 0.1].map((score) => evidenceOf(observationIn(scope), score))
  const { recalled } = recalledFrom(evidence, queryIn(scope), memorySettings, now)
  assert.strictEqual(recalled.highSimilarity, 0.5)
  assert.closeTo(recalled.meanSimilarity, 0.6, 1e-12)
})
