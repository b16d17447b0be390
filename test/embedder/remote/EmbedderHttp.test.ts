import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Schedule } from "effect"
import { AccountId } from "../../../src/domain/Scope.ts"
import { EmbeddingsEndpoint, type RemoteEmbedder } from "../../../src/embedder/Embedder.ts"
import { type EmbedderSettings, embedderSettings } from "../../../src/embedder/EmbedderSettings.ts"
import * as EmbedderHttp from "../../../src/embedder/remote/EmbedderHttp.ts"
import {
  answerTo, type Asked, dimensions, type FakeEmbeddings, fakeEmbeddings, say, secret, type Trouble
} from "../embeddings.ts"
import { ahead } from "../../support/clocks.ts"

const acme = AccountId.make("acme")

/** A loaded machine must not turn into late vectors. */
const patient: EmbedderSettings = { ...embedderSettings, waitMs: 10_000, requestTimeoutMs: 20_000, backgroundMs: 20_000 }

const withEmbedder = <A, E>(
  fake: FakeEmbeddings,
  test: (embedder: RemoteEmbedder) => Effect.Effect<A, E>,
  settings: EmbedderSettings = patient
) =>
  Effect.gen(function*() {
    const embedder = yield* EmbeddingsEndpoint
    if (embedder === null) return assert.fail("there is no endpoint")
    return yield* test(embedder)
  }).pipe(Effect.provide(EmbedderHttp.layer(fake.options, settings)))

/** The texts of every question but the first, which measures. */
const asked = ({ heard }: FakeEmbeddings) => heard.slice(1).map(({ input }) => input)

const reasonFor = (effect: ReturnType<RemoteEmbedder["embed"]>) =>
  Effect.match(effect, { onFailure: ({ reason }) => reason._tag as string, onSuccess: () => "none" })

