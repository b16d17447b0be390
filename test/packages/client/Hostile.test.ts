// What can go wrong around a choice: the task, the options, the service's answer, the callbacks. It never throws.
import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { createSextant, type DefaultReason, type Sextant } from "../../../packages/client/src/index.ts"
import { type GateState, models } from "./support/RealService.ts"
import { served } from "./support/Stage.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b", "c"], defaultModelId: "c" } as const

/** The default runs, visibly; and what follows on the choice works. */
const assertDefault = async (
  sextant: Sextant<"a" | "b" | "c">,
  reason: DefaultReason,
  ...[task, over]: ReadonlyArray<unknown>
) => {
  // Callers without types send anything.
  const choice = await sextant.choose(task as string, over as object)
  assert.deepInclude(choice, { modelId: "c", source: "default", reason })
  assert.isNotEmpty(choice.detail)
  assert.strictEqual(await choice.run((model) => model), "c")
}

const thrower = (): never => {
  throw new Error("hostile")
}
const circular: Record<string, unknown> = { task: "x" }
circular["tags"] = circular

describe("a task or an option that cannot be read", () => {
  for (
    const [name, task, over] of [
      ["nothing", undefined, {}],
      ["null", null, {}],
      ["a number", 7, {}],
      ["a symbol", Symbol("task"), {}],
      ["an object without a task", {}, {}],
      ["an object whose getter throws", { get task() { return thrower() } }, {}],
      ["an object that refers to itself", circular, {}],
      ["a text that cannot be converted", { task: "x", tags: [1n] }, {}],
      ["a proxy that throws", new Proxy({}, { get: thrower, ownKeys: thrower }), {}],
      ["options whose getter throws", "x", { get signal() { return thrower() } }],
      ["models that are no list", "x", { models: 5 }]
    ] as const
  ) {
    it(`gives the default: ${name}`, async () => {
      const { fetch, hits } = scripted(() => answerOf("a"))
      await assertDefault(createSextant({ ...options, fetch }), "invalid_request", task, over)
      assert.strictEqual(hits(), 0)
    })
  }

  it("gives the default for a signal that is none", async () => {
    const { fetch } = scripted(() => answerOf("a"))
    await assertDefault(createSextant({ ...options, fetch }), "unreachable", "x", { signal: { aborted: false } })
  })
})

describe("an answer that is none of the API", () => {
  const good = answerOf("a")
  for (
    const [name, reason, text] of [
      ["nothing", "invalid_answer", ""],
      ["HTML", "invalid_answer", "<html>login</html>"],
      ["null", "invalid_answer", "null"],
      ["a list", "invalid_answer", "[]"],
      ["an empty object", "invalid_answer", "{}"],
      ["no id", "invalid_answer", JSON.stringify({ ...good, recommendation_id: "" })],
      ["a numeric id", "invalid_answer", JSON.stringify({ ...good, recommendation_id: 1 })],
      ["no model", "invalid_answer", JSON.stringify({ ...good, recommended_model: null })],
      ["ranked that is no list", "invalid_answer", JSON.stringify({ ...good, ranked: {} })],
      ["ranked with nothing in it", "invalid_answer", JSON.stringify({ ...good, ranked: [null] })],
      ["a model that is not the caller's", "unknown_model", JSON.stringify(answerOf("z"))],
      ["a model named like a method", "unknown_model", JSON.stringify(answerOf("__proto__"))]
    ] as const
  ) {
    it(`gives the default: ${name}`, async () => {
      const { fetch } = scripted(() => new Response(text))
      await assertDefault(createSextant({ ...options, fetch }), reason, "x")
    })
  }

  it("gives the default without an end too, and is read no further than 4 MB", async () => {
    let pulled = 0
    let isCancelled = false
    const endless = () => new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
      cancel: () => void (isCancelled = true)
    })
    for (const status of [200, 500]) {
      pulled = 0
      isCancelled = false
      const { fetch } = scripted(() => new Response(endless(), { status }))
      await assertDefault(createSextant({ ...options, deadlineMs: 60_000, fetch }), "invalid_answer", "x")
      assert.isBelow(pulled, 4_500_000)
      assert.isTrue(isCancelled)
    }
  })

  it("cannot break a run by what it says of other models", async () => {
    const odd = { toString: 1, valueOf: 1 }
    for (const fallback_model of [undefined, true, "b", odd, { model_id: odd }, { model_id: "b", requested_model_id: odd }]) {
      const ranked = [{ model_id: "b", requested_model_id: odd, predicted_success: 0.5, provider: odd }, { model_id: "a", predicted_success: 1 }]
      const { fetch } = scripted(() => Response.json({ ...good, fallback_model, ranked }))
      const choice = await createSextant({ ...options, fetch }).choose("x")
      const ran: Array<string> = []
      const error = await choice.run((model) => {
        ran.push(model)
        throw Object.assign(new Error("out"), { status: 500 })
      }).catch((one) => one)
      assert.strictEqual(error.message, "out")
      assert.deepStrictEqual([ran[0], ran.at(-1)], ["a", "c"])
    }
  })
})

