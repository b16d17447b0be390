import { assert, layer } from "@effect/vitest"
import { Data, Deferred, Effect, Exit, Fiber, Layer, Logger, Metric, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { encodeWrites } from "../../../src/api/memory/LoggedWrites.ts"
import { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import type { MemoryWrite, Observation, Written } from "../../../src/domain/MemoryWrite.ts"
import { Lane } from "../../../src/domain/Scope.ts"
import type { AccountId, LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory, MemoryUnavailable } from "../../../src/memory/Memory.ts"
import { noFailures } from "../../../src/memory/delivery/Delivery.ts"
import { deliverySettings } from "../../../src/memory/delivery/DeliverySettings.ts"
import { DeliveryStore } from "../../../src/memory/delivery/DeliveryStore.ts"
import * as DeliveryStoreSql from "../../../src/memory/delivery/DeliveryStoreSql.ts"
import * as MemoryDelivered from "../../../src/memory/delivery/MemoryDelivered.ts"
import { keyFor } from "../../../src/memory/remote/MemoryBackend.ts"
import { removeWords } from "../../../src/memory/sql/TaskWords.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { withAccount, withAccountLog } from "../../../src/sql/AccountScope.ts"
import { MetricsEnabled, meters } from "../../../src/telemetry/Metrics.ts"
import * as MemoryLocal from "../../local/MemoryLocal.ts"
import { asRequestOf, badKeyOf, calledWithKeys } from "../../support/CallerKeys.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"
import { withWrites } from "../../support/fakes.ts"
import {
  freshScope, lessonIn, observationIn, observing, queryIn, recording, reinforcementIn, stepsIn, voterOf
} from "../fixtures.ts"

const quick = {
  ...deliverySettings, tickMs: 5, pauseMs: 20, pauseMsMax: 40, recheckMs: 0
}
/** For tests that wait for the end of a lease. */
const brief = { ...quick, leaseMs: 400 }

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

/** A service process: its own delivery over the shared database, ended with the scope. */
const service = (memory: Memory["Service"], settings = quick) =>
  Effect.map(
    Layer.build(Layer.fresh(MemoryDelivered.layer(settings)).pipe(Layer.provide(Layer.succeed(Memory, memory)))),
    (context) => calledWithKeys(context.mapUnsafe.get(Memory.key) as Memory["Service"])
  )

/** An answer that tells what the memory took. */
const answerOf = (count: number, written: ReadonlyArray<Written | null>) => {
  const taken = written.filter((each) => each !== null)
  const [teaching] = taken.filter(({ kind }) => kind === "teach")
  return FeedbackResponse.make({
    accepted: true,
    recordId: teaching?.kind === "teach" ? teaching.taught.recordId : null,
    reinforcedEntryIds: taken.map(({ kind }) => kind),
    updatedConfidence: null,
    reflectionTriggered: false,
    lessonPromoted: false,
    stepOutcomesRecorded: taken.length,
    warnings: taken.length < count ? ["memory_write_failed"] : []
  })
}

/** Appends a report with the writes to the log, as the ledger does; yields its revision. */
const append = (accountId: AccountId, writes: ReadonlyArray<unknown>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* withAccountLog(accountId, 1)((revision) =>
      Effect.as(sql`insert into report
          (account_id, revision, recommendation_id, idempotency_key, fingerprint, body, response, writes)
        values (${accountId}, ${revision}, ${randomUUID()}, ${randomUUID()}, 'f', '{}', '{"record_id": null}',
          ${JSON.stringify(writes)}::text::jsonb)`, revision))
  })

/** A feedback that is appended and then delivered; yields its answer. */
const report = Effect.fnUntraced(function*(memory: Memory["Service"], ...writes: ReadonlyArray<MemoryWrite>) {
  const accountId = writes[0]!.body.accountId
  const revision = yield* append(accountId, encodeWrites(writes) ?? [])
  return yield* memory.deliver(accountId, revision, {
    writes, answer: (written) => answerOf(writes.length, written)
  })
})

/** A feedback whose outcome the memory took. */
const teach = (memory: Memory["Service"], observation: Observation) =>
  Effect.tap(report(memory, observing(observation)), ({ warnings }) =>
    Effect.sync(() => assert.deepStrictEqual(warnings, [])))

/** A feedback whose outcome the memory has not taken when it is answered. */
const teachLate = (memory: Memory["Service"], observation: Observation) =>
  Effect.tap(report(memory, observing(observation)), ({ warnings }) =>
    Effect.sync(() => assert.deepStrictEqual(warnings, ["memory_write_failed"])))

/** A memory that went down before it was told of `count` outcomes. */
const outage = Effect.fnUntraced(function*(count: number) {
  const { memory, state } = yield* backend
  const delivering = yield* service(memory)
  const scope = freshScope()
  state.isUp = false
  for (let n = 0; n < count; n++) yield* teachLate(delivering, observationIn(scope))
  return { scope, state }
})

interface ReportRow {
  readonly writes: ReadonlyArray<{ readonly kind: string }> | null
  readonly refused: ReadonlyArray<{ readonly kind: string }> | null
  readonly response: { readonly record_id: string | null; readonly warnings?: ReadonlyArray<string> }
}

const reportsOf = ({ accountId }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<ReportRow>`select writes, refused, response from report
      where account_id = ${accountId} order by revision`.pipe(withAccount(accountId))
  })

