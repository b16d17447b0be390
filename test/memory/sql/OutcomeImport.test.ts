import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { loggedOutcomeIdOf } from "../../../src/cli/imports/LoggedOutcome.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId, Lane, type LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { reinforce, teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import type { Observation } from "../../../src/domain/MemoryWrite.ts"
import { OutcomeImports, type RunningImport } from "../../../src/memory/OutcomeImport.ts"
import { hasUnembeddedImports, selectUnembedded } from "../../../src/memory/sql/EmbeddingRows.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import * as OutcomeImportSql from "../../../src/memory/sql/OutcomeImportSql.ts"
import { selectFacts } from "../../../src/memory/sql/ReflectionRows.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"
import { freshScope, observationIn, promptSettings, queryIn, reinforcementIn } from "../fixtures.ts"
import { alike, rowsOf, seenOf, applied } from "../laneState.ts"

const settings = { ...promptSettings, pollIntervalMs: 0 }
const hourMs = 3_600_000
const began = new Date(Math.floor(Date.now() / hourMs) * hourMs - 60 * 24 * hourMs)

/** The same ids in every account, so that two lanes can be compared. */
const rowScope = { accountId: AccountId.make("acme"), format: "jsonl" } as const

/** Call `i` of a log of 50: one an hour, from sixty days ago on. Every fourth has no label. */
const loggedIn = (scope: LaneId, i: number): Observation => {
  const occurredAt = new Date(began.getTime() + i * hourMs)
  const isLabelled = i % 4 !== 3
  const isFailure = isLabelled && i % 3 === 0
  return observationIn(scope, {
    observationId: loggedOutcomeIdOf({ ...rowScope, lane: scope.lane }, { at: occurredAt, id: `row-${i}` }),
    task: `Write function number ${i % 5}`, modelId: i % 2 === 0 ? "alpha" : "beta", userId: i % 5 === 0 ? "ann" : null, occurredAt,
    outcome: isFailure ? "failure" : "success", quality: isFailure ? 0.1 : 0.9,
    provenance: isLabelled ? "gate" : "none", provenanceWeight: isLabelled ? 1 : 0, costUsd: 0.001 * (i + 1), teaches: isLabelled
  })
}

const indices = (from: number, until: number) => Array.from({ length: until - from }, (_, i) => from + i)
const later = (i: number) => new Date(began.getTime() + (100 + i) * hourMs)

/** The outcome that makes a lane reflect on what it holds. */
const last = { observationId: "ffffffff-ffff-7fff-8fff-ffffffffffff", outcome: "failure", quality: 0 } as const

const nothingRead = { leftOut: {}, isTextKept: false }

const beginIn = (scope: LaneId, command: string) =>
  OutcomeImports.use((imports) => imports.begin({ ...scope, command, fileNames: ["calls.jsonl"] }))

const addTo = (running: RunningImport, rows: ReadonlyArray<number>) =>
  OutcomeImports.use((imports) =>
    imports.add(running, { ...nothingRead, rowsRead: rows.length, outcomes: rows.map((i) => imports.embedded(loggedIn(running, i))) }))

const endOf = (running: RunningImport) => OutcomeImports.use((imports) => imports.end(running))

/** Imports rows in batches of ten, all in one go. */
const importRows = (scope: LaneId, command: string, rows: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const running = yield* beginIn(scope, command)
    for (let at = 0; at < rows.length; at += 10) yield* addTo(running, rows.slice(at, at + 10))
    return { running, added: yield* endOf(running) }
  })

const undoIn = ({ accountId }: LaneId, importId: string) =>
  OutcomeImports.use((imports) => imports.undo({ accountId, importId }, () => {}))

/** What the lane's counters say, and what its outcomes add up to. */
const sumsOf = ({ accountId, lane }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [of] = yield* sql<{ readonly counted: object; readonly stored: object }>`select
      (select json_build_object('taught', l.taught, 'outcomes', r.outcomes)
        from (select sum(outcomes) as outcomes from outcome_record where lane = ${lane}) r, lane l
        where l.lane = ${lane}) as counted,
      (select json_build_object('taught', count(*) filter (where teaches), 'outcomes', count(*))
        from observation where lane = ${lane}) as stored`
    return of
  }).pipe(withAccount(accountId))

const marksOf = ({ accountId, lane }: LaneId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly importId: string | null; readonly rows: number }>`select import_id::text as "importId", count(*)::int as rows
      from observation where lane = ${lane} group by 1 order by 2`.pipe(withAccount(accountId)))

onOneEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql", settings }).pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(Layer.merge(memory, OutcomeImportSql.layer), engine), slow)(`an import of outcomes ${name}`, (it) => {
    it.effect("leaves a lane as if its outcomes had been reported at their own times, and marks them", () =>
      Effect.gen(function*() {
        const [imported, told] = [freshScope(), freshScope()]
        const memory = yield* Memory
        for (const i of indices(0, 50)) {
          yield* teach(memory, loggedIn(told, i))
        }
        const { added, running } = yield* importRows(imported, "one", indices(0, 50))
        assert.strictEqual(added, 50)
        // One more outcome lets both lanes reflect on what they hold now.
        for (const scope of [imported, told]) {
          yield* teach(memory, observationIn(scope, { ...last, occurredAt: later(60) }))
          yield* applied(scope)
        }
        alike(yield* rowsOf(imported), yield* rowsOf(told))
        alike(yield* seenOf(imported), yield* seenOf(told))
        assert.deepStrictEqual(yield* marksOf(imported), [{ importId: null, rows: 1 }, { importId: running.importId, rows: 50 }])
        // Sixty days are two half-lives.
        const { tallies } = yield* memory.recall(queryIn(imported, { modelIds: ["alpha"] }))
        assert.closeTo((tallies.get("alpha")?.lane.weight ?? 0) / 26, 0.25, 0.02)
      }))

    it.effect("counts every row once, whether its file comes again or overlaps, and in whichever lane", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const other = { ...scope, lane: Lane.make("sextant:other") }
        const first = yield* importRows(scope, "one", indices(0, 30))
        assert.strictEqual((yield* importRows(scope, "one", indices(0, 30))).added, 0)
        const second = yield* importRows(scope, "two", [...indices(20, 50), ...indices(20, 50)])
        assert.deepStrictEqual([first.added, second.added], [30, 20])
        assert.strictEqual((yield* importRows(other, "two", indices(20, 50))).added, 30)
        const entries = yield* OutcomeImports.use(({ list }) => list(scope.accountId))
        assert.deepStrictEqual(entries.map(({ added, lane, state }) => [lane, state, added]), [
          ["sextant:other", "done", 30], ["sextant:default", "done", 20], ["sextant:default", "done", 30]
        ])
        const sums = yield* sumsOf(scope)
        assert.deepStrictEqual(sums?.counted, sums?.stored)
      }))

    it.effect("is undone as if it had never been made, with the votes on it, while another one stays", () =>
      Effect.gen(function*() {
        const [all, kept] = [freshScope(), freshScope()]
        const memory = yield* Memory
        // Votes on an earlier entry: in `all` it is an imported one, in `kept` none.
        const tell = (scope: LaneId, i: number) =>
          Effect.gen(function*() {
            const observationId = `01890a5d-${(0xa000 + i).toString(16)}-774b-bcce-b302099a8000`
            yield* teach(memory, observationIn(scope, { observationId, modelId: "beta", occurredAt: later(i) }))
            yield* reinforce(memory, reinforcementIn(scope, [loggedIn(scope, 4 * i).observationId], {
              reinforcementId: observationId, occurredAt: later(i)
            }))
          })
        yield* importRows(kept, "kept", indices(30, 50))
        yield* importRows(all, "kept", indices(30, 50))
        const gone = yield* importRows(all, "gone", indices(0, 30))
        for (const i of indices(0, 5)) {
          yield* tell(all, i)
          yield* tell(kept, i)
        }
        assert.notDeepEqual(yield* seenOf(all), yield* seenOf(kept))
        assert.deepStrictEqual(yield* undoIn(all, gone.running.importId), { lane: all.lane, outcomes: 30 })
        for (const scope of [all, kept]) {
          yield* teach(memory, observationIn(scope, { ...last, occurredAt: later(60) }))
          yield* applied(scope)
        }
        alike(yield* rowsOf(all), yield* rowsOf(kept))
        alike(yield* seenOf(all), yield* seenOf(kept))
        assert.strictEqual((yield* Effect.flip(undoIn(all, gone.running.importId)))._tag, "UnknownImport")
        // What is undone may come again.
        assert.strictEqual((yield* importRows(all, "gone", indices(0, 30))).added, 30)
      }))

    it.effect("goes on where the same command was interrupted, and has one writer at a time", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const dead = yield* beginIn(scope, "one")
        yield* OutcomeImports.use((imports) =>
          imports.add(dead, {
            isTextKept: false, rowsRead: 12, leftOut: { no_model: 2 },
            outcomes: indices(0, 10).map((i) => loggedIn(scope, i))
          }))
        const next = yield* beginIn(scope, "one")
        assert.deepStrictEqual(
          [next.importId, next.isResumed, next.rowsRead, next.added, next.leftOut, next.files],
          [dead.importId, true, 12, 10, { no_model: 2 }, ["calls.jsonl"]]
        )
        assert.isFalse((yield* beginIn(scope, "another")).isResumed)
        assert.strictEqual((yield* Effect.flip(addTo(dead, [10])))._tag, "ImportTaken")
        yield* addTo(next, indices(10, 20))
        assert.strictEqual(yield* endOf(next), 20)
        assert.isFalse((yield* beginIn(scope, "one")).isResumed)
      }))

    it.effect("ends when it is undone meanwhile, and none begins in a lane before an undo has ended", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const sql = yield* SqlClient.SqlClient
        const running = yield* beginIn(scope, "one")
        yield* addTo(running, indices(0, 10))
        yield* undoIn(scope, running.importId)
        assert.strictEqual((yield* Effect.flip(addTo(running, indices(10, 20))))._tag, "ImportTaken")
        assert.strictEqual(yield* endOf(running), 0)
        assert.deepStrictEqual(yield* marksOf(scope), [])
        const half = yield* importRows(scope, "two", indices(0, 10))
        yield* sql`update import set state = 'undoing' where import_id = ${half.running.importId}::uuid`.pipe(withAccount(scope.accountId))
        assert.strictEqual((yield* Effect.flip(beginIn(scope, "three")))._tag, "UndoUnfinished")
        assert.strictEqual((yield* undoIn(scope, half.running.importId)).outcomes, 10)
        assert.isFalse((yield* beginIn(scope, "three")).isResumed)
      }))

    it.effect("counts right beside another import of the same rows, feedback and an undo at the same time", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const memory = yield* Memory
        const undone = yield* importRows(scope, "undone", indices(40, 50))
        // No import begins while another one of the lane is partly undone, so these have begun.
        const [one, two] = [yield* beginIn(scope, "one"), yield* beginIn(scope, "two")]
        yield* Effect.all([
          Effect.forEach([0, 10, 20], (at) => addTo(one, indices(at, at + 10))),
          Effect.forEach([30, 20, 10], (at) => addTo(two, indices(at, at + 10).toReversed())),
          Effect.forEach(indices(0, 20), () => teach(memory, observationIn(scope))),
          undoIn(scope, undone.running.importId)
        ], { concurrency: "unbounded" })
        yield* Effect.all([endOf(one), endOf(two)], { concurrency: "unbounded" })
        yield* applied(scope)
        const sums = yield* sumsOf(scope)
        assert.deepStrictEqual(sums?.counted, sums?.stored)
        assert.deepInclude(sums?.stored, { outcomes: 60 })
        assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 20 + 30)
      }))

    it.effect("leaves outcomes without text out of what is embedded later, and says that they are left", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const unembeddedIn = () =>
          Effect.all([selectUnembedded(scope, "remote/1", { before: null, rows: 100 }), hasUnembeddedImports(scope, "remote/1")]).pipe(
            withAccount(scope.accountId)
          )
        yield* importRows(scope, "without", indices(0, 10))
        assert.deepStrictEqual(yield* unembeddedIn(), [[], true])
        const running = yield* beginIn(scope, "with")
        yield* OutcomeImports.use((imports) =>
          imports.add(running, {
            ...nothingRead, isTextKept: true, rowsRead: 10, outcomes: indices(10, 20).map((i) => imports.embedded(loggedIn(scope, i)))
          }))
        const [rows, isLeft] = yield* unembeddedIn()
        const taught = indices(10, 20).map((i) => loggedIn(scope, i)).filter(({ teaches }) => teaches)
        assert.sameMembers(rows.map(({ task }) => task), taught.map(({ task }) => task))
        assert.isTrue(isLeft)
        const other = freshScope()
        yield* Effect.flatMap(Memory, (memory) => teach(memory, observationIn(other)))
        assert.isFalse(yield* hasUnembeddedImports(other, "remote/1").pipe(withAccount(other.accountId)))
      }))

    it.effect("takes no place of later reports in what lessons are drawn from", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const memory = yield* Memory
        for (const i of indices(0, 5)) {
          const observationId = `${RecommendationId.fromParts(later(i).getTime(), new Uint8Array(10).fill(i))}`
          yield* teach(memory, observationIn(scope, { observationId, modelId: "gamma", occurredAt: later(i) }))
        }
        yield* importRows(scope, "one", indices(0, 20))
        const few = { ...settings, reflection: { ...settings.reflection, outcomesMax: 5 } }
        const { account } = yield* selectFacts(scope, few, later(60)).pipe(withAccount(scope.accountId))
        assert.deepStrictEqual(account.map(({ modelId, outcomes }) => [modelId, outcomes]), [["gamma", 5]])
      }))

    it.effect("is its account's alone: another one neither sees nor undoes it", () =>
      Effect.gen(function*() {
        const [scope, stranger] = [freshScope(), freshScope()]
        const { running } = yield* importRows(scope, "one", indices(0, 10))
        assert.deepStrictEqual(yield* OutcomeImports.use(({ list }) => list(stranger.accountId)), [])
        assert.strictEqual((yield* Effect.flip(undoIn(stranger, running.importId)))._tag, "UnknownImport")
        const stolen = { ...running, accountId: AccountId.make(stranger.accountId) }
        assert.strictEqual((yield* Effect.flip(addTo(stolen, [11])))._tag, "ImportTaken")
        const [mine] = yield* OutcomeImports.use(({ stored }) =>
          Effect.map(stored(stranger, [loggedIn(scope, 0).observationId]), (ids) => [ids.size]))
        assert.strictEqual(mine, 0)
      }))
  })
})
