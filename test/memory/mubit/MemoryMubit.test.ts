import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { inspect } from "node:util"
import { Lane } from "../../../src/domain/Scope.ts"
import type { LaneId } from "../../../src/domain/Scope.ts"
import { promote, recordSteps, reinforce, teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import type { Observation } from "../../../src/memory/MemoryWrite.ts"
import * as MemoryMubit from "../../../src/memory/mubit/MemoryMubit.ts"
import * as MubitClient from "../../../src/memory/mubit/MubitClient.ts"
import { entryIdOf, entryOf } from "../../../src/memory/mubit/MubitRecall.ts"
import { type MubitSettings, mubitSettings } from "../../../src/memory/mubit/MubitSettings.ts"
import * as Outbox from "../../../src/memory/outbox/Outbox.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { asRequestOf, badKeyOf, layerCalledWithKeys } from "../../support/CallerKeys.ts"
import { embedded, slow } from "../../support/Databases.ts"
import { freshScope, lessonIn, observationIn, promptSettings, queryIn, reinforcementIn } from "../fixtures.ts"
import { memoryContract, type Promises } from "../MemoryContract.ts"
import { answerWith, type Fake, fakeMubit, referenceOf, type Trouble } from "./fake.ts"

// A machine that is busy may be late, and these tests count looks.
const quick: MubitSettings = { ...mubitSettings, memory: promptSettings, jobPauseMs: 2, jobWaitMs: 10_000 }

// What cannot be read is logged, and this backend says much that cannot.
const silent = Logger.layer([])

const over = ({ url }: Fake, settings = quick) =>
  Layer.merge(
    MemoryMubit.layer(settings).pipe(Layer.provide(MubitClient.layer(url, settings)), layerCalledWithKeys),
    silent
  )

const named = ({ observationId, quality }: Observation): string => entryIdOf(quality, referenceOf(observationId))

const words = "strategies are in the backend's words"
const matching = "how an error matches is the backend's"
const votes = "the protocol knows no actor's votes"
const promises: Promises = {
  entryIdOf: named,
  without: {
    "an actor has five votes on an entry in a UTC day, and others keep theirs": votes,
    "a repeated reinforcement names what the first one voted up, and no more": votes,
    "fifty actors who vote at once lose no vote, and one actor who votes fifty times has five": votes,
    "an entry's reliability is half as far from one half at an age of 180 days, in every answer":
      "belief in an entry is the backend's",
    "an entry voted down loses reliability and is neither named nor counted as reinforced": words,
    "telemetry is recalled for what it measured, for its own models and actors, and for nothing else":
      "the query asks for outcomes that taught, and its answer is bounded",
    "telemetry that gets a label becomes an outcome and is no longer telemetry":
      "the query asks for outcomes that taught, and its answer is bounded",
    "measurements that come later do not change an outcome's votes and lessons": words,
    "a vote, steps and a lesson that are settled again count once": words,
    "the models that a lane knows are those of the last recall, weighed, and of no other lane":
      "this process holds no lane",
    "another label of an outcome takes back its votes and lessons, whenever those are sent again":
      "the protocol takes back no vote and no lesson",
    "lessons become strategies, the best supported first": words,
    "a diagnosis finds the failure lessons about its error": matching,
    "a stack trace finds the failure of other lines and paths, and not another error with its frames": matching,
    "occurrences of one error are one lesson, and the limit cuts what the total counts": matching,
    "a user's diagnosis sees the lessons of that user and the lessons without a user": matching,
    "the 25th taught outcome makes a reflection due, which says what to prefer and what to avoid": words,
    "reflection reports errors that recur and steps that keep failing": words,
    "of contradicting lessons the one that outcomes support stays, and the other can be diagnosed":
      "what a reflection keeps is the backend's",
    "a repeated step is kept and counted once for each model": "the protocol names no step by itself",
    "health counts the entries of each kind": "the kinds of entries are the backend's"
  }
}

const served = Layer.unwrap(Effect.map(fakeMubit(), (fake) => over(fake)))

layer(served, slow)("MemoryMubit", (it) => memoryContract(it, promises))

layer(Layer.merge(Outbox.layer().pipe(Layer.provide([served, embedded]), layerCalledWithKeys), silent), slow)(
  "MemoryMubit behind an outbox",
  (it) => memoryContract(it, promises)
)

const Quality = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

it.prop("an entry's id holds its quality and its reference", { quality: Quality, reference: Schema.NonEmptyString },
  ({ quality, reference }) => {
    const entry = entryOf(entryIdOf(quality, reference))
    assert.strictEqual(entry?.reference, reference)
    assert.closeTo(entry?.quality ?? Number.NaN, quality, 0.000_501)
  })

const account = ({ accountId }: LaneId) => accountId

/** Runs a test with a memory over a backend of its own. */
const withFake = <A, E>(
  test: (memory: Memory["Service"], fake: Fake) => Effect.Effect<A, E>,
  settings = quick,
  options: Parameters<typeof fakeMubit>[0] = {}
) =>
  Effect.gen(function*() {
    const fake = yield* fakeMubit(options)
    return yield* Memory.use((memory) => test(memory, fake)).pipe(Effect.provide(over(fake, settings)))
  })

describe("an outcome taught to the hosted backend", () => {
  it.live("has the id of its record however often it is sent, or the record's name when its job is late", () =>
    withFake((memory, { heard }) =>
      Effect.gen(function*() {
        const observation = observationIn(freshScope())
        const { recordId } = yield* teach(memory, observation)
        assert.strictEqual(recordId, "rec-record:code:easy:alpha")
        assert.strictEqual((yield* teach(memory, observationIn(observation))).recordId, recordId)
        const sent = heard.filter(({ path }) => path === "/v2/control/ingest").map(({ body }) => body["items"])
        assert.deepStrictEqual(sent.map((items) => (items as ReadonlyArray<unknown>).length), [2, 1])
      }), quick, { jobLooks: 2 }))

  it.live("is answered without a look at its job once its record is known", () =>
    withFake((memory, { heard }) =>
      Effect.gen(function*() {
        const observation = observationIn(freshScope())
        yield* teach(memory, observation)
        const looks = heard.filter(({ method }) => method === "GET").length
        assert.isAbove(looks, 0)
        for (let turn = 0; turn < 3; turn++) yield* teach(memory, observationIn(observation))
        assert.lengthOf(heard.filter(({ method }) => method === "GET"), looks)
      })))

  it.live("is accepted when its job is never done", () =>
    withFake((memory, { heard }) =>
      Effect.gen(function*() {
        const { laneTaught, recordId } = yield* teach(memory, observationIn(freshScope()))
        assert.deepStrictEqual([laneTaught, recordId], [1, "record:code:easy:alpha"])
        assert.lengthOf(heard.filter(({ method }) => method === "GET"), quick.jobLooks)
      }), quick, { jobLooks: 1_000 }))

  it.live("is accepted without a look at its job when the time for looks is over", () =>
    withFake((memory, { heard }) =>
      Effect.gen(function*() {
        yield* teach(memory, observationIn(freshScope()))
        assert.isEmpty(heard.filter(({ method }) => method === "GET"))
      }), { ...quick, jobPauseMs: 5, jobWaitMs: 1 }))

  it.live("is accepted when its job cannot be read, and rejected when its job has failed", () =>
    withFake((memory, { state }) =>
      Effect.gen(function*() {
        const onJobs = (status: number, body: unknown): Trouble => ({ method }, response) =>
          method === "GET" && answerWith(response, status, body)
        state.trouble = onJobs(404, {})
        assert.strictEqual((yield* teach(memory, observationIn(freshScope()))).laneTaught, 1)
        state.trouble = onJobs(200, { done: true, error: "no room" })
        assert.strictEqual((yield* Effect.flip(teach(memory, observationIn(freshScope())))).reason._tag, "Rejected")
      })))

  it.live("makes one reflection requested for several gate failures, and one after each 25th outcome", () =>
    withFake((memory, fake) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const reflected = (times: number) =>
          Effect.suspend(() =>
            fake.run(account(scope)).reflections === times ? Effect.void : Effect.fail("not yet")
          ).pipe(Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000 }))
        const failure = () => observationIn(scope, { outcome: "failure", quality: 0.1 })
        yield* Effect.all([teach(memory, failure()), teach(memory, failure())], { concurrency: 2 })
        yield* reflected(1)
        for (let index = 2; index < 24; index++) yield* teach(memory, observationIn(scope))
        assert.isTrue((yield* teach(memory, observationIn(scope))).reflectionTriggered)
        yield* reflected(2)
      }), { ...quick, memory: { ...promptSettings, reflection: { ...promptSettings.reflection, pauseMs: 500 } } }))
})

