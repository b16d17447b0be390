import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MemoryWrite } from "../../../src/domain/MemoryWrite.ts"
import { Lane, type LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { withAccount, withAccountLog } from "../../../src/sql/AccountScope.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"
import { freshAccount, freshScope, observationIn } from "../fixtures.ts"
import { piecesOf, randomWrites } from "../fold/randomWrites.ts"
import { alike, rowsOf } from "../laneState.ts"

/** Nothing is reflected on while a test looks: that would write lessons and forget votes of its own. */
const settings = {
  ...memorySettings, votesPerDayMax: 2, reflection: { ...memorySettings.reflection, every: 3, pauseMs: 3_600_000, pollMs: 3_600_000 }
}

/** What the labels of a lane's outcomes have voted on, and why it is to be reflected on. */
const votedIn = ({ accountId, lane }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const outcomes = yield* sql`select observation_id, voted_up, voted_down from observation where lane = ${lane} order by 1`
    return { outcomes, due: yield* sql`select crossing from reflection where lane = ${lane} order by 1` }
  }).pipe(withAccount(accountId))

const inAccount = (writes: ReadonlyArray<MemoryWrite>, accountId: LaneId["accountId"]): ReadonlyArray<MemoryWrite> =>
  writes.map((write) => ({ ...write, body: { ...write.body, accountId } }) as MemoryWrite)

onOneEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql", settings, keptText: "excerpt" }).pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(memory, engine), slow)(`writes of reports ${name}`, (it) => {
    for (const seed of [1, 2]) {
      it.effect(`leave the same rows and answers, however they are cut into batches (${seed})`, () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          const draw = generator(seed)
          const [one, cut, whole] = [freshAccount(), freshAccount(), freshAccount()]
          const lanes = [Lane.make("sextant:default"), Lane.make("sextant:other")]
          const writes = randomWrites(lanes.map((lane) => ({ accountId: one, lane })), 80, draw)
          const storeAll = (accountId: typeof one, batches: ReadonlyArray<ReadonlyArray<MemoryWrite>>) =>
            Effect.map(
              Effect.forEach(batches, (batch) => memory.store(accountId, inAccount(batch, accountId))),
              (stored) => stored.flatMap(({ written }) => written.map((each) =>
                // A record's id names its account.
                each?.kind === "teach" ? { ...each, taught: { ...each.taught, recordId: "" } } : each))
            )
          const answers = yield* storeAll(one, writes.map((write) => [write]))
          alike(yield* storeAll(cut, piecesOf(writes, draw)), answers)
          alike(yield* storeAll(whole, [writes]), answers)
          for (const lane of lanes) {
            const expected = yield* rowsOf({ accountId: one, lane })
            const voted = yield* votedIn({ accountId: one, lane })
            for (const accountId of [cut, whole]) {
              alike(yield* rowsOf({ accountId, lane }), expected)
              assert.deepStrictEqual(yield* votedIn({ accountId, lane }), voted)
            }
          }
        }))
    }

    it.effect("join the transaction that has the log, and take its place in the lane's versions", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const memory = yield* Memory
        const scope = freshScope()
        const teach = (): MemoryWrite => ({ kind: "teach", body: observationIn(scope) })
        const failed = withAccountLog(scope.accountId, 3)((revision) =>
          Effect.gen(function*() {
            assert.strictEqual(revision, 3)
            yield* memory.store(scope.accountId, [teach(), teach()])
            return yield* Effect.fail("undone" as const)
          }))
        assert.strictEqual(yield* Effect.flip(failed), "undone")
        yield* memory.store(scope.accountId, [teach(), teach(), teach()])
        const [state] = yield* sql`select (select revision::int from account_log) as revision, l.version::int, l.taught::int,
          (select array_agg(distinct version::int) from observation) as versions from lane l`.pipe(withAccount(scope.accountId))
        assert.deepStrictEqual(state, { revision: 0, version: 3, taught: 3, versions: [3] })
      }))

    it.effect("that change nothing leave the lane at its version", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const memory = yield* Memory
        const scope = freshScope()
        const write: MemoryWrite = { kind: "teach", body: observationIn(scope) }
        const versions = Effect.map(sql<{ version: number }>`select version::int from lane`.pipe(withAccount(scope.accountId)), (rows) =>
          rows.map(({ version }) => version))
        yield* memory.store(scope.accountId, [write])
        assert.deepStrictEqual(yield* versions, [1])
        yield* memory.store(scope.accountId, [write, write])
        assert.deepStrictEqual(yield* versions, [1])
      }))
  })
})
