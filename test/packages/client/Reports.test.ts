// Reports: what they carry, how often they are sent, and what becomes of those that cannot be.
import { assert, describe, it } from "@effect/vitest"
import { createSextant, type DroppedReport } from "../../../packages/client/src/index.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b"], defaultModelId: "b" } as const

/** Nothing for as long as the test wants. */
const gate = () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe("a report", () => {
  it("carries only numbers that are some", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch, priceOf: () => 0.002 })
    const choice = await sextant.choose("x")
    choice.succeeded({
      inputTokens: NaN, cachedInputTokens: -1, outputTokens: 12.6, reasoningTokens: null, latencyMs: 7.2, timeToFirstTokenMs: Infinity
    })
    assert.isTrue(await sextant.flush())
    const { idempotency_key: key, ...body } = bodies()[1] ?? {}
    assert.match(key ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(body, {
      recommendation_id: "r-a", chosen_model_id: "a", outcome: "success", evidence_source: "none",
      output_tokens: 13, actual_cost_usd: 0.002, latency_ms: 7
    })
  })

  it("is sent once for each call, by whichever end comes first", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    const call = choice.begin()
    call.abandoned({ outputTokens: 1 })
    call.succeeded()
    assert.isFalse(call.failed(new Error("no outage")))
    choice.begin("b").failed(new Error("no outage"))
    await sextant.flush()
    assert.deepStrictEqual(bodies().slice(1).map((body) => [body.chosen_model_id, body.outcome, body.error_cause]), [
      ["a", "partial", undefined], ["b", "failure", undefined]
    ])
  })

  for (
    const [name, feedback, sent, reason] of [
      ["502", () => new Response("", { status: 502 }), 3, "unreachable"],
      ["503", () => new Response("", { status: 503 }), 3, "unreachable"],
      ["504", () => new Response("", { status: 504 }), 3, "unreachable"],
      ["a broken connection", () => Promise.reject(new TypeError("fetch failed")), 3, "unreachable"],
      ["400", () => new Response("", { status: 400 }), 1, "refused"],
      ["429", () => new Response("", { status: 429 }), 3, "refused"],
      ["500", () => new Response("", { status: 500 }), 1, "refused"],
      ["a decision that is not known", () => Response.json({ accepted: false, warnings: ["unknown_recommendation"] }), 1, "not_accepted"]
    ] as const
  ) {
    it(`is sent ${sent === 1 ? "once" : "three times"} after ${name}, and then counted as lost`, async () => {
      const { bodies, fetch } = scripted(() => answerOf("a"), feedback)
      const lost: Array<DroppedReport> = []
      const sextant = createSextant({ ...options, fetch, onDropped: (dropped) => lost.push(dropped) })
      const choice = await sextant.choose("x")
      choice.succeeded()
      assert.isTrue(await sextant.flush())
      assert.lengthOf(bodies(), 1 + sent)
      assert.lengthOf(new Set(bodies().slice(1).map((body) => body.idempotency_key)), 1)
      assert.strictEqual(sextant.dropped(), 1)
      assert.deepStrictEqual(lost.map((dropped) => [dropped.reason, dropped.report.chosen_model_id]), [[reason, "a"]])
    })
  }

  it("arrives after two failures", async () => {
    let failures = 2
    const { fetch, hits } = scripted(() => answerOf("a"), () =>
      failures-- > 0 ? new Response("", { status: 503 }) : Response.json({ accepted: true }))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    choice.succeeded()
    assert.isTrue(await sextant.flush())
    assert.deepStrictEqual([hits(), sextant.dropped()], [4, 0])
  })
})

describe("the queue", () => {
  it("holds no more than its limit, sends four at once, and counts what it cannot take", async () => {
    const { open, opened } = gate()
    let atOnce = 0
    let most = 0
    const { fetch } = scripted(() => answerOf("a"), async () => {
      most = Math.max(most, ++atOnce)
      await opened
      atOnce--
      return Response.json({ accepted: true })
    })
    const lost: Array<string> = []
    const sextant = createSextant({ ...options, fetch, queueMax: 10, onDropped: ({ reason }) => lost.push(reason) })
    const choice = await sextant.choose("x")
    const taken = Array.from({ length: 13 }, () => choice.score(1))
    assert.deepStrictEqual(taken, [...Array(10).fill(true), ...Array(3).fill(false)])
    assert.strictEqual(sextant.pending(), 10)
    assert.isFalse(await sextant.flush(20))
    open()
    assert.isTrue(await sextant.flush())
    assert.deepStrictEqual([sextant.pending(), sextant.dropped(), most], [0, 3, 4])
    assert.deepStrictEqual(lost, ["queue_full", "queue_full", "queue_full"])
  })
})

describe("a verdict", () => {
  it("is labelled as the specification advises", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    for (const quality of [true, 0.8, 0.79, 0.4, 0.39, false]) assert.isTrue(choice.score(quality, "judge"))
    await sextant.flush()
    assert.deepStrictEqual(bodies().slice(1).map((body) => [body.quality_score, body.outcome]), [
      [1, "success"], [0.8, "success"], [0.79, "partial"], [0.4, "partial"], [0.39, "failure"], [0, "failure"]
    ])
  })

  it("is not sent without a decision, or with a quality that is none", async () => {
    const { bodies, fetch } = scripted(() => ({}))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    assert.isFalse(choice.score(1))
    for (const quality of [NaN, -0.1, 1.1, undefined, "good"]) assert.isFalse(sextant.score("r-a", quality as number))
    for (const id of ["", null, undefined, 5, {}]) assert.isFalse(sextant.score(id as string, 1))
    await sextant.flush()
    assert.lengthOf(bodies(), 1)
  })
})
