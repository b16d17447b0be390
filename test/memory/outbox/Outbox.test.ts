import { assert, layer } from "@effect/vitest"
import { Data, Effect, Exit, Layer, Logger, Metric, Redacted, Result, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Lane } from "../../../src/domain/Scope.ts"
import type { LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { noRows } from "../../../src/domain/WriteRows.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { promote, recordSteps, reinforce, teach } from "../../../src/memory/DirectWrites.ts"
import { Memory, MemoryUnavailable } from "../../../src/memory/Memory.ts"
import * as Outbox from "../../../src/memory/outbox/Outbox.ts"
import { outboxSettings } from "../../../src/memory/outbox/OutboxSettings.ts"
import { keyFor } from "../../../src/memory/remote/MemoryBackend.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { MetricsEnabled, meters } from "../../../src/telemetry/Metrics.ts"
import * as MemoryLocal from "../../local/MemoryLocal.ts"
import { asRequestOf, badKeyOf, calledWithKeys } from "../../support/CallerKeys.ts"
import { embedded, onEachEngine, slow } from "../../support/Databases.ts"
import { withWrites } from "../../support/fakes.ts"
import { settlementOf } from "../../ledger/LedgerContract.ts"
import { freshScope, lessonIn, observationIn, queryIn, reinforcementIn } from "../fixtures.ts"
import { memoryContract } from "../MemoryContract.ts"
import { settlements, settling } from "../PreparedWritesContract.ts"

const quick = { ...outboxSettings, tickMs: 5, pauseMs: 20, pauseMsMax: 40, recheckMs: 0, leaseMs: 400, batchMs: 200 }

const stepsOf = (scope: LaneId) => ({
  ...scope, recommendationId: "r", cluster: "code:easy" as const, modelId: "alpha", occurredAt: new Date(),
  steps: [{ stepId: "one", stepName: null, outcome: "success" as const, signal: 1, rationale: null, directiveHint: null }]
})

/** A backend that a test can take out, and what it was told of each lane in order. */
const backend = Effect.gen(function*() {
  const real = yield* Memory
  const told: Array<string> = []
  const state: { trouble: ((id: string) => Reason.FailureReason | null) | null; isUp: boolean } = { trouble: null, isUp: true }
  const hear = <A>(id: string, effect: Effect.Effect<A, MemoryUnavailable>) =>
    Effect.suspend(() => {
      const reason = state.trouble?.(id) ?? (state.isUp ? null : new Reason.Unreachable({ cause: "down" }))
      if (reason !== null) return Effect.fail(new MemoryUnavailable({ reason }))
      told.push(id)
      return effect
    })
  const memory = withWrites(real, (write, writing) =>
    hear(write.kind === "teach" ? write.body.observationId : write.kind, writing))
  return { memory, real, told, state }
}).pipe(Effect.provide(MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer))))

/** A service process: its own outbox delivery over the shared database, ended with the scope. */
const service = (memory: Memory["Service"], settings = quick) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Outbox.layer(settings)).pipe(
      Layer.provide(Layer.succeed(Memory, memory)), Layer.merge(settlements)
    )),
    (context) =>
      Effect.map(
        Effect.provideContext(settling(context.mapUnsafe.get(Memory.key) as Memory["Service"]), context),
        calledWithKeys
      )
  )

const waiting = ({ accountId }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ kind: string; refused: boolean; text: string }>`
      select kind, refused_at is not null as refused, body::text as text from outbox
      where account_id = ${accountId} order by position`.pipe(withAccount(accountId))
  })

class NotYet extends Data.TaggedError("NotYet")<{ readonly rows: unknown }> {}

/** Looks until `isDone` of the account's rows. */
const until = (scope: LaneId, isDone: (rows: ReadonlyArray<{ readonly refused: boolean }>) => boolean) =>
  waiting(scope).pipe(
    Effect.flatMap((rows) => isDone(rows) ? Effect.succeed(rows) : Effect.fail(new NotYet({ rows }))),
    Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000, while: (error) => error._tag === "NotYet" })
  )
/** Looks until the gauge says so. */
const gaugeIs = (count: number) =>
  Metric.value(meters.outboxWaiting({})).pipe(
    Effect.flatMap(({ value }) => value === count ? Effect.void : Effect.fail(new NotYet({ rows: value }))),
    Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000 })
  )
const delivered = (scope: LaneId) => until(scope, (rows) => rows.length === 0)

