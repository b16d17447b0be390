import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LaneId } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { promote, teach } from "../../src/memory/DirectWrites.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { reflectDue, reflectOnLane } from "../../src/memory/sql/ReflectionQueue.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { onOneEngine, slow } from "../support/Databases.ts"
import { freshScope, observationIn } from "./fixtures.ts"

/** Its own fiber never gets to look: only what a test calls reflects. */
const idle = { ...memorySettings, reflection: { ...memorySettings.reflection, pollMs: 1e9, pauseMs: 1e9 } }

const madeIn = ({ accountId, lane }: LaneId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly crossing: string; readonly reflections: number }>`select crossing, reflections from reflection
      where account_id = ${accountId} and lane = ${lane}`).pipe(
      Effect.map((rows) => rows.map(({ reflections }) => reflections)),
      withAccount(accountId)
    )

const lessonsIn = ({ accountId, lane }: LaneId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select lesson_id, content, confidence from lesson
      where account_id = ${accountId} and lane = ${lane} order by lesson_id`).pipe(withAccount(accountId))

/** Of no age however long the test takes: a clock that runs ahead counts as none. */
const occurredAt = new Date(Date.now() + 86_400_000)

const tell = (scope: LaneId, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Memory.use((memory) => teach(memory, observationIn(scope, { occurredAt }))),
  { concurrency: 5, discard: true })

onOneEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql", settings: idle }).pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(memory, engine), slow)(`reflection ${name}`, (it) => {
    it.effect("happens once for each crossing, however many look at the same time", () =>
      Effect.gen(function*() {
        const scopes = [freshScope(), freshScope()]
        const looks = Array.from({ length: 8 }, () => reflectDue(idle))
        const made = yield* Effect.all([
          ...scopes.map((scope) => Effect.as(tell(scope, 100), 0)), ...looks, ...looks
        ], { concurrency: "unbounded" })
        const rest = yield* Effect.all([reflectDue(idle), reflectDue(idle)], { concurrency: "unbounded" })
        assert.strictEqual([...made, ...rest].reduce((sum, count) => sum + count, 0), 8)
        assert.strictEqual(yield* reflectDue(idle), 0)
        const sql = yield* SqlClient.SqlClient
        for (const scope of scopes) {
          assert.deepStrictEqual(yield* madeIn(scope), [1, 1, 1, 1])
          // Looking over all accounts is the service's own; an account sees its own only.
          const seen = yield* sql`select crossing from reflection`.pipe(withAccount(scope.accountId))
          assert.lengthOf(seen, 4)
        }
      }))

    it.effect("that dies halfway has not happened, and the next look makes it", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const { accountId } = scope
        yield* tell(scope, 25)
        const died = yield* reflectOnLane({ accountId, lane: scope.lane }, idle).pipe(
          Effect.andThen((made) => Effect.fail({ made })),
          withAccount(accountId),
          Effect.flip
        )
        assert.deepStrictEqual(died, { made: 1 })
        assert.deepStrictEqual([yield* madeIn(scope), yield* lessonsIn(scope)], [[0], []])
        assert.strictEqual(yield* reflectDue(idle), 1)
        assert.deepStrictEqual(yield* madeIn(scope), [1])
        assert.isNotEmpty(yield* lessonsIn(scope))
      }))

    it.effect("is not due when the outcome that causes it is undone", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* tell(scope, 24)
        yield* tell(scope, 1).pipe(
          Effect.andThen(Effect.fail("undone" as const)),
          withAccount(scope.accountId),
          Effect.flip
        )
        assert.strictEqual(yield* reflectDue(idle), 0)
        yield* tell(scope, 1)
        assert.strictEqual(yield* reflectDue(idle), 1)
      }))

    it.effect("on the same outcomes again changes no lesson and adds none", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* tell(scope, 25)
        yield* reflectDue(idle)
        const first = yield* lessonsIn(scope)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update reflection set reflected_at = null where account_id = ${scope.accountId}`.pipe(
          withAccount(scope.accountId)
        )
        yield* reflectDue(idle)
        assert.deepStrictEqual(yield* lessonsIn(scope), first)
        assert.isNotEmpty(first)
      }))

    it.effect("forgets the run lessons that newer ones repeat", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const { accountId } = scope
        const memory = yield* Memory
        const once = "RangeError: told once, long ago"
        for (let index = 0; index < 6; index++) {
          yield* promote(memory, {
            ...scope, userId: null, revision: 0, lessonId: `l${index}`, lessonType: "failure", scope: "run", content: "alpha failed",
            cluster: "code:easy", modelId: "alpha", importance: 0.5, confidence: 0.5,
            errorText: index === 0 ? once : "TypeError: again", occurredAt: new Date(index * 1_000)
          })
        }
        const reflection = { ...idle.reflection, runLessonsKept: 2, runLessonsMax: 100 }
        yield* tell(scope, 25)
        yield* reflectOnLane({ accountId, lane: scope.lane }, { ...idle, reflection }).pipe(withAccount(accountId))
        const kept = (yield* lessonsIn(scope)).map((row) => row["lesson_id"])
        assert.includeMembers(kept, ["l5", "l4", "l0"])
        assert.notIncludeMembers(kept, ["l1", "l2", "l3"])
      }))
  })
})
