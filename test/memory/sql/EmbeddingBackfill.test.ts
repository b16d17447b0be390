import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { unmeasured } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { type EmbedderSettings, embedderSettings } from "../../../src/embedder/EmbedderSettings.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import * as EmbedderHttp from "../../../src/embedder/remote/EmbedderHttp.ts"
import { observationIdOf } from "../../../src/engine/learn/FindDecision.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { type FakeEmbeddings, fakeEmbeddings, say } from "../../embedder/embeddings.ts"
import { decision } from "../../support/builders.ts"
import { embedded, onOneEngine, slow } from "../../support/Databases.ts"
import { reportTo } from "../../ledger/LedgerContract.ts"
import { eventually, freshScope, lessonIn, observationIn, promptSettings, queryIn } from "../fixtures.ts"
import { memoryContract } from "../MemoryContract.ts"
import { ahead } from "../../support/clocks.ts"

const patient: EmbedderSettings = {
  ...embedderSettings, waitMs: 10_000, requestTimeoutMs: 20_000, measureMs: 20, measureMsMax: 50
}

const settings = {
  ...promptSettings,
  backfill: { ...promptSettings.backfill, pauseMs: 10, retryMs: 50, pageRows: 4 }
}

const lexical = (keptText: "excerpt" | "none" = "none") =>
  Layer.fresh(MemorySql.layer({ endpoint: "postgresql", settings, keptText })).pipe(
    Layer.provide(EmbedderLexical.layer)
  )

const placed = (fake: FakeEmbeddings, own: EmbedderSettings = patient, keptText: "excerpt" | "none" = "none") =>
  Layer.fresh(MemorySql.layer({ endpoint: "postgresql", settings, keptText })).pipe(
    Layer.provide([EmbedderLexical.layer, Layer.fresh(EmbedderHttp.layer(fake.options, own))]),
    Layer.provide(Logger.layer([]))
  )

const down: NonNullable<FakeEmbeddings["state"]["trouble"]> = (response) => say(response, "", 500)

/** How many outcomes of the scope have a vector of each embedder. */
const vectorsIn = ({ accountId }: ReturnType<typeof freshScope>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* withAccount(accountId)(sql<{ embedder: string; count: number }>`
      select split_part(embedder, '/', 1) = 'lexical' as lexical, embedder, count(*)::int as count
      from observation_vector where account_id = ${accountId} group by embedder`)
    const of = (isLexical: boolean) =>
      rows.filter(({ embedder }) => embedder.startsWith("lexical") === isLexical).reduce((sum, { count }) => sum + count, 0)
    return { lexical: of(true), remote: of(false) }
  })

// On one engine: MemorySql.test.ts has the contract on each, and the statements of an endpoint are below.
layer(
  Layer.unwrap(Effect.map(fakeEmbeddings, (fake) => placed(fake))).pipe(Layer.provideMerge(embedded)),
  slow
)("MemorySql with an embeddings endpoint", (it) => {
  memoryContract(it)
})

