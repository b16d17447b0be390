// The adapter of `@anthropic-ai/sdk` against the real service and a fake provider, on the oldest and newest version.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { sextantOf, withSextant } from "../../../../packages/client/src/anthropic/index.ts"
import { complaintsOf } from "../support/Compiled.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { ran, task } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models } from "../support/RealService.ts"
import { declareRefusals, declareSdk, type Format } from "../support/Sdk.ts"
import { keeping, staged } from "../support/Stage.ts"
import type { AnthropicClient, AnthropicModule, Message, MessageEvent, Messages } from "./Sdk.ts"

const settings = { models, defaultModelId: "dear", deadlineMs: 10_000 } as const
const body = { model: "sextant/auto", max_tokens: 100, messages: [{ role: "user", content: task }] }

const format = (messagesOf: (client: AnthropicClient) => Messages): Format<AnthropicClient, Message, MessageEvent> => ({
  whole: (client, over, options) => messagesOf(client).create({ ...body, ...over }, options),
  stream: (client, over, options) => messagesOf(client).create({ ...body, ...over, stream: true }, options),
  textOf: ({ content }) => content[0]?.text,
  partOf: ({ delta }) => delta?.text,
  end: /message_stop/
})

onEachVersion("anthropic", ({ folder, load }) => {
  const stage = staged()
  const keep = keeping()
  let Client: AnthropicModule["Anthropic"]
  beforeAll(async () => {
    Client = (await load<AnthropicModule>("@anthropic-ai/sdk")).Anthropic
  })
  const plain = () => new Client({ baseURL: stage.provider.url, apiKey: "any" })
  const client = (over: object = {}) => keep(withSextant(plain(), { ...stage.service, ...settings, ...over }))
  const clients = { client, plain }

  describe("a message", () => declareSdk(stage, clients, format(({ messages }) => messages), true))
  describe("a beta message", () => declareSdk(stage, clients, format(({ beta }) => beta.messages), false))

  it("routes the stream helper, and parse where the version has it", async () => {
    const wrapped = client()
    const helper = wrapped.messages.stream(body)
    const final = await helper.finalMessage()
    assert.strictEqual(final.content[0]?.text, textOf(sextantOf(helper)?.modelId ?? ""))
    const [report] = await stage.service.reported(sextantOf(helper)?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, {
      outcome: "success", input_tokens: usage.input, cache_write_input_tokens: 50, cache_write_hour_input_tokens: 20,
      service_tier: "standard", web_searches: 0
    })
    const parsed = await wrapped.messages.parse?.(body)
    if (parsed !== undefined) assert.strictEqual(sextantOf(parsed)?.source, "service")
    assert.notInclude(ran(stage), "sextant/auto")
  })

  it("runs a loop of tools on the model that called them, also when the service goes down in it", async () => {
    const wrapped = client()
    for (const model of models) stage.provider.set(model, "tool")
    const tool = {
      name: "sum", description: "sums", input_schema: { type: "object" as const },
      parse: (input: unknown) => input,
      run: () => {
        stage.service.set("down")
        return "3"
      }
    }
    const runner = wrapped.beta.messages.toolRunner?.({ ...body, tools: [tool] })
    if (runner !== undefined) {
      const final = await runner
      const [first, second] = ran(stage)
      assert.strictEqual(final.content[0]?.text, textOf(first ?? ""))
      assert.strictEqual(second, first)
      assert.strictEqual(sextantOf(final)?.source, "default")
    }
    // The same loop, written by hand, in every version.
    stage.service.set("up")
    const messages: Array<object> = [...body.messages]
    const { content } = await wrapped.messages.create({ ...body, messages, tools: [tool] })
    tool.run()
    messages.push({ role: "assistant", content }, {
      role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "3" }]
    })
    const answer = await wrapped.messages.create({ ...body, messages, tools: [tool] })
    const [called, answered] = ran(stage).slice(-2)
    assert.strictEqual(answered, called)
    assert.strictEqual(answer.content[0]?.text, textOf(called ?? ""))
  })

  declareRefusals(stage, clients, /sextant\/auto runs messages/, {
    "a count of tokens": (one) => one.messages.countTokens(body),
    "a batch": (one) => one.messages.batches.create({ requests: [{ custom_id: "1", params: body }] }),
    "a batch of the beta": (one) => one.beta.messages.batches.create({ requests: [{ custom_id: "1", params: body }] }),
    "a text completion": (one) => one.post("/v1/complete", { body: { ...body, prompt: "x" } })
  })

  it("keeps the client's own types, and takes only a default that is one of the models", () => {
    const program = `
      import Anthropic from "@anthropic-ai/sdk"
      import { auto, sextantOf, withSextant } from "sextant-client/anthropic"
      const options = { baseUrl: "http://localhost:8080", apiKey: "key" }
      const wrapped = withSextant(new Anthropic(), { ...options, models: ["a", "b"], defaultModelId: "a" })
      const client: Anthropic = wrapped
      const again: Anthropic = wrapped.withOptions({ maxRetries: 1 })
      export const run = async () => {
        const body = { model: "sextant/auto", max_tokens: 10, messages: [{ role: "user" as const, content: "x" }] }
        const answer = await wrapped.messages.create(body)
        const { data } = await wrapped.messages.create({ ...body, model: auto() }).withResponse()
        const stream = await client.messages.create({ ...body, stream: true })
        for await (const event of stream) event.type
        wrapped.sextant.score(answer, 1, "gate")
        return [answer.content[0]?.type, data.usage, sextantOf(stream)?.recommendationId, again]
      }
      // @ts-expect-error The default is none of the models.
      withSextant(new Anthropic(), { ...options, models: ["a"], defaultModelId: "c" })
    `
    assert.strictEqual(complaintsOf({ "program.ts": program }, [folder]), "")
  })
})
