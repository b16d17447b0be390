import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { LaneId } from "../../src/domain/Scope.ts"
import { nothingWritten, type WrittenRows } from "../../src/domain/WriteRows.ts"
import { Ledger, type LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import type { Settlement } from "../../src/ledger/Settlement.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { teach } from "../../src/memory/DirectWrites.ts"
import { Memory, type PreparedWrites } from "../../src/memory/Memory.ts"
import type { MemoryWrite, Observation } from "../../src/memory/MemoryWrite.ts"
import { settlementOf } from "../ledger/LedgerContract.ts"
import type { ContractTest } from "../support/Contract.ts"
import { lessonIn, observationIn, queryIn, reinforcementIn } from "./fixtures.ts"

type Settle = (settlement: Settlement) => Effect.Effect<unknown, LedgerUnavailable>

/** The settlement, where the driver's rows share a database with the ledger; else none. */
const Settling = Context.Reference<Settle>("sextant/test/memory/Settling", {
  defaultValue: () => ({ onWritten }) => onWritten(nothingWritten)
})

/** Settles the contract's prepared writes in this database. */
export const settlements: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  Settling,
  Effect.map(Ledger, (ledger): Settle => ledger.settle)
).pipe(Layer.provide(LedgerSql.layer))

/** Settles prepared writes, and yields what was written. */
const settle = Effect.fnUntraced(function*(
  { accountId }: Pick<LaneId, "accountId">,
  { onWritten, rows }: PreparedWrites,
  over: Partial<Settlement> = {}
) {
  let stored: WrittenRows | null = null
  yield* (yield* Settling)(settlementOf(accountId, {
    rows,
    onWritten: (written) => {
      stored = written
      return onWritten(written)
    },
    ...over
  }))
  return stored as WrittenRows | null
})

/** The memory whose single writes are prepared and settled, as those of a feedback. */
export const settling = Effect.fnUntraced(function*(memory: Memory["Service"]) {
  const own = yield* Effect.service(Settling)
  return Memory.of({
    ...memory,
    write: Effect.fnUntraced(function*(write) {
      const prepared = yield* memory.prepare([write])
      yield* Effect.orDie(Effect.provideService(settle(write.body, prepared), Settling, own))
      return yield* Effect.fromResult(prepared.results[0] ?? assert.fail("a write has no answer"))
    })
  })
})

const observing = (observation: Observation): MemoryWrite => ({ kind: "teach", body: observation })

const stepsFor = (scope: LaneId, recommendationId: string): MemoryWrite => ({
  kind: "recordSteps",
  body: {
    ...scope, recommendationId, cluster: "code:easy", modelId: "alpha", occurredAt: new Date(),
    steps: [{ stepId: "one", stepName: null, outcome: "success", signal: 1, rationale: null, directiveHint: null }]
  }
})

/** How many outcomes had taught the lane when its one outcome was taught. */
const taughtBy = ({ results }: PreparedWrites, stored: WrittenRows | null): number | null => {
  for (const result of results) {
    const written = Result.getOrThrow(result)
    if (written.kind === "teach") return stored?.laneTaught ?? written.taught.laneTaught
  }
  return null
}

const laneSize = (scope: LaneId) =>
  Effect.gen(function*() {
    return (yield* (yield* Memory).recall(queryIn(scope))).laneSize
  })

/** What every driver promises of writes that are prepared and then settled. */
export const preparedWritesContract = (it: ContractTest<Memory["Service"], LaneId, Memory>): void => {
  it("the writes of a feedback are prepared in their order and settled together", function*(memory, scope) {
    const writes: ReadonlyArray<MemoryWrite> = [
      observing(observationIn(scope)), stepsFor(scope, "r"), { kind: "promote", body: lessonIn(scope) }
    ]
    const prepared = yield* memory.prepare(writes)
    assert.deepStrictEqual(prepared.results.map((result) => Result.getOrThrow(result).kind), [
      "teach", "recordSteps", "promote"
    ])
    assert.strictEqual(taughtBy(prepared, yield* settle(scope, prepared)), 1)
    const next = yield* memory.prepare([observing(observationIn(scope)), stepsFor(scope, "r")])
    assert.strictEqual(taughtBy(next, yield* settle(scope, next)), 2)
    assert.strictEqual(yield* laneSize(scope), 2)
    assert.deepStrictEqual((yield* memory.prepare([])).results, [])
  })

  it("writes that are prepared and never settled are put right by a repeat of both", function*(memory, scope) {
    const writes = [observing(observationIn(scope)), stepsFor(scope, "r")]
    yield* memory.prepare(writes)
    assert.include([0, 1], yield* laneSize(scope))
    const again = yield* memory.prepare(writes)
    assert.strictEqual(taughtBy(again, yield* settle(scope, again)), 1)
    assert.strictEqual(yield* laneSize(scope), 1)
  })

  it("a settlement whose plan is outdated is put right by another of the same writes", function*(memory, scope) {
    const prepared = yield* memory.prepare([observing(observationIn(scope))])
    yield* settle(scope, prepared, { before: [] })
    assert.strictEqual(taughtBy(prepared, yield* settle(scope, prepared)), 1)
    assert.strictEqual(yield* laneSize(scope), 1)
  })

  it("a repeated settlement, and a repeated preparation, change nothing", function*(memory, scope) {
    const writes = [observing(observationIn(scope)), stepsFor(scope, "r")]
    const prepared = yield* memory.prepare(writes)
    for (const each of [prepared, prepared, yield* memory.prepare(writes)]) {
      assert.strictEqual(taughtBy(each, yield* settle(scope, each)), 1)
    }
    assert.strictEqual(yield* laneSize(scope), 1)
  })

  it("a vote, steps and a lesson that are settled again count once", function*(memory, scope) {
    const entry = observationIn(scope)
    yield* teach(memory, entry)
    const outcome = observationIn(scope, { revision: 1, verdictRevision: 1 })
    const reinforcement = reinforcementIn(scope, [entry.observationId], {
      reinforcementId: outcome.observationId, revision: 1
    })
    const lesson = lessonIn(scope, { lessonId: outcome.observationId, revision: 1 })
    const writes: ReadonlyArray<MemoryWrite> = [
      observing(outcome), { kind: "reinforce", body: reinforcement }, stepsFor(scope, randomUUID()),
      { kind: "promote", body: lesson }
    ]
    const prepared = yield* memory.prepare(writes)
    for (const each of [prepared, prepared, yield* memory.prepare(writes)]) yield* settle(scope, each)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const reliability = [...neighbours].find(({ entryId }) => entryId === entry.observationId)?.reliability ?? 0
    assert.closeTo(reliability, 10 / 11, 1e-6)
    const { entryCounts } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.deepStrictEqual(entryCounts, { observation: 2, outcome_record: 1, lesson: 1, step_reward: 1 })
  })

  it("an outcome that is settled again with a higher revision takes its own place, and keeps its vectors", function*(memory, scope) {
    const observation = observationIn(scope, { revision: 1, verdictRevision: 1, quality: 0.2 })
    yield* settle(scope, yield* memory.prepare([observing(observation)]))
    const better = { ...observation, revision: 2, verdictRevision: 2, quality: 0.9 }
    const again = yield* memory.prepare([observing(better)])
    assert.strictEqual(taughtBy(again, yield* settle(scope, again)), 1)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const [only, ...others] = [...neighbours]
    assert.deepStrictEqual([only?.quality, others], [0.9, []])
    assert.closeTo(only?.similarity ?? 0, 1, 0.01)
  })
}