describe("a service that fails", () => {
  const service = served()

  for (
    const [name, state, reason] of [
      ["never answers", "silent", "timeout"],
      ["closes the connection", "down", "unreachable"],
      ["answers 401", 401, "refused"],
      ["answers 500", 500, "refused"],
      ["redirects", { status: 307, headers: { location: "/v1/health" }, text: "" }, "refused"],
      ["sends HTML", { status: 200, headers: { "content-type": "text/html" }, text: "<html>" }, "invalid_answer"]
    ] as ReadonlyArray<readonly [string, GateState, DefaultReason]>
  ) {
    it(`that ${name} is asked once, and the default runs`, async () => {
      service.set(state)
      service.hits.clear()
      const reasons: Array<string> = []
      const sextant = createSextant({
        // A busy machine must not turn into timeouts.
        ...service, models, defaultModelId: "dear", deadlineMs: 10_000, onDefault: (one) => reasons.push(one)
      })
      const choice = await sextant.choose("x", state === "silent" ? { deadlineMs: 1_000 } : {})
      assert.deepInclude(choice, { modelId: "dear", source: "default", reason, recommendationId: null })
      assert.deepStrictEqual([...service.hits], [["/v1/recommend", 1]])
      assert.deepStrictEqual([await choice.run((model) => model), choice.score(1)], ["dear", false])
      await Promise.resolve()
      assert.deepStrictEqual(reasons, [reason])
    })
  }

  it("that repeats the key in its refusal does not bring it into a detail", async () => {
    const apiKey = `sxt_acme_k1_${"s".repeat(32)}`
    const echo = () => new Response(`{"detail":"${"x".repeat(150)} authorization: Bearer ${apiKey} is wrong"}`, { status: 401 })
    const { fetch } = scripted(echo, () => new Response(`Bearer ${apiKey}`, { status: 400 }))
    const details: Array<string> = []
    const sextant = createSextant({
      ...options, apiKey, fetch,
      onDefault: (_, detail) => void details.push(detail),
      onDropped: ({ detail }) => void details.push(detail)
    })
    details.push((await sextant.choose("x")).detail)
    sextant.score("r", true)
    assert.isTrue(await sextant.flush())
    assert.lengthOf(details, 3)
    for (const detail of details) assert.notInclude(detail, "sss")
  })

  it("is waited for without an end by a question whose deadline is infinite", async () => {
    const { fetch } = scripted(() => answerOf("a"))
    const later: typeof fetch = async (url, init) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return fetch(url, init)
    }
    const sextant = createSextant({ ...options, deadlineMs: 1, fetch: later })
    assert.strictEqual((await sextant.choose("x", { deadlineMs: Infinity })).source, "service")
  })

  it("is not waited for when the caller gives up", async () => {
    service.set("silent")
    const sextant = createSextant({ ...service, models, defaultModelId: "dear", deadlineMs: 60_000 })
    const controller = new AbortController()
    const asked = sextant.choose("x", { signal: controller.signal })
    controller.abort()
    assert.deepInclude(await asked, { modelId: "dear", reason: "aborted" })
    assert.deepInclude(await sextant.choose("x", { signal: AbortSignal.abort() }), { modelId: "dear", reason: "aborted" })
  })

  it("whose fetch obeys no signal is left at the deadline", async () => {
    const sextant = createSextant({ ...options, deadlineMs: 50, fetch: () => new Promise(() => {}) })
    await assertDefault(sextant, "timeout", "x")
  })
})

describe("a callback that throws", () => {
  it("harms neither a choice nor a report", async () => {
    const sextant = createSextant({
      ...options,
      fetch: () => Promise.reject(new Proxy({}, { get: thrower })),
      onDefault: thrower,
      onDropped: async () => thrower(),
      priceOf: thrower
    })
    const choice = await sextant.choose("x")
    assert.deepInclude(choice, { modelId: "c", source: "default", reason: "unreachable" })
  })

  it("and a usage whose getter throws leave the result of a run", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    assert.strictEqual(await choice.run((model) => model, { usage: () => ({ get inputTokens() { return thrower() } }) }), "a")
    assert.isTrue(await sextant.flush())
    assert.deepInclude(bodies()[1], { chosen_model_id: "a", outcome: "success" })
  })

  it("leaves the report of a call without a price", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch, priceOf: thrower })
    const choice = await sextant.choose("x")
    await choice.run((model) => model, { usage: thrower })
    assert.isTrue(await sextant.flush())
    assert.deepInclude(bodies()[1], { chosen_model_id: "a", outcome: "success" })
    assert.notProperty(bodies()[1], "actual_cost_usd")
  })
})

