// The adapter of `openai` against the real service and a fake provider, on the oldest and newest version it claims.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { auto, sextantOf, withSextant } from "../../../../packages/client/src/openai/index.ts"
import { complaintsOf } from "../support/Compiled.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { ran, task } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { exhaustedBudget, type GateState, models } from "../support/RealService.ts"
import { declareRefusals, declareSdk, type Format, wayOf } from "../support/Sdk.ts"
import { keeping, staged } from "../support/Stage.ts"
import type { Chunk, Completion, OpenAiClient, OpenAiModule, ResponseAnswer, ResponseEvent } from "./Sdk.ts"

const settings = { models, defaultModelId: "dear", deadlineMs: 10_000 } as const
const messages = [{ role: "user", content: task }]

const reported = { reasoning_tokens: usage.reasoning }

const chat: Format<OpenAiClient, Completion, Chunk> = {
  whole: ({ chat }, over, options) => chat.completions.create({ model: "sextant/auto", messages, ...over }, options),
  stream: ({ chat }, over, options) =>
    chat.completions.create({ model: "sextant/auto", messages, ...over, stream: true }, options),
  textOf: ({ choices }) => choices[0]?.message.content,
  partOf: ({ choices }) => choices[0]?.delta.content,
  end: /\[DONE\]/,
  reported
}

const response: Format<OpenAiClient, ResponseAnswer, ResponseEvent> = {
  whole: ({ responses }, over, options) => responses.create({ model: "sextant/auto", input: task, ...over }, options),
  stream: ({ responses }, over, options) =>
    responses.create({ model: "sextant/auto", input: messages, ...over, stream: true }, options),
  textOf: ({ output_text: text }) => text,
  partOf: ({ delta, type }) => type === "response.output_text.delta" ? delta : undefined,
  end: /response\.completed/,
  reported
}

