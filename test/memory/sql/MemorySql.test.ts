import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs } from "../../../src/domain/Time.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import {
  eventually, freshScope, observationIn, promptSettings, queryIn, reinforcementIn, vote as reinforce
} from "../fixtures.ts"
import { memoryContract } from "../MemoryContract.ts"

/** Another process's memory, as far as this one can tell: its own cache on the same database. */
const another = Layer.fresh(MemorySql.layer({ endpoint: "postgresql", settings: { ...memorySettings, pollIntervalMs: 0 } }))
  .pipe(Layer.provide(EmbedderLexical.layer))

const elsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, another)

onEachEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql", settings: promptSettings })
    .pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(memory, engine), slow)(
    `MemorySql ${name}`,
    (it) => {
      memoryContract(it)

      it.effect("what was taught is there after a restart, votes included", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          const scope = freshScope()
          const observation = observationIn(scope, { tags: ["a"], userId: "ann", propensity: 0.25 })
          yield* teach(memory, observation)
          yield* reinforce(memory, reinforcementIn(scope, [observation.observationId], { quality: 0 }))
          const here = yield* memory.recall(queryIn(scope, { tags: ["a"] }))
          const there = yield* elsewhere(Memory.use((other) => other.recall(queryIn(scope, { tags: ["a"] }))))
          const withoutAge = ({ neighbours }: typeof here) => [...neighbours].map((neighbour) => ({ ...neighbour, ageDays: 0, reliability: 0 }))
          assert.deepStrictEqual(withoutAge(there), withoutAge(here))
          assert.strictEqual([...there.neighbours][0]?.propensity, 0.25)
          assert.closeTo([...there.neighbours][0]?.reliability ?? 0, 9 / 11, 1e-6)
        }))

      it.effect("an outcome of next to no quality or weight is taught, and reflected on", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const memory = yield* Memory
          const scope = freshScope()
          const tiny = { quality: 5e-324, provenanceWeight: 0.3, outcome: "failure" } as const
          yield* teach(memory, observationIn(scope, tiny))
          yield* teach(memory, observationIn(scope, { ...tiny, provenanceWeight: 1e-300 }))
          const due = sql`select from reflection where lane = ${scope.lane} and reflected_at is null`
            .pipe(withAccount(scope.accountId))
          yield* eventually(due, (rows) => rows.length === 0)
          assert.lengthOf((yield* memory.recall(queryIn(scope))).neighbours, 2)
        }))

      it.effect("a reflection forgets the votes of the days before yesterday", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const memory = yield* Memory
          const scope = freshScope()
          const observation = observationIn(scope)
          yield* teach(memory, observation)
          const now = new Date()
          const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
          for (const days of [0, 1, 2, 30]) {
            yield* reinforce(memory, 
              reinforcementIn(scope, [observation.observationId], { occurredAt: daysAgo(days) })
            )
          }
          yield* teach(memory, observationIn(scope, { outcome: "failure", quality: 0.1 }))
          const days = Effect.map(
            sql<{ day: string }>`select day::text as day from vote where lane = ${scope.lane} order by day`
              .pipe(withAccount(scope.accountId)),
            (rows) => rows.map(({ day }) => day)
          )
          const left = yield* eventually(days, (found) => found.length < 4)
          assert.deepStrictEqual(left, [1, 0].map((ago) => daysAgo(ago).toISOString().slice(0, 10)))
        }))

      it.effect("two processes see each other's outcomes", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          const scope = freshScope()
          yield* elsewhere(Effect.gen(function*() {
            const other = yield* Memory
            assert.strictEqual((yield* other.recall(queryIn(scope))).laneSize, 0)
            yield* teach(memory, observationIn(scope))
            assert.strictEqual((yield* other.recall(queryIn(scope))).laneSize, 1)
            yield* teach(other, observationIn(scope))
            assert.strictEqual((yield* other.recall(queryIn(scope))).laneSize, 2)
          }))
          // Its own write makes it look, and it then sees the other's too.
          yield* teach(memory, observationIn(scope))
          assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 3)
        }))

      it.effect("a process that loads a lane far over its cap reads only its newest outcomes", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          const scope = freshScope()
          const ids = Array.from({ length: 12 }, (_, i) => `01890a5d-a0${10 + i}-774b-bcce-b302099a8057`)
          // The older ones weigh more, were voted on last, and would stay if they were read.
          for (const [i, observationId] of ids.entries()) {
            const told = i < 6 ? { modelId: "alpha", provenanceWeight: 1 } : { modelId: "beta", provenanceWeight: 0.5 }
            yield* teach(memory, observationIn(scope, { ...told, observationId }))
          }
          yield* reinforce(memory, reinforcementIn(scope, ids.slice(0, 6)))
          const short = Layer.fresh(MemorySql.layer({
            endpoint: "postgresql",
            settings: { ...memorySettings, laneObservationsMax: 3, laneLoadMax: 6, loadPageRows: 2 }
          })).pipe(Layer.provide(EmbedderLexical.layer))
          const { laneSize, neighbours } = yield* Memory.use((other) => other.recall(queryIn(scope)))
            .pipe(Effect.provide(short))
          assert.strictEqual(laneSize, 3)
          assert.deepStrictEqual([...neighbours].map(({ modelId }) => modelId), ["beta", "beta", "beta"])
        }))

      it.effect("an outcome taught in a transaction that fails leaves no trace", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const memory = yield* Memory
          const scope = freshScope()
          yield* teach(memory, observationIn(scope))
          yield* teach(memory, observationIn(scope)).pipe(
            Effect.andThen(Effect.fail("undone" as const)),
            withAccount(scope.accountId),
            Effect.catchIf((error) => error === "undone", () => Effect.void)
          )
          assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 1)
          const { laneTaught } = yield* teach(memory, observationIn(scope))
          assert.strictEqual(laneTaught, 2)
          assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 2)
          yield* sql`select 1`
        }))

      it.effect("a quality that is not a number from 0 to 1 is refused", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          for (const quality of [Number.NaN, Number.POSITIVE_INFINITY, -0.1, 1.1]) {
            const error = yield* Effect.flip(teach(memory, observationIn(freshScope(), { quality })))
            assert.strictEqual(error._tag, "MemoryUnavailable")
          }
        }))

      it.effect("ping says where the memory is", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          assert.deepStrictEqual(yield* memory.ping(freshScope().accountId), { endpoint: "postgresql" })
        }))
    }
  )
})
