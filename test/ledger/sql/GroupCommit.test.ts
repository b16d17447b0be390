import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { FeedbackResponse } from "../../../src/domain/Feedback.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { LaneCalibrations } from "../../../src/ledger/LaneCalibration.ts"
import { Ledger, type SettledFeedback } from "../../../src/ledger/Ledger.ts"
import * as LaneCalibrationSql from "../../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { promote, reinforce, teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { databaseSettings } from "../../../src/sql/DatabaseSettings.ts"
import { freshScope, lessonIn, observationIn, reinforcementIn } from "../../memory/fixtures.ts"
import { onEachEngine, onServer, postgresServer, slow } from "../../support/Databases.ts"
import { answerOf, decisionOf, newAccount, plainRule, reportOf } from "../LedgerContract.ts"

type Work<E = never> = Effect.Effect<FeedbackResponse, E>
interface Told<E = never> {
  readonly key: string
  readonly work: Work<E>
  readonly fingerprint?: string
}

const answering = (recordId: string): Work => Effect.sync(() => answerOf(recordId))
const told = (key: string): Told => ({ key, work: answering(key) })

/** Settles these while another is under way, so that they wait together. */
const inOneGroup = Effect.fnUntraced(function*<E>(accountId: AccountId, all: ReadonlyArray<Told<E>>) {
  const ledger = yield* Ledger
  const gate = yield* Latch.make()
  const settle = ({ fingerprint = "f", key, work }: Told<E>) =>
    Effect.forkChild(
      Effect.exit(ledger.settle({ accountId, idempotencyKey: key, fingerprint }, work)),
      { startImmediately: true }
    )
  const running = yield* Deferred.make<void>()
  const before = yield* settle({
    key: `gate ${randomUUID()}`,
    work: Deferred.succeed(running, undefined).pipe(Effect.andThen(gate.await), Effect.as(answerOf("gate")))
  })
  yield* Deferred.await(running)
  const fibers = yield* Effect.forEach(all, settle)
  yield* gate.open
  yield* Fiber.join(before)
  return fibers
})

const settled = Effect.fnUntraced(function*<E>(accountId: AccountId, all: ReadonlyArray<Told<E>>) {
  return yield* Effect.forEach(yield* inOneGroup(accountId, all), Fiber.join)
})

const values = Effect.fnUntraced(function*(accountId: AccountId, all: ReadonlyArray<Told>) {
  return yield* Effect.forEach(yield* settled(accountId, all), (exit): Effect.Effect<SettledFeedback, unknown> => exit)
})

/** How many of the account's claims each of its transactions settled. */
const transactions = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly keys: ReadonlyArray<string> }>`
    select array_agg(idempotency_key order by idempotency_key) as keys from feedback_key
    where idempotency_key not like 'gate%' and response is not null
    group by xmin::text order by 1`.pipe(withAccount(accountId))
  return rows.map(({ keys }) => keys)
})