describe("The remote embedder", () => {
  it.live("sends its key, and measures the mean cosine of unrelated texts", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const { floor, vector } = yield* withEmbedder(fake, (embedder) => embedder.embed(acme, "sum a list"))
      assert.lengthOf(vector, dimensions)
      assert.closeTo(vector.reduce((sum, each) => sum + each * each, 0), 1, 1e-5)
      assert.isTrue(floor > 0.58 && floor < 0.68, `${floor}`)
      const [measuring, question] = fake.heard
      assert.strictEqual(question?.path, "/v1/embeddings")
      assert.strictEqual(question?.headers["authorization"], `Bearer ${secret}`)
      assert.isUndefined(question?.headers["traceparent"])
      assert.deepStrictEqual([question?.model, question?.dimensions], ["fake", dimensions])
      assert.isAbove(measuring?.input.length ?? 0, 10)
    }))

  it.live("sends equal texts of one account once, and those of another account again", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          const texts = ["one", "two", "one", "one", "three"]
          yield* Effect.forEach(texts, (text) => embedder.embed(acme, text), { concurrency: 5 })
          yield* embedder.embed(acme, "two")
          assert.deepStrictEqual([...asked(fake).flat()].sort(), ["one", "three", "two"])
          yield* embedder.embed(AccountId.make("umbrella"), "two")
          assert.strictEqual(asked(fake).flat().filter((text) => text === "two").length, 2)
        }))
    }))

  it.live("sends concurrent texts in one request, up to its limit", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const texts = Array.from({ length: 5 }, (_, i) => `text ${i}`)
      yield* withEmbedder(
        fake,
        (embedder) => Effect.forEach(texts, (text) => embedder.embed(acme, text), { concurrency: 5 }),
        { ...patient, gatherMs: 200, batchMax: 4 }
      )
      assert.deepStrictEqual(asked(fake).map(({ length }) => length).sort(), [1, 4])
    }))

  it.live("sends nothing for callers who leave before the endpoint has answered for the first time", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      fake.state.trouble = (response) => response.destroy()
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          for (let n = 0; n < 20; n++) {
            assert.notStrictEqual(yield* reasonFor(embedder.embed(acme, `early ${n}`)), "none")
            yield* Effect.sleep(5)
          }
          fake.state.trouble = null
          yield* Effect.repeat(reasonFor(embedder.embed(acme, "late")), {
            until: (blamed) => blamed === "none", schedule: Schedule.spaced("20 millis")
          })
          assert.isFalse(fake.heard.some(({ input }) => input.some((text) => text.startsWith("early"))))
        }), { ...patient, waitMs: 5, measureMs: 200, measureMsMax: 200, breaker: { ...patient.breaker, openMs: 1 } })
    }))

  it.live("remembers no more vectors than its setting allows", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const texts = ["one", "two", "three", "one"]
      yield* withEmbedder(
        fake,
        (embedder) => Effect.forEach(texts, (text) => embedder.embed(acme, text)),
        { ...patient, rememberedMax: 2 }
      )
      assert.deepStrictEqual(asked(fake).flat(), texts)
    }))

  const bad: Readonly<Record<string, Trouble>> = {
    "no JSON": (response) => say(response, "<html>"),
    "another protocol": (response) => say(response, { vectors: [] }),
    "too few vectors": (response) => say(response, { data: [] }),
    "too many vectors": (response, one) => say(response, answerTo({ input: [...one.input, "another"] })),
    "a shorter vector": (response) => say(response, { data: [{ index: 0, embedding: [1, 0, 0] }] }),
    "an index of none": (response) => say(response, { data: [{ index: 7, embedding: Array(dimensions).fill(1) }] }),
    "a huge index": (response) => say(response, { data: [{ index: 1e308, embedding: Array(dimensions).fill(1) }] }),
    "no numbers": (response) => say(response, { data: [{ index: 0, embedding: Array(dimensions).fill(null) }] }),
    "numbers as text": (response) => say(response, { data: [{ index: 0, embedding: Array(dimensions).fill("NaN") }] }),
    "lists of numbers": (response) => say(response, { data: [{ index: 0, embedding: Array(dimensions).fill([1]) }] }),
    "numbers out of range": (response) => say(response, { data: [{ index: 0, embedding: Array(dimensions).fill(-1e308) }] }),
    "infinity": (response) =>
      say(response, `{"data":[{"index":0,"embedding":[1e999${",0".repeat(dimensions - 1)}]}]}`),
    "a vector to nowhere": (response) => say(response, { data: [{ index: 0, embedding: Array(dimensions).fill(0) }] }),
    "more than it may": (response) => say(response, `{"data":[],"more":"${"x".repeat(5_000_000)}"}`),
    "a redirect": (response) => say(response, "", 307, { location: "http://127.0.0.1:1/v1/embeddings" }),
    "an error": (response) => say(response, { error: secret }, 500),
    "a refused key": (response) => say(response, { error: secret }, 401),
    "a closed connection": (response) => response.destroy()
  }
  it.live.each(Object.keys(bad))("takes %s for a failure of the endpoint, and quotes no secret", (name) =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(JSON.stringify(message)))
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          yield* embedder.embed(acme, "first")
          fake.state.trouble = bad[name] ?? null
          const error = yield* Effect.flip(embedder.embed(acme, "second"))
          assert.strictEqual(error.reason._tag, name === "a refused key" ? "Unauthorized" : "Unreachable")
          assert.notInclude(JSON.stringify(error) + String(error.cause) + String(error.reason.cause), secret)
          fake.state.trouble = null
          assert.lengthOf((yield* embedder.embed(acme, "second")).vector, dimensions)
        })).pipe(Effect.provide(Logger.layer([logger])))
      assert.notInclude(said.join(), secret)
    }))

  it.live("fails for one refused text without failing for the others of its batch", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          yield* embedder.embed(acme, "first")
          fake.state.trouble = (response, one) =>
            one.input.includes("too long") ? say(response, { error: "" }, 413) : say(response, answerTo(one))
          const blamed = yield* Effect.forEach(
            ["short", "too long", "fine"],
            (text) => reasonFor(embedder.embed(acme, text)),
            { concurrency: 3 }
          )
          assert.deepStrictEqual(blamed, ["none", "Rejected", "none"])
          const placed = yield* embedder.embedAll(["brief", "too long"])
          assert.deepStrictEqual(placed.map((vector) => vector === null), [false, true])
        }), { ...patient, gatherMs: 200 })
    }))

  it.live("leaves out the length for an endpoint that refuses the field", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      fake.state.trouble = (response, one) =>
        one.dimensions === undefined ? say(response, answerTo(one)) : say(response, { error: "" }, 400)
      const { vector } = yield* withEmbedder(fake, (embedder) => embedder.embed(acme, "sum a list"))
      assert.lengthOf(vector, dimensions)
    }))

  it.live("sends nothing while the endpoint asks to wait", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          yield* embedder.embed(acme, "first")
          fake.state.trouble = (response) => say(response, "", 429, { "retry-after": "600" })
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "second")), "Unreachable")
          const before = fake.heard.length
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "third")), "NotSent")
          assert.strictEqual((yield* Effect.flip(embedder.embedAll(["fourth"]))).reason._tag, "NotSent")
          assert.strictEqual(fake.heard.length, before)
          // What is remembered needs no asking.
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "first")), "none")
        }))
    }))

  it.live("waits as long as the endpoint asked, whatever the wall clock does meanwhile", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      let aheadMs = 0
      yield* ahead(() => aheadMs)(withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          yield* embedder.embed(acme, "first")
          fake.state.trouble = (response) => say(response, "", 429, { "retry-after": "1" })
          aheadMs = 10 * 3_600_000
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "second")), "Unreachable")
          fake.state.trouble = null
          aheadMs = 0
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "third")), "NotSent")
          yield* reasonFor(embedder.embed(acme, "fourth")).pipe(
            Effect.repeat({ until: (blamed) => blamed === "none", schedule: Schedule.spaced(50) }),
            Effect.timeout("20 seconds")
          )
        })))
    }), 60_000)

  it.live("waits as long as its setting allows, keeps a late answer, and opens its circuit in the end", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const settings = { ...patient, waitMs: 100, breaker: { failuresMax: 2, openMs: 60_000, slowMs: 50 } }
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          yield* Effect.retry(embedder.embed(acme, "first"), { times: 100, schedule: Schedule.spaced(20) }).pipe(
            Effect.ignore
          )
          const held: Array<() => void> = []
          fake.state.trouble = (response, one: Asked) => void held.push(() => say(response, answerTo(one)))
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "slow")), "TimedOut")
          for (const answer of held) answer()
          const known = yield* reasonFor(embedder.embed(acme, "slow")).pipe(
            Effect.repeat({ until: (blamed) => blamed === "none", schedule: Schedule.spaced(10), times: 500 })
          )
          assert.strictEqual(known, "none")
          yield* Effect.forEach(["a", "b"], (text) => reasonFor(embedder.embed(acme, text)))
          const before = fake.heard.length
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "c")), "NotSent")
          assert.strictEqual(fake.heard.length, before)
        }), settings)
    }))

  it.live("works as soon as an endpoint that was unavailable at the start recovers", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      fake.state.trouble = (response) => response.destroy()
      yield* withEmbedder(fake, (embedder) =>
        Effect.gen(function*() {
          assert.strictEqual(yield* reasonFor(embedder.embed(acme, "first")), "TimedOut")
          fake.state.trouble = null
          const later = yield* reasonFor(embedder.embed(acme, "first")).pipe(
            Effect.repeat({ until: (blamed) => blamed === "none", schedule: Schedule.spaced(50), times: 200 })
          )
          assert.strictEqual(later, "none")
        }), { ...patient, waitMs: 100, measureMs: 50, measureMsMax: 100 })
    }).pipe(Effect.provide(Logger.layer([]))))

  it.live("is not used when the vectors of unrelated texts are alike", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      fake.state.trouble = (response, { input }) =>
        say(response, { data: input.map(() => ({ embedding: Array(dimensions).fill(1) })) })
      const blamed = yield* withEmbedder(fake, (embedder) => reasonFor(embedder.embed(acme, "first")), {
        ...patient, waitMs: 200
      })
      assert.strictEqual(blamed, "TimedOut")
    }).pipe(Effect.provide(Logger.layer([]))))
})