onEachVersion("openai", ({ folder, load }) => {
  const stage = staged()
  const keep = keeping()
  let Client: OpenAiModule["OpenAI"]
  let Azure: OpenAiModule["AzureOpenAI"]
  beforeAll(async () => {
    ({ AzureOpenAI: Azure, OpenAI: Client } = await load<OpenAiModule>("openai"))
  })
  const plain = (): OpenAiClient => new Client({ baseURL: `${stage.provider.url}/v1`, apiKey: "any" })
  const client = (over: object = {}) => keep(withSextant(plain(), { ...stage.service, ...settings, ...over }))

  const clients = { client, plain }

  describe("a chat completion", () => declareSdk(stage, clients, chat, true))
  describe("a response", () => declareSdk(stage, clients, response, false))

  describe("an answer that has to fit a schema", () => {
    const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }
    const asChat = (wrapped: ReturnType<typeof client>, more: object = {}) => wrapped.chat.completions.create({
      model: "sextant/auto", messages, response_format: { type: "json_schema", json_schema: { name: "sum", schema } }, ...more
    })
    const asResponse = (wrapped: ReturnType<typeof client>, more: object = {}) => wrapped.responses.create({
      model: "sextant/auto", input: task, text: { format: { type: "json_schema", name: "sum", schema } }, ...more
    })
    const gated = async (ask: typeof asChat | typeof asResponse, more: object = {}) => {
      const wrapped = client()
      const { modelId, recommendationId } = sextantOf(await ask(wrapped, more)) ?? assert.fail("not routed")
      await wrapped.sextant.flush()
      const reports = stage.service.reports.filter(({ sent }) => sent.recommendation_id === recommendationId && sent.evidence_source === "gate")
      assert.isTrue(reports.every(({ answer, sent }) => answer.accepted && sent.chosen_model_id === modelId))
      return reports.map(({ sent }) => `${sent.outcome} ${sent.notes}`)
    }

    it("is a failed gate where it does not, once, and no verdict where it does", async () => {
      for (const ask of [asChat, asResponse]) {
        for (const [text, verdicts] of [["Here it is: 3", 1], ['{"sum": "three"}', 1], ['{"sum": 3}', 0]] as const) {
          for (const id of models) stage.provider.say(id, text)
          assert.deepStrictEqual(await gated(ask), Array.from({ length: verdicts }, () => "failure not of its schema"), text)
        }
      }
    })

    it("is none where a tool is called instead, or without a schema", async () => {
      const tools = [{ type: "function", name: "f", function: { name: "f" } }]
      for (const ask of [asChat, asResponse]) {
        for (const id of models) stage.provider.set(id, "tool")
        assert.deepStrictEqual(await gated(ask, { tools }), [])
        for (const id of models) stage.provider.set(id, "answer")
        assert.deepStrictEqual(await gated(ask, { response_format: undefined, text: undefined }), [])
      }
    })
  })

  it("shows the chunk with the usage of a stream only to a caller who asks for it", async () => {
    assert.notInclude(await (await chat.stream(client()).asResponse()).text(), "usage")
    const chunksOf = async (more: object) => {
      const chunks: Array<Chunk> = []
      const wrapped = client()
      for await (
        const chunk of await wrapped.chat.completions.create({ model: "sextant/auto", messages, stream: true, ...more })
      ) chunks.push(chunk)
      return chunks
    }
    const silent = await chunksOf({})
    assert.isTrue(silent.every(({ choices }) => choices.length > 0))
    const open = await chunksOf({ stream_options: { include_usage: true } })
    assert.lengthOf(open, silent.length + 1)
    assert.strictEqual(open.at(-1)?.usage?.prompt_tokens, usage.input)
    await chunksOf({ stream_options: { include_usage: false } })
    assert.deepStrictEqual(stage.provider.asked.at(-1)?.body["stream_options"], { include_usage: false })
  })

  it("routes parse, the stream helpers and runTools of both APIs", async () => {
    const wrapped = client()
    const parsed = await wrapped.chat.completions.parse({ model: "sextant/auto", messages })
    assert.strictEqual(sextantOf(parsed)?.source, "service")
    const response = await wrapped.responses.parse({ model: "sextant/auto", input: task })
    assert.strictEqual(sextantOf(response)?.source, "service")
    const chat = wrapped.chat.completions.stream({ model: "sextant/auto", messages })
    const completion = await chat.finalChatCompletion()
    assert.strictEqual(completion.choices[0]?.message.content, textOf(sextantOf(chat)?.modelId ?? ""))
    const events = wrapped.responses.stream({ model: "sextant/auto", input: task })
    const final = await events.finalResponse()
    assert.strictEqual(final.output[0]?.content?.[0]?.text, textOf(sextantOf(events)?.modelId ?? ""))
    const ids = [parsed, response, chat, events].map((one) => sextantOf(one)?.recommendationId ?? "")
    assert.lengthOf(new Set(ids), 4)
    for (const id of ids) {
      const [report] = await stage.service.reported(id, 1)
      assert.deepInclude(report?.sent, { outcome: "success", output_tokens: usage.output })
    }
  })

  /** A tool during whose call the service comes to this state. */
  const sumThat = (state: GateState) => ({
    type: "function" as const,
    function: {
      name: "sum", description: "sums", parameters: { type: "object", properties: {} },
      parse: JSON.parse,
      function: () => {
        stage.service.set(state)
        return "3"
      }
    }
  })

  it("runs a loop of tools on the model that called them, also when the service goes down in it", async () => {
    const wrapped = client()
    for (const model of models) stage.provider.set(model, "tool")
    const runner = wrapped.chat.completions.runTools({
      model: "sextant/auto",
      messages,
      tools: [sumThat("down")]
    })
    const text = await runner.finalContent()
    const [first, second] = ran(stage)
    assert.strictEqual(text, textOf(first ?? ""))
    assert.strictEqual(second, first)
    assert.lengthOf(stage.service.asked, 1)
    assert.strictEqual(sextantOf(runner)?.source, "default")
  })

  it("runs what the handler of an exhausted budget names, also in a loop of tools", async () => {
    const first = sextantOf(await client().chat.completions.create({ model: "sextant/auto", messages }))?.modelId
    const other = models.find((id) => id !== first) ?? "dear"
    stage.provider.reset()
    for (const model of models) stage.provider.set(model, "tool")
    const wrapped = client({ onBudgetExhausted: () => other })
    const runner = wrapped.chat.completions.runTools({
      model: "sextant/auto",
      messages,
      tools: [sumThat(exhaustedBudget)]
    })
    assert.strictEqual(await runner.finalContent(), textOf(other))
    assert.deepStrictEqual(ran(stage), [first ?? "", other])
    assert.deepInclude(sextantOf(runner), { modelId: other, source: "default", reason: "budget_exhausted" })
  })

  it("takes a choice for a verdict, and nothing that was not routed", async () => {
    const wrapped = client()
    const answer = await wrapped.chat.completions.create({ model: "sextant/auto", messages })
    const { recommendationId } = sextantOf(answer) ?? {}
    assert.isTrue(wrapped.sextant.score(await wrapped.sextant.choose(task), true))
    assert.isFalse(wrapped.sextant.score({}, true))
    assert.isFalse(wrapped.sextant.score(await wrapped.chat.completions.create({ model: "dear", messages }), true))
    // A copy knows what it came from, and JSON does not show it.
    assert.strictEqual(sextantOf({ ...answer })?.recommendationId, recommendationId)
    assert.notInclude(JSON.stringify(answer), recommendationId ?? "")
  })

  it("knows a conversation by its first message", async () => {
    const wrapped = client()
    const [first] = messages
    const answer = await wrapped.chat.completions.create({ model: "sextant/auto", messages: [first] })
    const next = [{ role: "system", content: "Be short" }, first, answer.choices[0]?.message, { role: "user", content: "And?" }]
    await wrapped.chat.completions.create({ model: "sextant/auto", messages: next })
    assert.strictEqual(stage.service.asked[1]?.incumbent_model_id, sextantOf(answer)?.modelId)
    assert.strictEqual(stage.service.asked[1]?.task.task, "And?")
  })

  it("routes a plain post", async () => {
    const posted = await client().post("/chat/completions", { body: { model: "sextant/auto", messages } })
    assert.strictEqual(sextantOf(posted as object)?.source, "service")
    assert.notInclude(ran(stage), "sextant/auto")
  })

  declareRefusals(stage, clients, /sextant\/auto runs chat completions and responses/, {
    "embeddings": (one) => one.embeddings.create({ model: "sextant/auto", input: "x" }),
    "a form": (one) => one.audio.transcriptions.create({ model: "sextant/auto", file: new File(["x"], "x.wav") }),
    "a part of a body": (one) => one.post("/evals", { body: { data: [{ sampling: { model: "sextant/auto" } }] } }),
    "a body that is a text": (one) => one.post("/chat/completions", { body: `{"model":"sextant/auto"}` }),
    "a tool": (one) => one.responses.create({ model: "sextant/auto", input: "x", tools: [{ model: "sextant/auto" }] }),
    "a change of a stored completion": (one) => one.post("/chat/completions/1", { body: { model: auto() } })
  })

  it("turns a silent provider's timeout into another model", async () => {
    const wrapped = withSextant(
      new Client({ baseURL: `${stage.provider.url}/v1`, apiKey: "any", timeout: 300 }), { ...stage.service, ...settings }
    )
    const way = wayOf(chat, wrapped)
    const { routed } = await way.whole()
    stage.provider.set(routed?.modelId ?? "", "silent")
    const second = await way.whole()
    assert.notStrictEqual(second.routed?.modelId, routed?.modelId)
    const reports = await stage.service.reported(second.routed?.recommendationId ?? "", 2)
    assert.include(reports.map(({ sent }) => sent.error_cause), "infra")
  })

  it("sends the tokens of the whole prompt, in which files do not count", async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(1_000_000)}` } }
    const long = [
      { role: "system", content: "rule ".repeat(8_000) },
      { role: "user", content: [{ type: "text", text: task }, image] }
    ]
    const answer = await client().chat.completions.create({ model: "sextant/auto", messages: long })
    assert.strictEqual(sextantOf(answer)?.source, "service")
    const [asked] = stage.service.asked
    assert.strictEqual(asked?.task.task, task)
    assert.approximately(asked?.task.expected_input_tokens ?? 0, 10_000, 100)
    const model = auto({ request: { constraints: { require_context_window: 5 } } })
    await client().responses.create({ model, input: [{ role: "user", content: [image] }] })
    assert.strictEqual(stage.service.asked[1]?.task.task, "[file]")
    assert.deepInclude(stage.service.asked[1]?.constraints, { require_context_window: 5, candidate_models: [...models] })
  })

  it("routes a client of Azure, whose address names the model", async () => {
    const azure = new Azure({ endpoint: stage.provider.url, apiKey: "any", apiVersion: "2024-10-21" })
    const wrapped = withSextant(azure, { ...stage.service, ...settings })
    const { routed, text } = await wayOf(chat, wrapped).whole()
    assert.strictEqual(text, textOf(routed?.modelId ?? ""))
    assert.include(stage.provider.asked[0]?.path, `/deployments/${routed?.modelId}/chat/completions`)
  })

  it("takes anything where an answer is wanted, and knows nothing of it", () => {
    for (const odd of [undefined, null, 5, "x", () => {}, { controller: null }, { controller: 5 }]) {
      assert.isNull(sextantOf(odd as object))
      assert.isFalse(client().sextant.score(odd as object, true) && typeof odd !== "string")
    }
  })

  it("does not take what is no client of the SDK, nor a default that is none of the models", () => {
    assert.throws(() => withSextant({ withOptions: () => ({}) }, { ...stage.service, ...settings }), /no client of openai/)
    assert.throws(() => client({ models: ["cheap"] }), /defaultModelId/)
    assert.throws(() => client({ models: { cheap: "x" } }), /defaultModelId/)
  })

  it("keeps the client's own types, and takes only a default that is one of the models", () => {
    const program = `
      import OpenAI from "openai"
      import { auto, sextantOf, withSextant } from "sextant-client/openai"
      const options = { baseUrl: "http://localhost:8080", apiKey: "key" }
      const client: OpenAI & { readonly sextant: unknown } =
        withSextant(new OpenAI(), { ...options, models: ["a", "b"], defaultModelId: "a" })
      const wrapped = withSextant(new OpenAI(), { ...options, models: { a: "a-1", b: "b-1" }, defaultModelId: "a" })
      const again: OpenAI = wrapped.withOptions({ maxRetries: 1 })
      export const run = async () => {
        const model = "sextant/auto"
        const answer = await wrapped.chat.completions.create({ model, messages: [{ role: "user", content: "x" }] })
        const text: string | null | undefined = answer.choices[0]?.message.content
        const { data } = await wrapped.responses.create({ model: auto({ models: ["a"] }), input: "x" }).withResponse()
        const stream = await client.chat.completions.create({ model, messages: [], stream: true })
        for await (const chunk of stream) chunk.choices[0]?.delta.content
        wrapped.sextant.score(answer, 1, "gate")
        return [text, data.output_text, sextantOf(stream)?.recommendationId, wrapped.sextant.defaultModelId, again]
      }
      // @ts-expect-error The default is none of the models.
      withSextant(new OpenAI(), { ...options, models: ["a"], defaultModelId: "c" })
      // @ts-expect-error There is no default.
      withSextant(new OpenAI(), { ...options, models: { a: "a" } })
    `
    assert.strictEqual(complaintsOf({ "program.ts": program }, [folder]), "")
  })
})