describe("a recall from the hosted backend", () => {
  it.live("is one query with the lane, the tags and no actor", () =>
    withFake((memory, { heard }) =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* memory.recall(queryIn(scope, { tags: ["a"], userId: "ann", perModel: 64 }))
        assert.lengthOf(heard, 1)
        const { body } = heard[0]!
        assert.deepStrictEqual(
          [body["run_id"], body["mode"], body["limit"], body["env_tags"], body["evidence_only"], body["user_id"]],
          [scope.lane, "agent_routed", 128, ["a"], true, undefined]
        )
      })))

  it.live("leaves out entries that cannot be read, that are not ours and that are of another lane", () =>
    withFake((memory, fake) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const observation = observationIn(scope)
        yield* teach(memory, observation)
        yield* teach(memory, observationIn({ ...scope, lane: Lane.make("sextant:other") }))
        const entryIn = (lane?: string) => [...fake.run(account(scope), lane).entries.values()]
          .find(({ intent }) => intent === "fact")!
        const metadata_json = entryIn().metadata_json
        const broken = metadata_json.replace("\"quality\":0.9", "\"quality\":9")
        fake.state.trouble = (_heard, response) =>
          answerWith(response, 200, {
            evidence: [
              null, "text", 7, {}, { id: "e1", metadata_json: "{" }, { id: "e2", metadata_json: "{\"mine\":1}" },
              { id: "e3", metadata_json: broken, score: 1 }, { metadata_json, score: 1 },
              { reference_id: "r1", metadata_json: entryIn("sextant:other").metadata_json, score: 1 },
              { reference_id: "r2", metadata_json, score: 0.4 },
              { reference_id: "r3", metadata_json: JSON.stringify({ metadata_json }), score: 7, is_stale: true },
              ...Array.from({ length: 1_000 }, () => ({ id: "e4", metadata_json: "[]" }))
            ]
          })
        const { laneSize, meanSimilarity, neighbours } = yield* memory.recall(queryIn(scope))
        assert.deepStrictEqual([laneSize, meanSimilarity], [1, 1])
        assert.deepStrictEqual(
          [...neighbours].map(({ entryId, isStale, reliability, similarity }) => [entryId, isStale, reliability, similarity]),
          [["900:r3", true, 0.9, 1]]
        )
      })))

  it.live("is empty when the backend leaves the list out, and fails when the list is of another type", () =>
    withFake((memory, { state }) =>
      Effect.gen(function*() {
        state.trouble = (_heard, response) => answerWith(response, 200, {})
        assert.strictEqual((yield* memory.recall(queryIn(freshScope()))).laneSize, 0)
        state.trouble = (_heard, response) => answerWith(response, 200, { evidence: "many" })
        assert.strictEqual((yield* Effect.flip(memory.recall(queryIn(freshScope()))))._tag, "MemoryUnavailable")
      })))
})

