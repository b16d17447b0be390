import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { AccountId, LaneId } from "../../src/domain/Scope.ts"
import { teach } from "../../src/memory/DirectWrites.ts"
import { Memory, type PreparedFeedback, type WriteResult } from "../../src/memory/Memory.ts"
import type { MemoryWrite, Observation } from "../../src/memory/MemoryWrite.ts"
import { carryOver } from "../../src/memory/PreparedWrites.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { freshScope, lessonIn, observationIn, queryIn, reinforcementIn } from "./fixtures.ts"

type Transaction = (accountId: AccountId) => <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>

/** The transaction of a settlement, where the driver's writes share a database with the ledger; else none. */
const InTransaction = Context.Reference<Transaction>("sextant/test/memory/InTransaction", {
  defaultValue: () => () => (effect) => effect
})

/** Runs the commits of the contract in transactions of this database, as settlements do. */
export const transactions: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  InTransaction,
  Effect.map(SqlClient.SqlClient, (sql): Transaction => (accountId) => (effect) =>
    effect.pipe(withAccount(accountId), Effect.provideService(SqlClient.SqlClient, sql)))
)

const observing = (observation: Observation): MemoryWrite => ({ kind: "teach", observation, teaches: true })

const stepsFor = (scope: LaneId, recommendationId: string): MemoryWrite => ({
  kind: "recordSteps",
  rewards: {
    ...scope, recommendationId, cluster: "code:easy", modelId: "alpha", occurredAt: new Date(),
    steps: [{ stepId: "one", stepName: null, outcome: "success", signal: 1, rationale: null, directiveHint: null }]
  }
})

const settle = ({ accountId }: LaneId, prepared: ReadonlyArray<PreparedFeedback>) =>
  Effect.gen(function*() {
    const memory = yield* Memory
    return yield* (yield* InTransaction)(accountId)(memory.commit(prepared))
  })

/** How many outcomes had taught the lane, by each answer to one. */
const taughtBy = (answers: ReadonlyArray<ReadonlyArray<WriteResult>>): ReadonlyArray<number> =>
  answers.flat().flatMap((result) => {
    const written = Result.getOrThrow(result)
    return written.kind === "teach" ? [written.taught.laneTaught] : []
  })

const laneSize = (scope: LaneId) =>
  Effect.gen(function*() {
    return (yield* (yield* Memory).recall(queryIn(scope))).laneSize
  })

interface Tests {
  readonly effect: <A, E>(title: string, test: () => Effect.Effect<A, E, Memory | Scope.Scope>) => void
}

/** What every driver promises of writes that are prepared outside a transaction and committed inside it. */
export const preparedWritesContract = (it: Tests): void => {
  it.effect("writes of several feedbacks are prepared before a transaction and committed in it, in their order", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const [first, second] = [observationIn(scope), observationIn(scope)]
      const lesson = lessonIn(scope)
      const prepared = yield* memory.prepare([
        [observing(first), { kind: "promote", lesson }],
        [observing(second), stepsFor(scope, "r")],
        []
      ])
      assert.deepStrictEqual(prepared.map((each) => each.map(({ write }) => write.kind)), [
        ["teach", "promote"], ["teach", "recordSteps"], []
      ])
      const answers = yield* settle(scope, prepared)
      assert.deepStrictEqual(
        answers.map((each) => each.map((result) => Result.getOrThrow(result).kind)),
        [["teach", "promote"], ["teach", "recordSteps"], []]
      )
      assert.deepStrictEqual(taughtBy(answers), [1, 2])
      assert.strictEqual(yield* laneSize(scope), 2)
    }))

  it.effect("writes that are prepared and never committed are put right by a repeat of both", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const writes = [observing(observationIn(scope)), stepsFor(scope, "r")]
      yield* memory.prepare([writes])
      assert.include([0, 1], yield* laneSize(scope))
      const answers = yield* settle(scope, yield* memory.prepare([writes]))
      assert.deepStrictEqual(taughtBy(answers), [1])
      assert.strictEqual(yield* laneSize(scope), 1)
    }))

  it.effect("a transaction that fails after its commit is put right by a repeat", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const prepared = yield* memory.prepare([[observing(observationIn(scope))]])
      const failed = (yield* InTransaction)(scope.accountId)(
        Effect.andThen(memory.commit(prepared), Effect.fail("the settlement failed"))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(failed)))
      assert.deepStrictEqual(taughtBy(yield* settle(scope, prepared)), [1])
      assert.strictEqual(yield* laneSize(scope), 1)
    }))

  it.effect("a repeated commit, and a repeated preparation, change nothing", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const writes = [observing(observationIn(scope)), stepsFor(scope, "r")]
      const prepared = yield* memory.prepare([writes])
      for (const each of [prepared, prepared, yield* memory.prepare([writes])]) {
        assert.deepStrictEqual(taughtBy(yield* settle(scope, each)), [1])
      }
      assert.strictEqual(yield* laneSize(scope), 1)
    }))

  it.effect("a vote, steps and a lesson that are committed again count once", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const entry = observationIn(scope)
      yield* teach(memory, entry, true)
      const outcome = observationIn(scope, { revision: 1, verdictRevision: 1 })
      const reinforcement = reinforcementIn(scope, [entry.observationId], {
        reinforcementId: outcome.observationId, revision: 1
      })
      const lesson = lessonIn(scope, { lessonId: outcome.observationId, revision: 1 })
      const writes: ReadonlyArray<MemoryWrite> = [
        observing(outcome), { kind: "reinforce", reinforcement }, stepsFor(scope, randomUUID()),
        { kind: "promote", lesson }
      ]
      const prepared = yield* memory.prepare([writes])
      for (const each of [prepared, prepared, yield* memory.prepare([writes])]) yield* settle(scope, each)
      const { neighbours } = yield* memory.recall(queryIn(scope))
      const reliability = [...neighbours].find(({ entryId }) => entryId === entry.observationId)?.reliability ?? 0
      assert.closeTo(reliability, 10 / 11, 1e-6)
      const { entryCounts } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
      assert.deepStrictEqual(entryCounts, { observation: 2, outcome_record: 1, lesson: 1, step_reward: 1 })
    }))

  it.effect("an outcome that is planned again in its settlement keeps the vectors that were prepared", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope, { revision: 1, verdictRevision: 1 })
      const [prepared = []] = yield* memory.prepare([[observing(observation)]])
      const replanned = carryOver(prepared, [observing({ ...observation, revision: 2, verdictRevision: 2 })])
      const [[result] = []] = yield* settle(scope, [replanned])
      // A memory elsewhere has not been sent this revision, and is not in the transaction.
      if (result !== undefined && Result.isFailure(result)) return
      const { neighbours } = yield* memory.recall(queryIn(scope))
      assert.closeTo([...neighbours][0]?.similarity ?? 0, 1, 0.01)
    }))
}
