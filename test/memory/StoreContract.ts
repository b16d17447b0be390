import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { MemoryWrite, Written } from "../../src/domain/MemoryWrite.ts"
import type { LaneId } from "../../src/domain/Scope.ts"
import { teach } from "../../src/memory/DirectWrites.ts"
import { Memory } from "../../src/memory/Memory.ts"
import type { ContractTest } from "../support/Contract.ts"
import { lessonIn, observationIn, observing, queryIn, recording, reinforcementIn, stepsIn } from "./fixtures.ts"

type Writes = ReadonlyArray<MemoryWrite>

/** The writes with the vectors that the memory has prepared. */
const prepared = (memory: Memory["Service"], writes: Writes) =>
  Effect.forEach(writes, (write): Effect.Effect<MemoryWrite> =>
    write.kind !== "teach" ? Effect.succeed(write) : Effect.map(memory.prepare(write.body), (taskVectors) =>
      ({ ...write, body: { ...write.body, taskVectors } })))

/**
 * Stores writes as a report does, and yields what they came to. A memory that is elsewhere takes them
 * afterwards, as those of a report that is delivered.
 */
const storeIn = Effect.fnUntraced(function*(memory: Memory["Service"], { accountId }: LaneId, writes: Writes) {
  const { isElsewhere, onDurable, written } = yield* memory.store(accountId, writes)
  assert.lengthOf(written, writes.length)
  yield* onDurable
  if (!isElsewhere) return written.map((each) => each ?? assert.fail("a write has no answer"))
  assert.deepStrictEqual(written, writes.map(() => null))
  return yield* Effect.forEach(writes, memory.write)
})

/** How many outcomes had taught the lane when its one outcome was taught. */
const taughtBy = (written: ReadonlyArray<Written>): number | null => {
  for (const each of written) if (each.kind === "teach") return each.taught.laneTaught
  return null
}

const laneSize = (scope: LaneId) =>
  Effect.gen(function*() {
    return (yield* (yield* Memory).recall(queryIn(scope))).laneSize
  })

/** What every driver promises of the writes of reports. */
export const storeContract = (it: ContractTest<Memory["Service"], LaneId, Memory>): void => {
  it("the writes of a feedback are stored together and answered in their order", function*(memory, scope) {
    const first = yield* prepared(memory, [
      observing(observationIn(scope)), recording(stepsIn(scope)), { kind: "promote", body: lessonIn(scope) }
    ])
    const written = yield* storeIn(memory, scope, first)
    assert.deepStrictEqual(written.map(({ kind }) => kind), ["teach", "recordSteps", "promote"])
    assert.strictEqual(taughtBy(written), 1)
    const next = yield* prepared(memory, [observing(observationIn(scope)), recording(stepsIn(scope))])
    assert.strictEqual(taughtBy(yield* storeIn(memory, scope, next)), 2)
    assert.strictEqual(yield* laneSize(scope), 2)
    assert.deepStrictEqual(yield* storeIn(memory, scope, []), [])
  })

  it("vectors that are prepared change nothing, and are prepared once", function*(memory, scope) {
    const { accountId, task, taskVectors = [] } = observationIn(scope)
    const vectors = yield* memory.prepare({ accountId, task, taskVectors })
    assert.strictEqual(yield* memory.prepare({ accountId, task, taskVectors: vectors }), vectors)
    assert.strictEqual(yield* memory.prepare({ accountId, task: "", taskVectors }), taskVectors)
    assert.strictEqual(yield* laneSize(scope), 0)
  })

  it("an outcome, a vote, steps and a lesson that are stored again count once", function*(memory, scope) {
    const entry = observationIn(scope)
    yield* teach(memory, entry)
    const outcome = observationIn(scope, { revision: 1, verdictRevision: 1 })
    const reinforcement = reinforcementIn(scope, [entry.observationId], {
      reinforcementId: outcome.observationId, revision: 1
    })
    const lesson = lessonIn(scope, { lessonId: outcome.observationId, revision: 1 })
    const writes: Writes = [
      observing(outcome), { kind: "reinforce", body: reinforcement }, recording(stepsIn(scope)),
      { kind: "promote", body: lesson }
    ]
    const once = yield* prepared(memory, writes)
    for (const each of [once, once, yield* prepared(memory, writes)]) {
      assert.strictEqual(taughtBy(yield* storeIn(memory, scope, each)), 2)
    }
    assert.strictEqual(yield* laneSize(scope), 2)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const reliability = [...neighbours].find(({ entryId }) => entryId === entry.observationId)?.reliability ?? 0
    assert.closeTo(reliability, 10 / 11, 1e-6)
    const { entryCounts } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.deepStrictEqual(entryCounts, { observation: 2, outcome_record: 1, lesson: 1, step_reward: 1 })
  })

  it("an outcome that is stored again with a higher revision keeps its place and vectors", function*(memory, scope) {
    const observation = observationIn(scope, { revision: 1, verdictRevision: 1, quality: 0.2 })
    yield* storeIn(memory, scope, yield* prepared(memory, [observing(observation)]))
    const better = { ...observation, revision: 2, verdictRevision: 2, quality: 0.9 }
    const again = yield* prepared(memory, [observing(better)])
    assert.strictEqual(taughtBy(yield* storeIn(memory, scope, again)), 1)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const [only, ...others] = [...neighbours]
    assert.deepStrictEqual([only?.quality, others], [0.9, []])
    assert.closeTo(only?.similarity ?? 0, 1, 0.01)
  })

  it("reports of one outcome that are stored together count as one after the other", function*(memory, scope) {
    const entry = observationIn(scope)
    yield* teach(memory, entry)
    const outcome = observationIn(scope, { modelId: "beta" })
    const report = (revision: number, quality: number): Writes => [
      observing({ ...outcome, quality, revision, verdictRevision: revision }),
      {
        kind: "reinforce",
        body: reinforcementIn(scope, [entry.observationId], { reinforcementId: outcome.observationId, revision, quality })
      },
      { kind: "promote", body: lessonIn(scope, { lessonId: outcome.observationId, revision, confidence: revision / 4 }) }
    ]
    const writes = yield* prepared(memory, [...report(1, 0.9), ...report(2, 0.1), observing(observationIn(scope))])
    assert.strictEqual(taughtBy(yield* storeIn(memory, scope, writes)), 2)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const found = [...neighbours].find(({ entryId }) => entryId === entry.observationId)
    assert.closeTo(found?.reliability ?? 0, 9 / 11, 1e-6)
    const [said, ...others] = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
    assert.deepStrictEqual([said?.avgConfidence, others], [2 / 4, []])
    assert.strictEqual(yield* laneSize(scope), 3)
  })
}