describe("settlements that share a transaction", () =>
  onEachEngine((name, engine) =>
    layer(
      Layer.mergeAll(LedgerSql.layer, LaneCalibrationSql.layer, MemorySql.layer({ endpoint: "postgresql" })).pipe(
        Layer.provide(EmbedderLexical.layer),
        Layer.provideMerge(engine)
      ),
      slow
    )(name, (it) => {
      it.effect("are those of one account that come while others of it are under way", () =>
        Effect.gen(function*() {
          const [accountId, other] = [newAccount(), newAccount()]
          const [mine] = yield* Effect.all([
            values(accountId, ["a", "b", "c"].map(told)), values(other, ["a", "b"].map(told))
          ], { concurrency: "unbounded" })
          assert.deepStrictEqual(mine.map(({ claim, response }) => [claim, response.recordId]), [
            ["first", "a"], ["first", "b"], ["first", "c"]
          ])
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b", "c"]])
          assert.deepStrictEqual(yield* transactions(other), [["a", "b"]])
        }))

      it.effect("are no more than so many; the others come in the next", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const keys = Array.from({ length: 2 * databaseSettings.settledTogether + 3 }, (_, index) => `k${index}`)
          yield* values(accountId, keys.map(told))
          const sizes = (yield* transactions(accountId)).map((group) => group.length)
          assert.strictEqual(Math.max(...sizes), databaseSettings.settledTogether)
          assert.strictEqual(sizes.reduce((sum, size) => sum + size), keys.length)
        }))

      it.effect("fail apart: a work that fails keeps its failure and fails nobody else", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const [a, bad, c] = yield* settled<string>(accountId, [
            told("a"), { key: "bad", work: Effect.suspend(() => Effect.fail("refused")) }, told("c")
          ])
          assert.deepStrictEqual(bad, Exit.fail("refused"))
          assert.isTrue(Exit.isSuccess(a!) && a.value.claim === "first")
          assert.isTrue(Exit.isSuccess(c!) && c.value.claim === "first")
          assert.deepStrictEqual(yield* transactions(accountId), [["a"], ["c"]])
          const [again] = yield* values(accountId, [told("bad")])
          assert.strictEqual(again?.claim, "first")
        }))

      it.effect("fail apart: a defect of one is nobody else's", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const [a, bad] = yield* settled(accountId, [
            told("a"), { key: "bad", work: Effect.sync((): FeedbackResponse => assert.fail("a defect")) }
          ])
          assert.isTrue(Exit.hasDies(bad!))
          assert.isTrue(Exit.isSuccess(a!))
          assert.deepStrictEqual(yield* transactions(accountId), [["a"]])
        }))

      it.effect("fail apart: a statement that failed and was hidden is no success, and costs the others nothing", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const hiding = Effect.as(Effect.ignore(sql`select 1 / 0`), answerOf("bad"))
          const [a, bad, c] = yield* settled(accountId, [told("a"), { key: "bad", work: hiding }, told("c")])
          assert.isTrue(Exit.isFailure(bad!))
          assert.isTrue(Exit.isSuccess(a!) && Exit.isSuccess(c!))
          assert.deepStrictEqual(yield* transactions(accountId), [["a"], ["c"]])
        }))

      it.effect("fail apart: what a stage makes do without is a warning of its own feedback alone", () =>
        Effect.gen(function*() {
          const memory = yield* Memory
          const scope = freshScope()
          const { accountId } = scope
          const promoting = (key: string, importance: number): Told => ({
            key,
            work: promote(memory, lessonIn(scope, { lessonId: key, importance })).pipe(Effect.match({
              onFailure: () => ({ ...answerOf(key), lessonPromoted: false }),
              onSuccess: () => ({ ...answerOf(key), lessonPromoted: true })
            }))
          })
          // No lesson is twice as important as can be: its statement is refused, alone and in company.
          const all = [promoting("a", 1), promoting("b", 0.5), promoting("bad", 2), promoting("c", 0)]
          const answers = yield* values(accountId, all)
          assert.deepStrictEqual(answers.map(({ claim }) => claim), Array(4).fill("first"))
          assert.deepStrictEqual(answers.map(({ response }) => response.lessonPromoted), [true, true, false, true])
        }))

      it.effect("count a claim once: a repeat in the group is answered the same, another body is told so", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          let runs = 0
          const work = (recordId: string) => Effect.sync(() => {
            runs++
            return answerOf(recordId)
          })
          const answers = yield* values(accountId, [
            { key: "a", work: work("one") },
            { key: "a", work: work("two") },
            { key: "a", work: work("three"), fingerprint: "g" },
            told("b")
          ])
          assert.strictEqual(runs, 1)
          assert.deepStrictEqual(answers.map(({ claim, response }) => [claim, response.recordId]), [
            ["first", "one"], ["same", "one"], ["other", "one"], ["first", "b"]
          ])
          const later = yield* values(accountId, [told("a"), told("c")])
          assert.deepStrictEqual(later.map(({ claim, response }) => [claim, response.recordId]), [
            ["same", "one"], ["first", "c"]
          ])
        }))

      it.effect("are of different decisions: reports of one are settled in turn, in their order", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const [one, other] = [decisionOf(accountId), decisionOf(accountId)]
          yield* ledger.record([one, other])
          const revisions: Array<number> = []
          const reporting = (key: string, { recommendationId }: typeof one) => {
            const report = reportOf()
            const work = Effect.map(ledger.reconcile(accountId, recommendationId, report, plainRule), (counted) => {
              if (recommendationId === one.recommendationId) revisions.push(counted?.before?.revision ?? 0)
              return answerOf(key)
            })
            return ledger.settle({ accountId, idempotencyKey: key, fingerprint: "f", about: { recommendationId, report } }, work)
          }
          yield* Effect.all([
            reporting("a", one), reporting("b", one), reporting("c", other), reporting("d", one), reporting("e", other)
          ], { concurrency: "unbounded" })
          assert.deepStrictEqual(revisions, revisions.toSorted((a, b) => a - b))
          assert.strictEqual(new Set(revisions).size, 3)
          for (const group of yield* transactions(accountId)) {
            assert.isAtMost(group.filter((key) => "abd".includes(key)).length, 1)
            assert.isAtMost(group.filter((key) => "ce".includes(key)).length, 1)
          }
        }))

      it.effect("do without a caller who went away before they began", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const gate = yield* Latch.make()
          const settle = (key: string, work: Work) =>
            Effect.forkChild(ledger.settle({ accountId, idempotencyKey: key, fingerprint: "f" }, work), {
              startImmediately: true
            })
          const running = yield* Deferred.make<void>()
          const opened = Effect.andThen(Deferred.succeed(running, undefined), gate.await)
          const before = yield* settle("gate", Effect.as(opened, answerOf("gate")))
          yield* Deferred.await(running)
          const gone = yield* settle("gone", Effect.suspend(() => Effect.die("it ran")))
          const staying = yield* Effect.forEach(["a", "b"], (key) => settle(key, answering(key)))
          yield* Fiber.interrupt(gone)
          yield* gate.open
          yield* Effect.forEach([before, ...staying], Fiber.join)
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b"]])
        }))

      it.effect("are not undone by a caller who goes away while they are under way", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const reached = yield* Deferred.make<void>()
          const gate = yield* Latch.make()
          const slowly = Deferred.succeed(reached, undefined).pipe(
            Effect.andThen(gate.await),
            Effect.as(answerOf("slow"))
          )
          const [gone, ...others] = yield* inOneGroup(accountId, [{ key: "slow", work: slowly }, told("a"), told("b")])
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(gone!)
          yield* gate.open
          for (const exit of yield* Effect.forEach(others, Fiber.join)) assert.isTrue(Exit.isSuccess(exit))
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b", "slow"]])
        }))

      it.effect("of a hundred outcomes at once every counter is exact", () =>
        Effect.gen(function*() {
          const [ledger, lanes, memory] = [yield* Ledger, yield* LaneCalibrations, yield* Memory]
          const sql = yield* SqlClient.SqlClient
          const scope = freshScope()
          const { accountId } = scope
          const entry = observationIn(scope, { quality: 1 })
          yield* teach(memory, entry, true)
          const count = 100
          const results = yield* Effect.forEach(Array.from({ length: count }, (_, index) => index), (index) =>
            ledger.settle({ accountId, idempotencyKey: `key ${index}`, fingerprint: "f" }, Effect.gen(function*() {
              const observation = observationIn(scope, { quality: index % 2, costUsd: 1 })
              const taught = yield* teach(memory, observation, true)
              yield* reinforce(memory, {
                ...reinforcementIn(scope, [entry.observationId]),
                reinforcementId: observation.observationId, userId: "one", quality: index % 2
              })
              yield* lanes.change(accountId, scope.lane, (now) => ({
                outcomes: (now?.outcomes ?? 0) + 1, similarityLow: 0, similarityHigh: 0, localShare: 0.5,
                cellsError: 0, mixedError: 0
              }))
              return { ...answerOf(taught.recordId), stepOutcomesRecorded: taught.laneTaught }
            })), { concurrency: "unbounded" })
          const counts = results.map(({ response }) => response.stepOutcomesRecorded).sort((a, b) => a - b)
          assert.deepStrictEqual(counts, Array.from({ length: count }, (_, index) => index + 2))
          const [row] = yield* sql`select l.taught::int as taught,
              (l.version >= ${2 * count + 1})::boolean as "isCounted",
              (select sum(outcomes)::int from outcome_record r where r.lane = l.lane) as outcomes,
              (select sum(cost_usd_count)::int from outcome_record r where r.lane = l.lane) as costs,
              (select votes_up + votes_down from observation o
                where o.lane = l.lane and o.observation_id = ${entry.observationId}::uuid) as votes,
              (select count(*)::int from observation o where o.lane = l.lane) as rows,
              (select count(*)::int from reinforcement f where f.lane = l.lane) as told,
              (select outcomes::int from lane_numbers n where n.lane = l.lane) as numbers
            from lane l where l.lane = ${scope.lane}`.pipe(withAccount(accountId))
          assert.deepStrictEqual(row, {
            taught: count + 1, isCounted: true, outcomes: count + 1, costs: count + (entry.costUsd === null ? 0 : 1),
            votes: memorySettings.votesPerDayMax, rows: count + 1, told: count, numbers: count
          })
        }))
    })))