/** The reports that the memory lacks something of. */
const waiting = (scope: LaneId) =>
  Effect.map(reportsOf(scope), (reports) => reports.filter(({ writes }) => writes !== null))

class NotYet extends Data.TaggedError("NotYet")<{ readonly found: unknown }> {}

/** Looks until `isDone` of what it finds. */
const until = <A, E, R>(look: Effect.Effect<A, E, R>, isDone: (found: A) => boolean) =>
  look.pipe(
    Effect.flatMap((found) => isDone(found) ? Effect.succeed(found) : Effect.fail(new NotYet({ found }))),
    Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000, while: (error) => error instanceof NotYet })
  )
const gaugeIs = (count: number) => until(Metric.value(meters.outboxWaiting({})), ({ value }) => value === count)
const lanesBehind = ({ accountId }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ lane: string; attempts: number; badAnswers: number; seconds: number }>`
      select lane, attempts, bad_answers as "badAnswers", extract(epoch from next_at - now())::float8 as seconds
      from delivery where account_id = ${accountId}`.pipe(withAccount(accountId))
  })
/** Looks until the memory lacks nothing of the account's reports. */
const delivered = (scope: LaneId) =>
  Effect.andThen(until(waiting(scope), (reports) => reports.length === 0), until(lanesBehind(scope), ({ length }) => length === 0))