describe("the driver of the hosted backend", () => {
  it.live("votes separately on entries that agreed and on those that did not, each under its own name", () =>
    withFake((memory, fake) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const [good, bad] = [observationIn(scope), observationIn(scope, { quality: 0.1 })]
        yield* teach(memory, good)
        yield* teach(memory, bad)
        const reinforcementId = randomUUID()
        const vote = reinforce(memory, 
          reinforcementIn(scope, [named(bad), named(good)], { reinforcementId, quality: 1 })
        )
        const voted = yield* vote
        assert.deepStrictEqual(voted.entryIds, [named(good)])
        assert.closeTo(voted.updatedConfidence ?? 0, (10 / 11 + 9 / 11) / 2, 1e-12)
        assert.deepStrictEqual(yield* vote, voted)
        const told = [...fake.run(account(scope)).outcomes].map(([name, { entry_ids, outcome, signal }]) =>
          [name, entry_ids, outcome, Math.round(Number(signal) * 10)])
        assert.deepStrictEqual(told, [
          [reinforcementId, [referenceOf(good.observationId)], "success", 8],
          [`${reinforcementId}:against`, [referenceOf(bad.observationId)], "failure", -8]
        ])
      })))

  it.live("sends each step once", () =>
    withFake((memory, fake) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const stepOf = (stepId: string, signal: number) => ({
          stepId, stepName: null, outcome: "success" as const, signal, rationale: "x".repeat(10_000), directiveHint: null
        })
        const recorded = yield* recordSteps(memory, {
          ...scope, recommendationId: "r", cluster: "code:easy", modelId: "alpha", occurredAt: new Date(),
          steps: [stepOf("one", 1), stepOf("two", 0.5), stepOf("one", -1)]
        })
        assert.strictEqual(recorded, 2)
        const { steps } = fake.run(account(scope))
        assert.sameDeepMembers(steps.map(({ reference_id, signal, step_id }) => [reference_id, step_id, signal]), [
          ["r:alpha", "one", 1], ["r:alpha", "two", 0.5]
        ])
        assert.lengthOf(String(steps[0]?.["rationale"]), 2_000)
        assert.notProperty(steps[0], "step_name")
      })))

  it.live("sends lessons, which strategies, diagnoses and health then report", () =>
    withFake((memory) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const own = lessonIn(scope, { lessonType: "failure", userId: "ann", errorText: "TypeError: no rows" })
        yield* promote(memory, own)
        yield* promote(memory, lessonIn(scope, { lessonType: "failure", userId: "bob" }))
        for (let turn = 0; turn < 3; turn++) yield* memory.recall(queryIn(scope))
        const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
        assert.deepStrictEqual(
          strategies.map(({ avgConfidence, description, supportingLessonCount }) =>
            [avgConfidence, description, supportingLessonCount]),
          Array(2).fill([0.5, own.content, 1])
        )
        const query = { ...scope, errorText: "no rows", errorType: null, limit: 5 }
        const anns = yield* memory.diagnose({ ...query, userId: "ann" })
        assert.deepStrictEqual([anns.total, anns.lessons], [1, [{
          lessonId: own.lessonId, content: own.content, lessonType: "failure", importance: 0.5, confidence: 0.6
        }]])
        assert.strictEqual((yield* memory.diagnose({ ...query, userId: null })).total, 2)
        const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
        assert.deepStrictEqual(health, {
          entryCounts: { fact: 0, lesson: 2 }, staleEntries: 0, contradictions: 1, lowConfidenceCount: 0,
          promotionCandidates: 0,
          sectionHealth: [{ name: "fact", count: 0, averageConfidence: 0.9, averageAgeHours: null }]
        })
        assert.match((yield* memory.ping(scope.accountId)).endpoint, /^http:\/\/127\.0\.0\.1:\d+$/)
      })))
})