describe("settlements whose group waits for its turn", () => {
  onEachEngine((name, engine) => {
    if (!name.includes("PostgreSQL")) return
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("do without a caller who went away meanwhile", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const settle = (own: AccountId, key: string, work: Work) =>
            Effect.forkChild(ledger.settle({ accountId: own, idempotencyKey: key, fingerprint: "f" }, work), {
              startImmediately: true
            })
          /** A settlement that keeps its turn until it is let go. */
          const keeping = Effect.fnUntraced(function*(own: AccountId) {
            const gate = yield* Latch.make()
            const running = yield* Deferred.make<void>()
            const opened = Effect.andThen(Deferred.succeed(running, undefined), gate.await)
            const fiber = yield* settle(own, "gate", Effect.as(opened, answerOf("gate")))
            return { isRunning: Deferred.await(running), letGo: Effect.andThen(gate.open, Fiber.join(fiber)) }
          })
          const others = yield* Effect.forEach(
            Array.from({ length: databaseSettings.settlements - 1 }, newAccount), keeping)
          const own = yield* keeping(accountId)
          yield* Effect.forEach([...others, own], ({ isRunning }) => isRunning)
          const next = yield* keeping(newAccount())
          const gone = yield* settle(accountId, "gone", Effect.suspend(() => Effect.die("it ran")))
          const staying = yield* Effect.forEach(["a", "b"], (key) => settle(accountId, key, answering(key)))
          yield* own.letGo
          yield* next.isRunning
          yield* Fiber.interrupt(gone)
          yield* Effect.forEach([...others, next], ({ letGo }) => letGo)
          yield* Effect.forEach(staying, Fiber.join)
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b"]])
        }))
    })
  })
})

describe("settlements whose connection dies", () => {
  if (postgresServer === null) {
    plain.skip("need a server", () => {})
    return
  }
  const server = postgresServer
  onEachEngine((name, engine) => {
    if (!name.includes("PostgreSQL")) return
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("are run again, each alone, and none is settled by half or twice", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          let kills = 0
          const killing = Effect.gen(function*() {
            const [own] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
            if (kills++ === 0) yield* onServer(server, `select pg_terminate_backend(${own?.pid})`)
            yield* sql`select 1`
            return answerOf("killing")
          }).pipe(Effect.mapError(() => "gone" as const))
          const [bad, a, b] = yield* settled<string>(accountId, [{ key: "killing", work: killing }, told("a"), told("b")])
          for (const exit of [bad!, a!, b!]) assert.isTrue(Exit.isSuccess(exit) && exit.value.claim === "first")
          assert.deepStrictEqual(yield* transactions(accountId), [["a"], ["b"], ["killing"]])
        }))
    })
  })
})