onOneEngine((name, engine) => {
  // Outages are logged, and these tests make many.
  layer(Layer.merge(engine, Logger.layer([])), slow)(`Delivery ${name}`, (it) => {
    it.effect("a report that the backend takes at once is answered by it, and a repeat answers the same", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        const observation = observationIn(scope)
        const { recordId } = yield* report(delivering, observing(observation), recording(stepsIn(scope)))
        assert.isNotNull(recordId)
        const [row] = yield* reportsOf(scope)
        assert.deepInclude(row, { writes: null, refused: null })
        assert.deepInclude(row?.response, { record_id: recordId, warnings: [] })
        assert.isEmpty(yield* lanesBehind(scope))
        assert.deepStrictEqual(told, [observation.observationId, "recordSteps"])
      }))

    it.effect("a report without writes is answered without a look at the log", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const delivering = yield* service(memory)
        const { accountId } = freshScope()
        const answer = yield* delivering.deliver(accountId, 1, { writes: [], answer: (written) => answerOf(0, written) })
        assert.isEmpty(answer.warnings)
        assert.isEmpty(told)
      }))

    it.effect("metrics report how many reports wait, and none once they are delivered", () =>
      Effect.gen(function*() {
        const { scope, state } = yield* outage(2)
        yield* gaugeIs(2)
        state.isUp = true
        yield* delivered(scope)
        yield* gaugeIs(0)
      }).pipe(Effect.provideService(MetricsEnabled, true), Effect.provideService(Metric.MetricRegistry, new Map())))

    it.effect("writes of an outage stay with their reports, and are sent in order once it is over", () =>
      Effect.gen(function*() {
        const { memory, real, state, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        const observation = observationIn(scope)
        const reinforcement = reinforcementIn(scope, [observation.observationId])
        const voter = voterOf(reinforcement)
        state.isUp = false
        const answers = [
          yield* report(delivering, observing(observation)),
          yield* report(delivering, observing(voter), { kind: "reinforce", body: reinforcement }, recording(stepsIn(scope))),
          yield* report(delivering,
            { kind: "promote", body: lessonIn(scope, { lessonType: "failure", scope: "run", errorText: "TypeError: no rows" }) })
        ]
        for (const { warnings } of answers) assert.deepStrictEqual(warnings, ["memory_write_failed"])
        const kinds = (yield* waiting(scope)).map(({ writes }) => writes?.map(({ kind }) => kind))
        assert.deepStrictEqual(kinds, [["teach"], ["teach", "reinforce", "recordSteps"], ["promote"]])
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual(told, [
          observation.observationId, voter.observationId, "reinforce", "recordSteps", "promote"
        ])
        const { neighbours } = yield* real.recall(queryIn(scope))
        assert.closeTo([...neighbours][0]?.reliability ?? 0, 10 / 11, 1e-6)
        const { entryCounts } = yield* real.health({ ...scope, staleThresholdDays: 30 })
        assert.deepStrictEqual(entryCounts, { observation: 2, outcome_record: 1, lesson: 1, step_reward: 1 })
        const error = { errorText: "TypeError: no rows", errorType: null, userId: null, limit: 5 }
        assert.lengthOf((yield* real.diagnose({ ...scope, ...error })).lessons, 1)
        // A repeat of a late feedback answers what the first answer was.
        for (const { response } of yield* reportsOf(scope)) assert.deepStrictEqual(response, { record_id: null })
      }))

    it.effect("of a report that the backend takes in part, the rest is sent later, and the answer stays", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        const observation = observationIn(scope)
        state.trouble = (id) => id === "recordSteps" ? new Reason.Unreachable({ cause: "down" }) : null
        const answer = yield* report(delivering, observing(observation), recording(stepsIn(scope)))
        assert.deepInclude(answer, { stepOutcomesRecorded: 1, warnings: ["memory_write_failed"] })
        const [row] = yield* waiting(scope)
        assert.deepStrictEqual(row?.writes?.map(({ kind }) => kind), ["recordSteps"])
        state.trouble = null
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId, "recordSteps"])
        const [after] = yield* reportsOf(scope)
        assert.deepInclude(after?.response, { record_id: answer.recordId, warnings: ["memory_write_failed"] })
      }))

    it.effect("a backend that does not answer holds a feedback up for no longer than it may", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const silent = withWrites(memory, (_write, writing) => Effect.andThen(writing, Effect.never))
        const delivering = yield* service(silent, { ...quick, directMs: 50 })
        const scope = freshScope()
        const { warnings } = yield* report(delivering, observing(observationIn(scope)), recording(stepsIn(scope))).pipe(
          Effect.timeout("10 seconds"))
        assert.deepStrictEqual(warnings, ["memory_write_failed"])
        assert.notInclude(told, "recordSteps")
        assert.lengthOf(yield* waiting(scope), 1)
      }))

    it.effect("a feedback that is interrupted while the backend works is noted all the same", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const begun = yield* Deferred.make<void>()
        const slowly = withWrites(memory, (_write, writing) =>
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Effect.sleep("100 millis")), Effect.andThen(writing)))
        const delivering = yield* service(slowly)
        const scope = freshScope()
        const observation = observationIn(scope)
        const reporting = yield* Effect.forkChild(report(delivering, observing(observation)))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(reporting)
        yield* until(reportsOf(scope), ([row]) => row?.writes === null)
        assert.deepStrictEqual(told, [observation.observationId])
      }))

    it.effect("a report waits behind its lane's others after an outage, not behind those of other lanes", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const delivering = yield* service(memory, { ...quick, pauseMs: 300, pauseMsMax: 300, tickMs: 100 })
        const scope = freshScope()
        const [first, second, third] = [observationIn(scope), observationIn(scope), observationIn({
          ...scope, lane: Lane.make("sextant:other")
        })]
        state.isUp = false
        yield* teachLate(delivering, first)
        state.isUp = true
        yield* teachLate(delivering, second)
        yield* teach(delivering, third)
        yield* delivered(scope)
        const ids = [first, second].map(({ observationId }) => observationId)
        assert.deepStrictEqual(told.filter((id) => ids.includes(id)), ids)
        assert.include(told, third.observationId)
      }))

    it.effect("reports of one lane that come at the same time are sent at the same time", () =>
      Effect.gen(function*() {
        const { memory } = yield* backend
        let sending = 0
        let sendingMost = 0
        const counting = withWrites(memory, (_write, writing) => Effect.acquireUseRelease(
          Effect.sync(() => {
            sendingMost = Math.max(sendingMost, ++sending)
          }),
          () => Effect.andThen(Effect.sleep("200 millis"), writing),
          () => Effect.sync(() => void sending--)
        ))
        const delivering = yield* service(counting)
        const scope = freshScope()
        yield* Effect.all([1, 2, 3].map(() => teach(delivering, observationIn(scope))), { concurrency: "unbounded" })
        assert.isAtLeast(sendingMost, 2)
        assert.isEmpty(yield* waiting(scope))
      }))

    it.effect("no row holds the caller's key", () =>
      Effect.gen(function*() {
        const { scope } = yield* outage(1)
        const text = JSON.stringify([yield* reportsOf(scope), yield* lanesBehind(scope)])
        assert.include(text, "observation_id")
        assert.notInclude(text, "0123456789abcdef")
      }))

    it.effect("after a restart an account's reports wait for its next request, and for no other account's", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const scope = freshScope()
        const observation = observationIn(scope)
        state.isUp = false
        yield* Effect.scoped(Effect.flatMap(service(memory), (before) => teachLate(before, observation)))
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

    it.effect("a report whose process died before it sent anything is sent by another, once old enough", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const scope = freshScope()
        const observation = observationIn(scope)
        yield* append(scope.accountId, encodeWrites([observing(observation)]) ?? [])
        const heir = yield* service(memory, brief)
        yield* until(
          Effect.andThen(heir.recall(queryIn(scope)), waiting(scope)),
          (reports) => reports.length === 0
        )
        assert.deepStrictEqual(told, [observation.observationId])
        yield* delivered(scope)
      }))

    it.effect("a report that its own process is about to send is left to it", () =>
      Effect.gen(function*() {
        const { memory, told } = yield* backend
        const scope = freshScope()
        yield* append(scope.accountId, encodeWrites([observing(observationIn(scope))]) ?? [])
        const other = yield* service(memory)
        for (let n = 0; n < 10; n++) {
          yield* other.recall(queryIn(scope))
          yield* Effect.sleep("20 millis")
        }
        assert.isEmpty(told)
        assert.lengthOf(yield* waiting(scope), 1)
      }))

    it.effect("a write that the backend refuses is set aside at once, and holds up no other", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        state.trouble = (id) => id === "recordSteps" ? new Reason.Rejected({ cause: "never" }) : null
        const answer = yield* report(delivering,
          recording(stepsIn(scope)), observing(observationIn(scope)), { kind: "promote", body: lessonIn(scope) })
        assert.deepInclude(answer, { reinforcedEntryIds: ["teach", "promote"], warnings: ["memory_write_failed"] })
        const [row] = yield* reportsOf(scope)
        assert.isNull(row?.writes ?? null)
        assert.deepStrictEqual(row?.refused?.map(({ kind }) => kind), ["recordSteps"])
        assert.lengthOf(told, 2)
        yield* teach(delivering, observationIn(scope))
      }))

    it.effect("a late write that the backend refuses is set aside and holds up no other", () =>
      Effect.gen(function*() {
        const { memory, real, state, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        const [bad, good] = [observationIn(scope), observationIn(scope)]
        state.isUp = false
        yield* teachLate(delivering, bad)
        yield* teachLate(delivering, good)
        state.trouble = (id) => id === bad.observationId ? new Reason.Rejected({ cause: "never" }) : null
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual((yield* reportsOf(scope)).map(({ refused }) => refused?.length ?? 0), [1, 0])
        assert.deepStrictEqual(told, [good.observationId])
        yield* teach(delivering, observationIn(scope))
        assert.strictEqual((yield* real.recall(queryIn(scope))).laneSize, 2)
      }))

    it.effect("a write that cannot be read is set aside and holds up no other", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const delivering = yield* service(memory)
        const scope = freshScope()
        const [first, last] = [observationIn(scope), observationIn(scope)]
        state.isUp = false
        yield* teachLate(delivering, first)
        const unreadable = { kind: "of another version", body: { lane: scope.lane } }
        yield* append(scope.accountId, [unreadable, ...encodeWrites([observing(last)]) ?? []])
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual((yield* reportsOf(scope)).map(({ refused }) => refused), [null, [unreadable]])
        assert.deepStrictEqual(told, [first.observationId, last.observationId])
      }))

    it.effect("words that are removed while a report is sent stay away from what waits or is refused", () =>
      Effect.gen(function*() {
        const { lease, record } = yield* DeliveryStore
        const scope = freshScope()
        const { accountId, lane } = scope
        const tasks = ["secret one", "secret two", "secret three"]
        const revision = yield* append(accountId, encodeWrites(tasks.map((task) => observing(observationIn(scope, { task })))) ?? [])
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into delivery (account_id, lane) values (${accountId}, ${lane})`.pipe(withAccount(accountId))
        assert.lengthOf((yield* lease(accountId, 15_000, 50))?.reports[0]?.writes ?? [], 3)
        yield* removeWords(accountId)
        const next = { ...noFailures, delayMs: 1_000 }
        yield* record(accountId, lane, [{ revision, written: [null, null], waiting: 1 }], next)
        const [row] = yield* reportsOf(scope)
        assert.notInclude(JSON.stringify(row), "secret")
        assert.deepStrictEqual([row?.writes?.length, row?.refused?.length], [1, 2])
      }).pipe(Effect.provide(Layer.fresh(DeliveryStoreSql.layer))))

    it.effect("a report that two processes send loses no write that neither of them has sent", () =>
      Effect.gen(function*() {
        const { record } = yield* DeliveryStore
        const scope = freshScope()
        const { accountId, lane } = scope
        const sent = Array.from({ length: 4 }, () => observationIn(scope))
        const revision = yield* append(accountId, encodeWrites(sent.map(observing)) ?? [])
        const idsOf = (column: "writes" | "refused") => Effect.map(reportsOf(scope), ([row]) =>
          (row?.[column] ?? []).map((write) => sent.findIndex(({ observationId }) => JSON.stringify(write).includes(observationId))))
        const next = { ...noFailures, delayMs: 1_000 }
        const taken: Written = { kind: "promote" }
        yield* record(accountId, lane, [{ revision, written: [taken, null], waiting: 2 }], next)
        assert.deepStrictEqual([yield* idsOf("writes"), yield* idsOf("refused")], [[2, 3], [1]])
        // Both had read four writes.
        yield* record(accountId, lane, [{ revision, written: [null], waiting: 3 }], next)
        assert.deepStrictEqual([yield* idsOf("writes"), yield* idsOf("refused")], [[2, 3], [1]])
        yield* record(accountId, lane, [{ revision, written: [taken, null, null], waiting: 1 }], next)
        assert.deepStrictEqual([yield* idsOf("writes"), yield* idsOf("refused")], [[3], [1, 2]])
      }).pipe(Effect.provide(Layer.fresh(DeliveryStoreSql.layer))))

    it.effect("a write that a working backend repeatedly fails at is set aside, but not in an outage", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        let tries = 0
        const counting = withWrites(memory, (_write, writing) => Effect.suspend(() => {
          tries++
          return writing
        }))
        const delivering = yield* service(counting, { ...quick, badAnswersMax: 4 })
        const scope = freshScope()
        const triedMore = (times: number) => until(Effect.sync(() => tries), (count) => count >= times)
        const [bad, good] = [observationIn(scope), observationIn(scope)]
        const unavailable = new Reason.Unreachable({ status: 503, cause: "busy" })
        for (const cause of [null, unavailable]) {
          state.isUp = false
          state.trouble = () => cause
          if (cause === null) {
            yield* teachLate(delivering, bad)
            yield* teachLate(delivering, good)
          }
          yield* triedMore(tries + 8)
          assert.deepStrictEqual((yield* waiting(scope)).map(({ refused }) => refused), [null, null])
        }
        state.trouble = (id) => id === bad.observationId ? new Reason.Unreachable({ status: 500, cause: "broken" }) : null
        state.isUp = true
        const before = tries
        yield* delivered(scope)
        assert.deepStrictEqual((yield* reportsOf(scope)).map(({ refused }) => refused?.length ?? 0), [1, 0])
        assert.deepStrictEqual(told, [good.observationId])
        // One of the tries may have been under way before.
        assert.isAtMost(tries - before, 6)
      }))

    it.effect("a backlog of one account does not keep another's reports waiting", () =>
      Effect.gen(function*() {
        const { memory, state, told } = yield* backend
        const [busy, other] = [freshScope(), freshScope()]
        const others = observationIn(other)
        state.isUp = false
        yield* Effect.scoped(Effect.gen(function*() {
          const before = yield* service(memory, brief)
          for (let n = 0; n < 20; n++) yield* teachLate(before, observationIn(busy))
          yield* teachLate(before, others)
        }))
        // Until no pause and no lease of the process before is left.
        yield* Effect.sleep("500 millis")
        state.isUp = true
        const after = yield* service(memory, { ...quick, concurrency: 1, batchReportsMax: 2 })
        yield* after.recall(queryIn(busy))
        yield* after.recall(queryIn(other))
        yield* delivered(busy)
        yield* delivered(other)
        assert.lengthOf(told, 21)
        assert.isBelow(told.indexOf(others.observationId), 10)
      }))

    it.effect("a backend that asks to wait is not tried again before then", () =>
      Effect.gen(function*() {
        const { memory } = yield* backend
        const scope = freshScope()
        let tries = 0
        const busy = Effect.suspend(() => {
          tries++
          return Effect.fail(new MemoryUnavailable({
            reason: new Reason.Unreachable({ cause: "busy", retryAfterMs: 60_000 })
          }))
        })
        const delivering = yield* service(withWrites(memory, () => busy))
        yield* teachLate(delivering, observationIn(scope))
        yield* Effect.sleep("300 millis")
        const [waits] = yield* lanesBehind(scope)
        assert.deepInclude(waits, { attempts: 1 })
        assert.strictEqual(tries, 1)
        // Its own longest pause is 40 ms, and the lease 15 s; the row was dated by another clock than this `now()`.
        assert.isTrue(waits!.seconds > 30 && waits!.seconds < 61, String(waits!.seconds))
      }))

    it.effect("the pauses after failures grow", () =>
      Effect.gen(function*() {
        const { scope } = yield* outage(1)
        const [later] = yield* until(lanesBehind(scope), ([row]) => (row?.attempts ?? 0) >= 3)
        assert.strictEqual(later?.badAnswers, 0)
      }))

    it.effect("ping reports how many of the account's reports wait, also when the backend is out", () =>
      Effect.gen(function*() {
        const { memory, state } = yield* backend
        const scope = freshScope()
        const delivering = yield* service(memory)
        const reachable = Memory.of({
          ...memory,
          ping: (accountId) =>
            Effect.suspend(() => state.isUp ? memory.ping(accountId) : Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: "down" }) })))
        })
        const probing = yield* service(reachable)
        state.isUp = false
        for (let n = 0; n < 3; n++) yield* teachLate(delivering, observationIn(scope))
        yield* teachLate(delivering, observationIn(freshScope()))
        assert.strictEqual((yield* Effect.flip(probing.ping(scope.accountId))).waiting, 3)
        state.isUp = true
        yield* delivered(scope)
        assert.deepStrictEqual(yield* probing.ping(scope.accountId), { endpoint: "local", waiting: 0 })
      }))

    it.effect("the reports of a key that the backend refuses wait for a good key", () =>
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
        const delivering = yield* service(picky)
        const asRevoked = asRequestOf(scope.accountId, badKeyOf(scope.accountId))
        const observation = observationIn(scope)
        yield* asRevoked(teachLate(delivering, observation))
        yield* until(Effect.sync(() => keys), ({ length }) => length >= 2)
        assert.isEmpty(told)
        assert.lengthOf(yield* waiting(scope), 1)
        state.isUp = true
        yield* delivering.recall(queryIn(scope))
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
        const dying = yield* Effect.provideService(service(silent, brief), Scope.Scope, death)
        yield* teachLate(dying, observation)
        state.isUp = true
        yield* until(Effect.sync(() => told), ({ length }) => length > 0)
        yield* Scope.close(death, Exit.void)
        assert.lengthOf(yield* waiting(scope), 1)
        const heir = yield* service(memory, brief)
        yield* heir.recall(queryIn(scope))
        yield* delivered(scope)
        assert.deepStrictEqual(told, [observation.observationId, observation.observationId])
        assert.strictEqual((yield* real.recall(queryIn(scope))).laneSize, 1)
      }))

    it.effect("two processes deliver each lane's reports in order and each of them once", () =>
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
            teachLate(n % 2 === 0 ? left : right, observation)), { concurrency: "unbounded" })
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