describe("the breaker", () => {
  it("stops asking after three failures in a row, and lets one question through after its pause", async () => {
    let state: "up" | "down" = "down"
    const { fetch, hits } = scripted(() => {
      if (state === "down") throw new TypeError("fetch failed")
      return answerOf("a")
    })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const sextant = createSextant({ ...options, fetch, pauseMs: 60 })
    for (let i = 0; i < 3; i++) await assertDefault(sextant, "unreachable", "x")
    for (let i = 0; i < 5; i++) await assertDefault(sextant, "paused", "x")
    assert.strictEqual(hits(), 3)
    vi.advanceTimersByTime(60)
    const both = await Promise.all([sextant.choose("x"), sextant.choose("x")])
    assert.deepStrictEqual(both.map(({ reason }) => reason).sort(), ["paused", "unreachable"])
    state = "up"
    vi.advanceTimersByTime(60)
    assert.strictEqual((await sextant.choose("x")).modelId, "a")
    assert.strictEqual((await sextant.choose("x")).modelId, "a")
    assert.strictEqual(hits(), 6)
  })

  it("waits as long as a 429 asks for, and is not closed by a request that is refused", async () => {
    const refuse = (status: number, headers: Record<string, string> = {}) => () => new Response("{}", { status, headers })
    const limited = scripted(refuse(429, { "retry-after": "30" }))
    const sextant = createSextant({ ...options, fetch: limited.fetch })
    await assertDefault(sextant, "refused", "x")
    await assertDefault(sextant, "paused", "x")
    assert.strictEqual(limited.hits(), 1)

    const refused = scripted(refuse(422))
    const other = createSextant({ ...options, fetch: refused.fetch })
    for (let i = 0; i < 5; i++) await assertDefault(other, "refused", "x")
    assert.strictEqual(refused.hits(), 5)
  })
})

describe("a client", () => {
  for (
    const [name, over] of [
      ["a default that is none of the models", { defaultModelId: "z" }],
      ["no default", { defaultModelId: undefined }],
      ["no models", { models: [] }],
      ["models that are no list", { models: "a" }],
      ["no key", { apiKey: "" }],
      ["a key that ends with a line break", { apiKey: "k\n" }],
      ["a key that is an object", { apiKey: {} }],
      ["no address", { baseUrl: undefined }],
      ["an address of another protocol", { baseUrl: "file:///etc" }],
      ["a deadline of 0", { deadlineMs: 0 }],
      ["a deadline that is no number", { deadlineMs: "soon" }],
      ["a deadline without an end", { deadlineMs: Infinity }],
      ["a queue of less than nothing", { queueMax: -1 }]
    ] as const
  ) {
    it(`cannot be made with ${name}`, () => {
      // The types forbid most of these: a caller without types gets a TypeError.
      assert.throws(() => createSextant({ ...options, ...over } as typeof options), TypeError)
    })
  }

  it("says where a key comes from that is not set", () => {
    for (const apiKey of [undefined, ""]) {
      assert.throws(() => createSextant({ ...options, apiKey }), /apiKey is missing: set SEXTANT_KEY, from the service's first start/)
    }
  })

  it("does not compile without a default among its models", () => {
    const { baseUrl, apiKey } = options
    // @ts-expect-error a default model is needed
    assert.throws(() => createSextant({ baseUrl, apiKey, models: ["a"] }))
    // @ts-expect-error the default is one of the models
    assert.throws(() => createSextant({ baseUrl, apiKey, models: ["a"], defaultModelId: "b" }))
  })

  it("takes the service's address with a path, a slash or /v1 behind it", async () => {
    for (const [baseUrl, url] of [["http://h/", "http://h/v1/recommend"], ["http://h/v1", "http://h/v1/recommend"], ["http://h/sextant/v1/", "http://h/sextant/v1/recommend"]] as const) {
      const { fetch, urls } = scripted(() => answerOf("a"))
      await createSextant({ ...options, baseUrl, fetch }).choose("x")
      assert.deepStrictEqual(urls(), [url])
    }
  })
})