onEachEngine((name, engine) => {
  // Outages are logged, and these tests make many.
  layer(Layer.merge(engine, Logger.layer([])), slow)(`Outbox ${name}`, (it) => {
    it.effect("a write that the backend takes at once is answered by it and never kept", () =>
      Effect.gen(function*() {
        const { memory } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        const { laneTaught } = yield* teach(outbox, observationIn(scope))
        assert.strictEqual(laneTaught, 1)
        assert.isEmpty(yield* waiting(scope))
      }))

    it.effect("metrics report how many writes wait, and none once they are delivered", () =>
      Effect.gen(function*() {
        const { memory, state } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        state.isUp = false
        for (const _ of [1, 2]) yield* Effect.flip(teach(outbox, observationIn(scope)))
        yield* gaugeIs(2)
        state.isUp = true
        yield* delivered(scope)
        yield* gaugeIs(0)
      }).pipe(Effect.provideService(MetricsEnabled, true), Effect.provideService(Metric.MetricRegistry, new Map())))

    it.effect("writes that a backend cannot take in an outage are kept, and sent in order once it is back", () =>
      Effect.gen(function*() {
        const { memory, real, state, told } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        const observation = observationIn(scope)
        state.isUp = false
        const failures = yield* Effect.forEach([
          teach(outbox, observation),
          reinforce(outbox, reinforcementIn(scope, [observation.observationId])),
          recordSteps(outbox, stepsOf(scope)),
          promote(outbox, lessonIn(scope, { lessonType: "failure", scope: "run", errorText: "TypeError: no rows" }))
        ] as ReadonlyArray<Effect.Effect<unknown, MemoryUnavailable>>, Effect.flip)
        assert.deepStrictEqual(failures.map(({ _tag }) => _tag), Array(4).fill("MemoryUnavailable"))
        const kinds = (yield* waiting(scope)).map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["teach", "reinforce", "recordSteps", "promote"])
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId, "reinforce", "recordSteps", "promote"])
        const { neighbours } = yield* real.recall(queryIn(scope))
        assert.closeTo([...neighbours][0]?.reliability ?? 0, 10 / 11, 1e-6)
        const { entryCounts } = yield* real.health({ ...scope, staleThresholdDays: 30 })
        assert.deepStrictEqual(entryCounts, { observation: 1, outcome_record: 1, lesson: 1, step_reward: 1 })
        const error = { errorText: "TypeError: no rows", errorType: null, userId: null, limit: 5 }
        assert.lengthOf((yield* real.diagnose({ ...scope, ...error })).lessons, 1)
      }))

    it.effect("a write waits behind its lane's others after the backend is back, and writes of other lanes do not", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const outbox = yield* service(memory, { ...quick, pauseMs: 300, pauseMsMax: 300, tickMs: 100 })
        const scope = freshScope()
        const [first, second, third] = [observationIn(scope), observationIn(scope), observationIn({
          ...scope, lane: Lane.make("sextant:other")
        })]
        state.isUp = false
        yield* Effect.flip(teach(outbox, first))
        state.isUp = true
        yield* Effect.flip(teach(outbox, second))
        yield* teach(outbox, third)
        yield* delivered(scope)
        const ids = [first, second].map(({ observationId }) => observationId)
        assert.deepStrictEqual(told.filter((id) => ids.includes(id)), ids)
        assert.include(told, third.observationId)
      }))

    it.effect("a write that was sent before a settlement is not kept in it", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        const prepared = yield* outbox.prepare([{ kind: "teach", body: { ...observationIn(scope), teaches: true } }])
        assert.lengthOf(told, 1)
        assert.deepStrictEqual(prepared.rows, noRows)
        const [answer] = prepared.results
        const taught = Result.getOrThrow(answer!)
        assert.strictEqual(taught.kind === "teach" ? taught.taught.laneTaught : null, 1)
      }))

    it.effect("a write that could not be sent before a settlement is kept in it, with all that follow it, in order", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        const observation = observationIn(scope)
        state.isUp = false
        const prepared = yield* outbox.prepare([
          { kind: "teach", body: { ...observation, teaches: true } }, { kind: "recordSteps", body: stepsOf(scope) }
        ])
        assert.isEmpty(yield* waiting(scope))
        assert.deepStrictEqual(prepared.results.map(Result.isFailure), [true, true])
        state.isUp = true
        yield* Ledger.use((ledger) => ledger.settle(settlementOf(scope.accountId, prepared))).pipe(
          Effect.provide(LedgerSql.layer)
        )
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId, "recordSteps"])
      }))

    it.effect("a settlement that comes to nothing keeps no writes", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        state.isUp = false
        const prepared = yield* outbox.prepare([{ kind: "teach", body: { ...observationIn(scope), teaches: true } }])
        yield* Ledger.use((ledger) => ledger.settle(settlementOf(scope.accountId, { ...prepared, before: [] }))).pipe(
          Effect.provide(LedgerSql.layer)
        )
        assert.isEmpty(yield* waiting(scope))
        state.isUp = true
        yield* outbox.recall(queryIn(scope))
        assert.isEmpty(told)
      }))

    it.effect("no row holds the caller's key", () =>
      Effect.gen(function*() {
        const { memory, state } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        state.isUp = false
        yield* Effect.flip(teach(outbox, observationIn(scope)))
        const [row] = yield* waiting(scope)
        assert.include(row?.text, "observation_id")
        assert.notInclude(row?.text, "0123456789abcdef")
      }))

    it.effect("after a restart an account's writes wait for its next request, and for no other account's", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const scope = freshScope()
        const observation = observationIn(scope)
        state.isUp = false
        yield* Effect.scoped(Effect.flatMap(service(memory), (before) => Effect.flip(teach(before, observation))))
        state.isUp = true
        const after = yield* service(memory)
        const stranger = freshScope()
        yield* after.recall(queryIn(stranger))
        yield* teach(after, observationIn(stranger))
        assert.lengthOf(yield* waiting(scope), 1)
        assert.notInclude(told, observation.observationId)
        yield* after.recall(queryIn(scope))
        yield* delivered(scope)
        assert.include(told, observation.observationId)
      }))

    it.effect("a write that the backend refuses is set aside and holds up no other write", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const outbox = yield* service(memory)
        const scope = freshScope()
        const [bad, good] = [observationIn(scope), observationIn(scope)]
        state.isUp = false
        yield* Effect.flip(teach(outbox, bad))
        yield* Effect.flip(teach(outbox, good))
        state.trouble = (id) => id === bad.observationId ? new Reason.Rejected({ cause: "never" }) : null
        state.isUp = true
        const rows = yield* until(scope, (rows) => rows.every(({ refused }) => refused))
        assert.lengthOf(rows, 1)
        assert.deepStrictEqual(told, [good.observationId])
        assert.strictEqual((yield* teach(outbox, observationIn(scope))).laneTaught, 2)
      }))

    it.effect("a write that a working backend repeatedly fails at is set aside, and one that fails in an outage is not", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        let tries = 0
        const counting = withWrites(memory, (_write, writing) => Effect.suspend(() => {
          tries++
          return writing
        }))
        const outbox = yield* service(counting, { ...quick, badAnswersMax: 4 })
        const scope = freshScope()
        const triedMore = (times: number) =>
          Effect.suspend(() => tries >= times ? Effect.void : Effect.fail(new NotYet({ rows: tries }))).pipe(
            Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000 })
          )
        const [bad, good] = [observationIn(scope), observationIn(scope)]
        const unavailable = new Reason.Unreachable({ status: 503, cause: "busy" })
        for (const cause of [null, unavailable]) {
          state.isUp = false
          state.trouble = () => cause
          if (cause === null) {
            yield* Effect.flip(teach(outbox, bad))
            yield* Effect.flip(teach(outbox, good))
          }
          yield* triedMore(tries + 8)
          assert.deepStrictEqual((yield* waiting(scope)).map(({ refused }) => refused), [false, false])
        }
        state.trouble = (id) => id === bad.observationId ? new Reason.Unreachable({ status: 500, cause: "broken" }) : null
        state.isUp = true
        const before = tries
        const rows = yield* until(scope, (rows) => rows.every(({ refused }) => refused))
        assert.lengthOf(rows, 1)
        assert.deepStrictEqual(told, [good.observationId])
        // One of the tries may have been under way before.
        assert.isAtMost(tries - before, 6)
      }))

    it.effect("a backlog of one account does not keep another's writes waiting", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const [busy, other] = [freshScope(), freshScope()]
        const others = observationIn(other)
        state.isUp = false
        yield* Effect.scoped(Effect.gen(function*() {
          const before = yield* service(memory)
          for (let n = 0; n < 40; n++) yield* Effect.flip(teach(before, observationIn(busy)))
          yield* Effect.flip(teach(before, others))
        }))
        state.isUp = true
        const after = yield* service(memory, { ...quick, concurrency: 1, batchRowsMax: 2 })
        yield* after.recall(queryIn(busy))
        yield* after.recall(queryIn(other))
        yield* delivered(busy)
        yield* delivered(other)
        assert.lengthOf(told, 41)
        assert.isBelow(told.indexOf(others.observationId), 20)
      }))

    it.effect("a backend that asks to wait is not tried again before then", () =>
      Effect.gen(function*() {
        const { memory } = yield* backend
        const sql = yield* SqlClient.SqlClient
        const scope = freshScope()
        const busy = new MemoryUnavailable({
          reason: new Reason.Unreachable({ cause: "busy", retryAfterMs: 60_000 })
        })
        const outbox = yield* service(withWrites(memory, () => Effect.fail(busy)))
        yield* Effect.flip(teach(outbox, observationIn(scope)))
        const waits = yield* sql<{ attempts: number; seconds: number }>`
          select attempts, extract(epoch from available_at - now())::float8 as seconds from outbox
          where account_id = ${scope.accountId}`.pipe(
          withAccount(scope.accountId),
          Effect.flatMap(([row]) => row?.attempts === 1 ? Effect.succeed(row) : Effect.fail(new NotYet({ rows: row }))),
          Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000 })
        )
        // Its own longest pause is 40 ms, and the lease 400 ms; the row was dated by another clock than this `now()`.
        assert.isTrue(waits.seconds > 30 && waits.seconds < 61, String(waits.seconds))
      }))

    it.effect("ping reports how many of the account's writes wait, also when the backend is out", () =>
      Effect.gen(function*() {
        const { memory, state } = yield* backend
        const scope = freshScope()
        const outbox = yield* service(memory)
        const reachable = Memory.of({
          ...memory,
          ping: (accountId) =>
            Effect.suspend(() => state.isUp ? memory.ping(accountId) : Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: "down" }) })))
        })
        const probing = yield* service(reachable)
        state.isUp = false
        for (let n = 0; n < 3; n++) yield* Effect.flip(teach(outbox, observationIn(scope)))
        yield* Effect.flip(teach(outbox, observationIn(freshScope())))
        assert.strictEqual((yield* Effect.flip(probing.ping(scope.accountId))).waiting, 3)
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual(yield* probing.ping(scope.accountId), { endpoint: "local", waiting: 0 })
      }))

    it.effect("the writes of a key that the backend refuses wait for a good key", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const scope = freshScope()
        const keys: Array<string> = []
        const picky = withWrites(memory, (write, writing) =>
          Effect.flatMap(keyFor(write.body.accountId), (key) => {
            keys.push(Redacted.value(key))
            return Redacted.value(key).includes("_bad1_")
              ? Effect.fail(new MemoryUnavailable({ reason: new Reason.Unauthorized({ cause: "revoked" }) }))
              : writing
          }))
        const outbox = yield* service(picky)
        const asRevoked = asRequestOf(scope.accountId, badKeyOf(scope.accountId))
        const observation = observationIn(scope)
        yield* Effect.flip(asRevoked(teach(outbox, observation)))
        yield* Effect.retry(
          Effect.suspend(() => keys.length >= 2 ? Effect.void : Effect.fail("not tried again yet")),
          { schedule: Schedule.spaced("10 millis"), times: 1_000 }
        )
        assert.isEmpty(told)
        assert.lengthOf(yield* waiting(scope), 1)
        state.isUp = true
        yield* outbox.recall(queryIn(scope))
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId])
      }))

    it.effect("a process that dies amid a delivery leaves it to another, and the outcome counts once", () =>
      Effect.gen(function*() {
        const { memory, real, state, told } = yield* backend
        const scope = freshScope()
        const observation = observationIn(scope)
        state.isUp = false
        const death = yield* Scope.make()
        // Takes what it is told and never answers.
        const silent = withWrites(memory, (_write, writing) => Effect.andThen(writing, Effect.never))
        const dying = yield* Effect.provideService(service(silent), Scope.Scope, death)
        yield* Effect.flip(teach(dying, observation))
        state.isUp = true
        yield* Effect.retry(
          Effect.suspend(() => told.length > 0 ? Effect.void : Effect.fail("not told yet")),
          { schedule: Schedule.spaced("10 millis"), times: 1_000 }
        )
        yield* Scope.close(death, Exit.void)
        assert.lengthOf(yield* waiting(scope), 1)
        const heir = yield* service(memory)
        yield* heir.recall(queryIn(scope))
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId, observation.observationId])
        assert.strictEqual((yield* real.recall(queryIn(scope))).laneSize, 1)
      }))

    it.effect("two processes deliver each lane's writes in order and each of them once", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const [left, right] = [yield* service(memory), yield* service(memory)]
        const account = freshScope()
        const lanes = Array.from({ length: 5 }, (_, n) => {
          const scope = { ...account, lane: Lane.make(`sextant:lane${n}`) }
          return Array.from({ length: 12 }, () => observationIn(scope))
        })
        state.isUp = false
        yield* Effect.forEach(lanes, (observations) =>
          Effect.forEach(observations, (observation, n) =>
            Effect.flip(teach(n % 2 === 0 ? left : right, observation))), { concurrency: "unbounded" })
        assert.lengthOf(yield* waiting(account), 60)
        state.isUp = true
        yield* delivered(account)
        for (const observations of lanes) {
          const ids = observations.map(({ observationId }) => observationId)
          assert.deepStrictEqual(told.filter((id) => ids.includes(id)), ids)
        }
      }))
  })
})

// On one engine: an outbox that delivers at once keeps no row, and what it does with rows is above.
layer(Layer.merge(Outbox.layer(), settlements).pipe(
  Layer.provide([MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer)), embedded])
), slow)("Memory behind an outbox", memoryContract)
