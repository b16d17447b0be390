import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Ref } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type ClientShape, SextantClient } from "../../src/client/Client.ts"

const accepted = {
  accepted: true, record_id: "o1", reinforced_entry_ids: [], updated_confidence: null, reflection_triggered: false,
  lesson_promoted: false, step_outcomes_recorded: 0, warnings: []
}
const problem = (status: number, title: string) =>
  Response.json({ type: "about:blank", title, status, detail: "x" }, {
    status,
    headers: { "content-type": "application/problem+json" }
  })

type Scripted = () => Response | "refused" | "silent"

/** A client over scripted answers, the last one repeating, and a count of the calls made. */
const scripted = (...answers: readonly [Scripted, ...Array<Scripted>]) =>
  Effect.gen(function*() {
    const calls = yield* Ref.make<ReadonlyArray<{ readonly url: string; readonly key: string | undefined }>>([])
    const http = HttpClient.make((request, url) =>
      Effect.gen(function*() {
        const made = yield* Ref.getAndUpdate(calls, (all) => [
          ...all,
          { url: url.href, key: request.headers["authorization"] }
        ])
        const answer = (answers[made.length] ?? answers[answers.length - 1] ?? answers[0])()
        if (answer === "silent") return yield* Effect.never
        if (answer !== "refused") return HttpClientResponse.fromWeb(request, answer)
        const reason = new HttpClientError.TransportError({ request, cause: new Error("ECONNREFUSED") })
        return yield* new HttpClientError.HttpClientError({ reason })
      })
    )
    const context = yield* Layer.build(
      SextantClient.layerWithoutHttp({ baseUrl: "http://sextant.test", apiKey: "sxt_acme_k1_secret" }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
      )
    )
    const use = <A, E>(call: (client: ClientShape) => Effect.Effect<A, E>) =>
      SextantClient.use(call).pipe(Effect.provide(context))
    return { calls: Ref.get(calls), use }
  })

/** Lets every retry and deadline of `effect` pass. */
const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.result(effect))
    yield* TestClock.adjust("2 minutes")
    return yield* Fiber.join(fiber)
  })

const report = { recommendationId: "r1", chosenModelId: "small", outcome: "success" as const }
const ok: Scripted = () => Response.json(accepted)
const status = (code: number): Scripted => () => new Response("down", { status: code })

describe("feedback", () => {
  for (
    const [what, failure] of [
      ["a refused connection", (): "refused" => "refused"],
      ["an answer that never comes", (): "silent" => "silent"],
      ["a bare 502", status(502)],
      ["a bare 503", status(503)],
      ["a bare 504", status(504)],
      ["a 503 problem", () => problem(503, "Service unavailable")]
    ] as const
  ) {
    it.effect(`is sent again after ${what}, three times in all`, () =>
      Effect.gen(function*() {
        const lucky = yield* scripted(failure, failure, ok)
        const result = yield* settled(lucky.use((client) => client.feedback(report)))
        assert.strictEqual(result._tag, "Success")
        assert.lengthOf(yield* lucky.calls, 3)

        const unlucky = yield* scripted(failure)
        const lost = yield* settled(unlucky.use((client) => client.feedback(report)))
        assert.strictEqual(lost._tag, "Failure")
        assert.lengthOf(yield* unlucky.calls, 3)
      }))
  }

  for (
    const [code, title, tag] of [
      [400, "Invalid request", "InvalidRequest"],
      [401, "Unauthorized", "Unauthorized"],
      [429, "Too many requests", "TooManyRequests"]
    ] as const
  ) {
    it.effect(`is not sent again after ${code}, which comes back as ${tag}`, () =>
      Effect.gen(function*() {
        const { calls, use } = yield* scripted(() => problem(code, title))
        const result = yield* settled(use((client) => client.feedback(report)))
        assert.strictEqual(result._tag === "Failure" ? result.failure._tag : "", tag)
        assert.lengthOf(yield* calls, 1)
      }))
  }

  it.effect("decodes the answer of a newer server with unknown warnings and fields", () =>
    Effect.gen(function*() {
      const warnings = ["a_warning_of_tomorrow"]
      const { use } = yield* scripted(() => Response.json({ ...accepted, warnings, a_field_of_tomorrow: 1 }))
      const told = yield* use((client) => client.feedback(report))
      assert.deepStrictEqual(told.warnings, warnings)
    }))

  it.effect("that is not valid is refused before it is sent", () =>
    Effect.gen(function*() {
      const { calls, use } = yield* scripted(ok)
      const sent = use((client) => client.feedback({ ...report, qualityScore: 2 }))
      const failure = yield* Effect.flip(sent)
      assert.strictEqual(failure._tag, "InvalidRequest")
      assert.include(failure.message, "qualityScore")
      assert.lengthOf(yield* calls, 0)
    }))
})

describe("recommend", () => {
  for (
    const failure of [(): "refused" => "refused", (): "silent" => "silent", status(503)] as const
  ) {
    it.effect(`is never sent twice (${failure.toString()})`, () =>
      Effect.gen(function*() {
        const { calls, use } = yield* scripted(failure)
        const sent = use((client) => client.recommend({ task: { task: "x" } }))
        assert.strictEqual((yield* settled(sent))._tag, "Failure")
        const [only, ...others] = yield* calls
        assert.lengthOf(others, 0)
        assert.deepStrictEqual(only, {
          url: "http://sextant.test/v1/recommend",
          key: "Bearer sxt_acme_k1_secret"
        })
      }))
  }

  it.effect("fails with NoCandidateModels when no model matches", () =>
    Effect.gen(function*() {
      const { use } = yield* scripted(() => problem(422, "No candidate models"))
      const sent = use((client) => client.recommend({ task: { task: "x" } }))
      assert.strictEqual((yield* Effect.flip(sent))._tag, "NoCandidateModels")
    }))

  const headAlone: Scripted = () => new Response(new ReadableStream({ start: () => {} }), {
    headers: { "content-type": "application/json" }
  })
  for (const [what, answer] of [["never answers", (): "silent" => "silent"], ["never ends its body", headAlone]] as const) {
    it.effect(`fails after a second where the service ${what}, and asks once`, () =>
      Effect.gen(function*() {
        const { calls, use } = yield* scripted(answer)
        const fiber = yield* Effect.forkChild(
          Effect.flip(use((client) => client.recommend({ task: { task: "Sum a list" } })))
        )
        yield* TestClock.adjust("999 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimeoutError")
        assert.lengthOf(yield* calls, 1)
      }))
  }
})