onOneEngine((name, engine) => {
  layer(engine, slow)(`placing outcomes ${name}`, (it) => {
    it.effect("every outcome has vectors of both embedders, and similarities are on one scale", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        const task = "Write a function that sums a list of integers"
        const remote = yield* Memory.use((memory) =>
          Effect.gen(function*() {
            yield* teach(memory, observationIn(scope, { task }))
            yield* teach(memory, observationIn(scope, { task: "Translate the menu into French" }))
            return yield* memory.recall(queryIn(scope, { task }))
          })).pipe(Effect.provide(placed(fake)))
        assert.deepStrictEqual(yield* vectorsIn(scope), { lexical: 2, remote: 2 })
        assert.isUndefined(remote.embedderFailed)
        const words = yield* Memory.use((memory) => memory.recall(queryIn(scope, { task }))).pipe(
          Effect.provide(lexical())
        )
        const similarities = (recalled: typeof words) => [...recalled.neighbours].map(({ similarity }) => similarity)
        const [near, far] = similarities(remote)
        assert.closeTo(near ?? 0, 1, 0.01)
        // The endpoint said about 0.64 of two texts that have nothing in common.
        assert.closeTo(far ?? 0, similarities(words)[1] ?? 0, 0.15)
        assert.isBelow(far ?? 1, 0.3)
      }))

    it.effect("in an outage of the endpoint outcomes are taught and recalled, and get vectors later", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        yield* Memory.use((memory) =>
          Effect.gen(function*() {
            yield* teach(memory, observationIn(scope, { task: "the first of them" }))
            fake.state.trouble = down
            const tasks = Array.from({ length: 6 }, (_, i) => `another task, the ${i}th`)
            yield* Effect.forEach(tasks, (task) => teach(memory, observationIn(scope, { task })))
            assert.deepStrictEqual(yield* vectorsIn(scope), { lexical: 7, remote: 1 })
            const without = yield* memory.recall(queryIn(scope, { task: "unseen", perModel: 10 }))
            assert.deepStrictEqual([without.embedderFailed, without.neighbours.length], [true, 7])
            fake.state.trouble = null
            yield* eventually(vectorsIn(scope), ({ remote }) => remote === 7)
            const again = yield* eventually(
              memory.recall(queryIn(scope, { task: "unseen again", perModel: 10 })),
              ({ embedderFailed }) => embedderFailed !== true
            )
            assert.lengthOf(again.neighbours, 7)
          })).pipe(Effect.provide(placed(fake, { ...patient, breaker: { failuresMax: 2, openMs: 50, slowMs: 10 } }, "excerpt")))
      }))

    it.effect("outcomes get their vectors after an outage in which the wall clock was put back by hours", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        let aheadMs = 3 * 3_600_000
        yield* ahead(() => aheadMs)(Memory.use((memory) =>
          Effect.gen(function*() {
            fake.state.trouble = down
            yield* teach(memory, observationIn(scope, { task: "the only one" }))
            yield* eventually(Effect.sync(() => fake.heard.length), (heard) => heard > 2)
            aheadMs = 0
            fake.state.trouble = null
            yield* eventually(vectorsIn(scope), ({ remote }) => remote === 1)
          })).pipe(Effect.provide(placed(fake, { ...patient, waitMs: 100, breaker: { failuresMax: 2, openMs: 50, slowMs: 10 } }, "excerpt"))))
      }), 60_000)

    it.effect("an older lane is recalled by its words until the ledger's texts are embedded", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        const { accountId } = scope
        const nowMs = Date.now()
        // Three decisions of one moment, as the steps of a workflow are, and others.
        const moments = [nowMs, nowMs, nowMs, nowMs + 1, nowMs + 2, nowMs + 3]
        yield* Effect.forEach(moments, (createdAtMs, i) =>
          Effect.gen(function*() {
            const recommendationId = RecommendationId.make(createdAtMs)
            const task = `a task of its own, number ${i}`
            const made = decision({
              recommendationId, accountId, lane: scope.lane, createdAt: new Date(createdAtMs), taskExcerpt: task,
              taskType: "code", difficulty: "easy", cluster: "code:easy"
            })
            const occurredAt = new Date(nowMs + 1_000 + i)
            const ledger = yield* Ledger
            yield* ledger.record([made])
            yield* reportTo(ledger, accountId, recommendationId, {
              feedbackAt: occurredAt, chosenModelId: "alpha", outcome: "success", quality: 0.9, provenance: "gate",
              errorCause: null, teaches: true, isLate: false, ...unmeasured, taughtQuality: 0.9, provenanceWeight: 1
            })
            const observationId = observationIdOf(accountId, recommendationId, "alpha")
            yield* Memory.use((memory) =>
              teach(memory, observationIn(scope, { observationId, task, occurredAt })))
          })).pipe(Effect.provide(Layer.mergeAll(lexical(), LedgerSql.layer)))
        assert.deepStrictEqual(yield* vectorsIn(scope), { lexical: 6, remote: 0 })

        yield* Memory.use((memory) =>
          Effect.gen(function*() {
            const before = yield* memory.recall(queryIn(scope, { task: "a task of its own", perModel: 10 }))
            assert.deepStrictEqual([before.neighbours.length, before.embedderFailed], [6, undefined])
            yield* eventually(vectorsIn(scope), ({ remote }) => remote === 6)
            const texts = new Set(fake.heard.flatMap(({ input }) => input))
            for (const i of moments.keys()) assert.isTrue(texts.has(`a task of its own, number ${i}`))
            // By meaning now: the nearest has the very text.
            const after = yield* memory.recall(queryIn(scope, { task: "a task of its own, number 4" }))
            assert.closeTo([...after.neighbours][0]?.similarity ?? 0, 1, 0.01)
          })).pipe(Effect.provide(placed(fake)))
      }))

    it.effect("a memory without a ledger embeds the texts that it kept when an endpoint is switched on", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        yield* Memory.use((memory) => teach(memory, observationIn(scope))).pipe(
          Effect.provide(lexical("excerpt"))
        )
        yield* Memory.use((memory) =>
          Effect.andThen(
            memory.recall(queryIn(scope)),
            eventually(vectorsIn(scope), ({ remote }) => remote === 1)
          )).pipe(Effect.provide(placed(fake, patient, "excerpt")))
      }))

    it.effect("a report requests vectors before its statement, and writes nothing at that time", () =>
      Effect.gen(function*() {
        const fake = yield* fakeEmbeddings
        const scope = freshScope()
        yield* Memory.use((memory) =>
          Effect.gen(function*() {
            const observation = observationIn(scope, { task: "to be applied" })
            const lesson = lessonIn(scope)
            const taskVectors = yield* memory.prepare(observation)
            const strategies = memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
            assert.lengthOf(yield* strategies, 0)
            assert.deepStrictEqual(yield* vectorsIn(scope), { lexical: 0, remote: 0 })
            const before = fake.heard.length
            const { onDurable } = yield* memory.store(scope.accountId, [
              { kind: "teach", body: { ...observation, taskVectors } }, { kind: "promote", body: lesson }
            ])
            yield* onDurable
            assert.strictEqual(fake.heard.length, before)
            assert.lengthOf(yield* strategies, 1)
            assert.deepStrictEqual(yield* vectorsIn(scope), { lexical: 1, remote: 1 })
          })).pipe(Effect.provide(placed(fake)))
      }))
  })
})
