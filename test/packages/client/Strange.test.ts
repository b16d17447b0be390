// What strangers did to the client: each test is of a mistake that it once made.
import { assert, describe, it } from "@effect/vitest"
import { Readable } from "node:stream"
import { createSextant, measuredIterable, measuredStream } from "../../../packages/client/src/index.ts"
import { scoringAnswers } from "../../../packages/client/src/sdk/RoutedAnswer.ts"
import { answerOf, modelOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b", "c"], defaultModelId: "c" } as const

const clientOf = (over: object = {}) => {
  const script = scripted(() => answerOf("a", { ranked: [modelOf("a"), modelOf("b")] }))
  const sextant = createSextant({ ...options, fetch: script.fetch, ...over })
  const reports = async () => {
    await sextant.flush()
    return script.bodies().filter(({ recommendation_id }) => recommendation_id !== undefined)
  }
  return { sextant, reports, ...script }
}

describe("a verdict of a judge that said nothing", () => {
  it("is none, and not the worst one", async () => {
    const { reports, sextant } = clientOf()
    const choice = await sextant.choose("x")
    for (const quality of [null, "", [], {}, "0.5", new Date(0), 2n]) {
      assert.isFalse(choice.score(quality as number), String(quality))
      assert.isFalse(sextant.score("r-a", quality as number), String(quality))
    }
    assert.isEmpty(await reports())
  })
})

describe("a verdict on a choice whose first model was out", () => {
  it("is about the model that ran, and not about the one reported last", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a", { ranked: [modelOf("a"), modelOf("b")] }))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    assert.strictEqual(choice.ranModelId, "a")
    await choice.run((model) => {
      if (model === "a") throw Object.assign(new Error("out"), { status: 503 })
      return model
    })
    assert.strictEqual(choice.ranModelId, "b")
    assert.isTrue(sextant.score(choice, true))
    assert.isTrue(scoringAnswers(sextant).score(choice, true))
    assert.isTrue(sextant.score(choice, true, "gate", { modelId: "c" }))
    assert.isFalse(scoringAnswers(sextant).score({}, true))
    await sextant.flush()
    const verdicts = bodies().filter(({ quality_score }) => quality_score !== undefined)
    assert.deepStrictEqual(verdicts.map(({ chosen_model_id }) => chosen_model_id), ["b", "b", "c"])
  })
})

describe("a usage whose fields say nothing", () => {
  it("leaves what the client measured itself, and the price", async () => {
    const { reports, sextant } = clientOf({ priceOf: () => 0.25 })
    const choice = await sextant.choose("x")
    await choice.run((model) => model, { usage: () => ({ inputTokens: 3, latencyMs: undefined, timeToFirstTokenMs: null, costUsd: null }) })
    const [report] = await reports()
    assert.isNumber(report?.latency_ms)
    assert.strictEqual(report?.actual_cost_usd, 0.25)
  })

  it("takes nothing from what an earlier part of a stream said", async () => {
    const { reports, sextant } = clientOf()
    const choice = await sextant.choose("x")
    const parts = async function* () {
      yield { inputTokens: 7, cachedInputTokens: 2 }
      yield { inputTokens: undefined, cachedInputTokens: null, outputTokens: 5, latencyMs: NaN }
    }
    for await (const _ of measuredIterable(choice.begin(), parts(), { usage: (part) => part })) void _
    const [report] = await reports()
    assert.deepInclude(report, { input_tokens: 7, cached_input_tokens: 2, output_tokens: 5, outcome: "success" })
    assert.isNumber(report?.latency_ms)
  })
})

const streamOf = <Part>(parts: AsyncIterator<Part>): ReadableStream<Part> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    }
  })

describe("a stream that ends silently because its caller aborted it", () => {
  it("is abandoned, and no success", async () => {
    const { reports, sextant } = clientOf()
    const choice = await sextant.choose("x")
    const controller = new AbortController()
    const parts = async function* () {
      yield 1
      controller.abort()
    }
    const { signal } = controller
    for await (const _ of measuredIterable(choice.begin(), parts(), { signal })) void _
    for await (const _ of measuredStream(choice.begin(), streamOf(parts()), { signal })) void _
    assert.deepStrictEqual((await reports()).map(({ outcome }) => outcome), ["partial", "partial"])
  })
})

describe("a stream that its reader leaves before the first part", () => {
  it("is abandoned, and its source is let go", async () => {
    const { reports, sextant } = clientOf()
    const choice = await sextant.choose("x")
    let cancelled = 0
    const source = () => new ReadableStream<number>({ cancel: () => void cancelled++ })
    await measuredIterable(choice.begin(), source()).return()
    const piped = Readable.from(measuredIterable(choice.begin(), source()))
    piped.destroy()
    await new Promise((resolve) => piped.once("close", resolve))
    assert.deepStrictEqual((await reports()).map(({ outcome }) => outcome), ["partial", "partial"])
    assert.strictEqual(cancelled, 2)
  })
})

describe("one question", () => {
  it("cannot be in shadow alone: its decision would be marked while its pick runs", async () => {
    const { bodies, sextant } = clientOf()
    // @ts-expect-error shadow is an option of the client
    const choice = await sextant.choose("x", { request: { shadow: true, user_id: "u" } })
    assert.strictEqual(choice.modelId, "a")
    assert.deepInclude(bodies()[0], { user_id: "u" })
    assert.notProperty(bodies()[0], "shadow")
  })

  it("that is aborted with a long deadline keeps no other from the service for that long", async () => {
    let isDown = true
    const script = scripted(() => {
      if (isDown) throw new TypeError("fetch failed")
      return answerOf("a")
    })
    const sextant = createSextant({ ...options, fetch: script.fetch, pauseMs: 20 })
    for (let i = 0; i < 3; i++) await sextant.choose("x")
    isDown = false
    await new Promise((resolve) => setTimeout(resolve, 30))
    const controller = new AbortController()
    const aborted = sextant.choose("x", { deadlineMs: 600_000, signal: controller.signal })
    controller.abort()
    assert.strictEqual((await aborted).reason, "aborted")
    await new Promise((resolve) => setTimeout(resolve, 30))
    assert.strictEqual((await sextant.choose("x")).source, "service")
  })

  it("waits until the date that a 429 names", async () => {
    const date = new Date(Date.now() + 45_000).toUTCString()
    const script = scripted(() => new Response("{}", { status: 429, headers: { "retry-after": date } }))
    const sextant = createSextant({ ...options, fetch: script.fetch })
    await sextant.choose("x")
    const { detail, reason } = await sextant.choose("x")
    assert.strictEqual(reason, "paused")
    assert.isAbove(Number(/\d+/.exec(detail)?.[0]), 30_000)
  })
})

describe("a flush without a limit", () => {
  it("waits until all reports have gone", async () => {
    const { fetch } = scripted(() => answerOf("a"), async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return Response.json({ accepted: true })
    })
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    choice.succeeded()
    assert.isTrue(await sextant.flush(Infinity))
    assert.strictEqual(sextant.pending(), 0)
  })
})

describe("a signal that lives long", () => {
  it("keeps no listener of the questions that it was given to", async () => {
    const { sextant } = clientOf()
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...given: Parameters<typeof add>) => (listeners++, add(...given))
    signal.removeEventListener = (...given: Parameters<typeof remove>) => (listeners--, remove(...given))
    for (let i = 0; i < 1_000; i++) await sextant.choose("x", { signal })
    assert.strictEqual(listeners, 0)
  })
})
