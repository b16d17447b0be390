// What one client remembers between choices: conversations, models whose provider was out, and what ran.
import { assert, describe, it } from "@effect/vitest"
import { createSextant } from "../../../packages/client/src/index.ts"
import { answerOf, modelOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://h", apiKey: "k", models: ["a", "b", "c"], defaultModelId: "c" } as const
const outage = Object.assign(new Error("out"), { status: 503 })
const fail = (): never => {
  throw outage
}

describe("a conversation", () => {
  it("sends the model that ran last as its incumbent, and no other conversation does", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    const first = await sextant.choose("x", { conversationId: "one" })
    await sextant.choose("x", { conversationId: "one" })
    first.begin("b")
    await sextant.choose("x", { conversationId: "one" })
    await sextant.choose("x", { conversationId: "two" })
    await sextant.choose("x")
    assert.deepStrictEqual(bodies().map((body) => body.incumbent_model_id), [undefined, "a", "b", undefined, undefined])
  })

  it("gets advice though another layer ran a model whose name is no id, which is not sent", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch, warn: false })
    const names = ["x".repeat(257), "", "\u0000", "\ud800", "x".repeat(256)]
    for (const name of names) {
      const choice = await sextant.choose("x", { conversationId: "one" })
      assert.strictEqual(choice.source, "service")
      choice.begin(name)
    }
    await sextant.choose("x", { conversationId: "one" })
    await sextant.choose("x", { request: { incumbent_model_id: "x".repeat(257) } })
    await sextant.choose("x", { conversationId: "one", request: { incumbent_model_id: null } })
    assert.deepStrictEqual(bodies().map((body) => body.incumbent_model_id), [
      undefined, undefined, undefined, undefined, undefined, "x".repeat(256), undefined, undefined
    ])
  })

  it("is forgotten after 10,000 others that are newer", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    for (const id of ["kept", "lost"]) await sextant.choose("x", { conversationId: id })
    for (let i = 0; i < 9_999; i++) {
      if (i === 5_000) await sextant.choose("x", { conversationId: "kept" })
      await sextant.choose("x", { conversationId: `other-${i}` })
    }
    const before = bodies().length
    await sextant.choose("x", { conversationId: "kept" })
    await sextant.choose("x", { conversationId: "lost" })
    assert.deepStrictEqual(bodies().slice(before).map((body) => body.incumbent_model_id), ["a", undefined])
  })
})

describe("a model whose provider was out", () => {
  it("is left out for its time, and never are all models", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch, coolDownMs: 50 })
    const choice = await sextant.choose("x")
    await choice.run(fail).catch(() => {})
    await sextant.choose("x")
    assert.deepStrictEqual(bodies().at(-1)?.constraints?.excluded_models, ["a", "c"])
    assert.isTrue(choice.begin("b").failed(outage))
    await sextant.choose("x")
    assert.deepStrictEqual(bodies().at(-1)?.constraints?.excluded_models, [])
    await new Promise((resolve) => setTimeout(resolve, 60))
    choice.begin("b").failed(outage)
    await sextant.choose("x")
    assert.deepStrictEqual(bodies().at(-1)?.constraints?.excluded_models, ["b"])
    await sextant.flush()
  })
})