describe("the driver of a hosted backend that mixes lanes", () => {
  it.live("leaves out lessons and strategies that name another lane, and does not count them", () =>
    withFake((memory, { state }) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const of = (id: string, metadata: unknown) =>
          ({ id, content: `about ${id}`, metadata_json: JSON.stringify(metadata) })
        const items = [
          of("mine", { sextant: { kind: "lesson", lane: scope.lane } }),
          of("other", { sextant: { kind: "lesson", lane: "sextant:other" } }),
          of("nameless", { sextant: { kind: "lesson" } }),
          of("theirs", { lane: "sextant:other" })
        ]
        state.trouble = ({ path }, response) =>
          answerWith(response, 200, path.endsWith("/diagnose") ? { lessons: items, total: 4 } : { strategies: items })
        const query = { ...scope, errorText: "no rows", errorType: null, userId: null, limit: 5 }
        const { lessons, total } = yield* memory.diagnose(query)
        const shown = ["mine", "nameless", "theirs"]
        assert.deepStrictEqual([lessons.map(({ lessonId }) => lessonId), total], [shown, 3])
        const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
        assert.deepStrictEqual(strategies.map(({ strategyId }) => strategyId), shown)
      })))
})

describe("the driver of a hosted backend that answers unexpected words and counts", () => {
  it.live("reads those that are valid and bounded", () =>
    withFake((memory, { state }) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const words = ["constructor", "__proto__", "toString", "high"]
        state.trouble = ({ path }, response) =>
          answerWith(response, 200, path.endsWith("/diagnose")
            ? { lessons: words.map((importance, n) => ({ id: `l${n}`, content: "no", importance })), total: 1e20 }
            : { stale_entries: 1e20, entry_counts: { fact: 1e300, lesson: -3.5 } })
        const query = { ...scope, errorText: "no rows", errorType: null, userId: null, limit: 5 }
        const { lessons, total } = yield* memory.diagnose(query)
        assert.deepStrictEqual(lessons.map(({ importance }) => importance), [0.5, 0.5, 0.5, 0.75])
        assert.strictEqual(total, Number.MAX_SAFE_INTEGER)
        const { entryCounts, staleEntries } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
        assert.deepStrictEqual(entryCounts, { fact: Number.MAX_SAFE_INTEGER, lesson: 0 })
        assert.isTrue(Number.isSafeInteger(staleEntries))
      })))
})

describe("an answer of the hosted backend", () => {
  const raw = (status: number, body: string | Buffer): Trouble => (_heard, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body)
    return true
  }
  const bad: ReadonlyArray<readonly [string, Trouble, Reason.FailureReason["_tag"]]> = [
    ["a 503", raw(503, "busy"), "Unreachable"],
    ["a 500", raw(500, "{}"), "Unreachable"],
    ["a 408", raw(408, "{}"), "Unreachable"],
    ["a redirect", (_heard, response) => answerWith(response, 302, {}, { location: "http://127.0.0.1:1/" }), "Unreachable"],
    ["HTML", raw(200, "<html>"), "Unreachable"],
    ["a list", raw(200, "[]"), "Unreachable"],
    ["larger than 8 MB", raw(200, Buffer.alloc(9_000_000, 0x20)), "Unreachable"],
    ["a closed connection", (_heard, response) => response.destroy() === response, "Unreachable"],
    ["later than the time limit", () => true, "TimedOut"],
    ["a 429", raw(429, ""), "Unreachable"],
    ["a 400", raw(400, "{}"), "Rejected"],
    ["a 402", raw(402, "no credit"), "Unreachable"],
    ["a 404", raw(404, "{}"), "Unreachable"],
    ["a 409", raw(409, "{}"), "Rejected"],
    ["a 409", raw(409, "{}"), "Rejected"],
    ["a 422", raw(422, "{}"), "Rejected"],
    ["a 413", raw(413, "{}"), "Rejected"],
    ["a 401", raw(401, "{}"), "Unauthorized"],
    ["a 403", raw(403, "{}"), "Unauthorized"]
  ]
  for (const [name, trouble, kind] of bad) {
    it.live(`that is ${name} fails the call with the reason ${kind}`, () =>
      withFake((memory, { state }) =>
        Effect.gen(function*() {
          state.trouble = trouble
          const scope = freshScope()
          for (const question of [memory.recall(queryIn(scope)), promote(memory, lessonIn(scope))]) {
            // What answers garbage to a write has taken it.
            const failure = yield* Effect.flip(question).pipe(Effect.catch(() => Effect.succeed(null)))
            if (failure !== null) {
              assert.strictEqual(failure.reason._tag, kind)
              assert.notInclude(inspect(failure, { depth: null, showHidden: true }), "0123456789abcdef")
            } else assert.include(["HTML", "a list"], name)
          }
        }), { ...quick, client: { ...quick.client, requestTimeoutMs: 1_000 } }))
  }

  it.live("that refuses a key and quotes it fails the call, and the failure does not hold the key", () =>
    withFake((memory) =>
      Effect.gen(function*() {
        const scope = freshScope()
        const asked = memory.recall(queryIn(scope))
        const failure = yield* Effect.flip(asRequestOf(scope.accountId, badKeyOf(scope.accountId))(asked))
        assert.strictEqual(failure.reason._tag, "Unauthorized")
        assert.notInclude(inspect(failure, { depth: null, showHidden: true }), "0123456789abcdef")
      })))

  for (const status of [429, 503]) {
    it.live(`with a ${status} that asks to wait stops requests with that key for as long, and with no other key`, () =>
      withFake((memory, { heard, state }) =>
        Effect.gen(function*() {
          const scope = freshScope()
          state.trouble = (_heard, response) => answerWith(response, status, {}, { "retry-after": "30" })
          for (let turn = 0; turn < 10; turn++) yield* Effect.flip(memory.recall(queryIn(scope)))
          assert.lengthOf(heard, 1)
          state.trouble = null
          assert.strictEqual((yield* memory.recall(queryIn(freshScope()))).laneSize, 0)
          const { reason, retryAfterMs } = yield* Effect.flip(memory.recall(queryIn(scope)))
          assert.strictEqual(reason._tag, "NotSent")
          assert.isAbove(retryAfterMs, 1_000)
          assert.lengthOf(heard, 2)
        })))
  }
})