describe("the models of a run", () => {
  const ranked = [modelOf("a", "one", 0.9), modelOf("b", "two", 0.6), modelOf("d", "three", 0.8), modelOf("c", "four", 0.5)]
  const models = ["a", "b", "c", "d", "e"] as const

  for (
    const [name, over, expected] of [
      ["the pick, the fallback, the likeliest of each other provider, and the default", { ranked, fallback_model: modelOf("b", "two") }, ["a", "b", "d", "c"]],
      ["the pick, the likeliest of each other provider without a fallback, and the default", { ranked }, ["a", "d", "b", "c"]],
      ["the same where the ranking does not repeat the pick, as in a short answer",
        { recommended_model: ranked[0], ranked: [modelOf("e", "one", 0.95), ...ranked.slice(1)] }, ["a", "d", "b", "c", "e"]],
      ["other models of a provider that failed only after the default",
        { ranked: [ranked[0], modelOf("e", "one", 0.7), modelOf("d", "one", 0.8), ranked[1]] }, ["a", "b", "c", "d", "e"]],
      ["no model that is not the caller's", { ranked: [ranked[0], modelOf("z", "two", 1)], fallback_model: modelOf("y") }, ["a", "c"]],
      ["the default once, if it is the fallback", { ranked, fallback_model: modelOf("c", "four") }, ["a", "c", "d", "b"]],
      ["all that the answer ranks, if the default is the pick and all are of one provider",
        { recommended_model: modelOf("c", "one"), ranked: [modelOf("c", "one"), modelOf("a", "one", 0.3), modelOf("b", "one", 0.4)] }, ["c", "b", "a"]],
      ["the pick, a guarantee's baseline, the default, and only then those that nothing is known of",
        { ranked, guarantee: { baseline_model_id: "b" } as never }, ["a", "b", "c", "d"]],
      ["the pick, and a baseline at its level of effort under a guarantee",
        { ranked: [...ranked, { ...modelOf("b", "one", 0.7), effort: "high" }], guarantee: { baseline_model_id: "b#low" } as never }, ["a", "c", "d", "b"]],
      ["none that the answer leaves out: a constraint may forbid it", { ranked: [ranked[0]] }, ["a", "c"]]
    ] as const
  ) {
    it(`are ${name}`, async () => {
      const { fetch } = scripted(() => answerOf("a", over))
      const choice = await createSextant({ ...options, models, fetch }).choose("x")
      const ran: Array<string> = []
      const error = await choice.run((model) => {
        ran.push(model)
        return fail()
      }).catch((one) => one)
      assert.strictEqual(error, outage)
      assert.deepStrictEqual(ran, [...expected])
      assert.isNull(choice.next())
    })
  }

  it("do not begin with a fallback that has just failed", async () => {
    const { fetch } = scripted(() => answerOf("a", { ranked, fallback_model: modelOf("b", "two") }))
    const sextant = createSextant({ ...options, models, fetch })
    const earlier = await sextant.choose("x")
    earlier.begin("b").failed(outage)
    const choice = await sextant.choose("x")
    assert.deepStrictEqual([choice.fallbackModelId, choice.next(), choice.next(), choice.next(), choice.next()], ["b", "d", "c", "b", null])
  })

  it("end with the call that the caller aborted, which is no failure", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const sextant = createSextant({ ...options, fetch })
    const choice = await sextant.choose("x")
    const controller = new AbortController()
    let runs = 0
    const error = await choice.run(() => {
      runs++
      controller.abort()
      return fail()
    }, { signal: controller.signal }).catch((one) => one)
    await sextant.flush()
    assert.deepStrictEqual([error, runs], [outage, 1])
    assert.deepInclude(bodies()[1], { outcome: "partial", evidence_source: "none" })
    await sextant.choose("x")
    assert.deepStrictEqual(bodies()[2]?.constraints?.excluded_models, [])
  })
})

describe("a client in shadow", () => {
  it("asks, says so, and runs the default alone, whatever the service named", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const reasons: Array<string> = []
    const sextant = createSextant({ ...options, fetch, shadow: true, onDefault: (reason) => reasons.push(reason) })
    const choice = await sextant.choose("x")
    assert.deepInclude(choice, { modelId: "c", source: "default", reason: "shadow", recommendationId: "r-a" })
    assert.strictEqual(choice.recommendation?.recommended_model.model_id, "a")
    const ran: Array<string> = []
    await choice.run((model) => {
      ran.push(model)
      return fail()
    }).catch(() => {})
    await sextant.flush()
    assert.deepStrictEqual([ran, reasons], [["c"], []])
    assert.propertyVal(bodies()[0], "shadow", true)
    assert.deepInclude(bodies()[1], { chosen_model_id: "c", outcome: "failure", error_cause: "infra" })
  })
})

describe("a verdict by the id alone", () => {
  it("names no model but the one that the caller names, and the service knows which one ran", async () => {
    const { bodies, fetch } = scripted(() => answerOf("a"))
    const here = createSextant({ ...options, fetch })
    const elsewhere = createSextant({ ...options, fetch })
    const choice = await here.choose("x")
    choice.begin("b").succeeded()
    here.score("r-a", 1)
    elsewhere.score("r-a", 1, "human", { notes: "well done" })
    elsewhere.score("r-a", 1, "human", { modelId: "a" })
    await Promise.all([here.flush(), elsewhere.flush()])
    assert.deepStrictEqual(bodies().slice(2).map((body) => [body.chosen_model_id, body.evidence_source, body.notes]), [
      [undefined, "gate", undefined], [undefined, "human", "well done"], ["a", "human", undefined]
    ])
  })
})
