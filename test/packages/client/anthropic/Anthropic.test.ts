// The adapter of `@anthropic-ai/sdk` against the real service and a fake provider, on the oldest and newest version.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { auto, sextantOf, withSextant } from "../../../../packages/client/src/anthropic/index.ts"
import { gates } from "../../../../packages/client/src/gates/index.ts"
import { judged } from "../../../../packages/client/src/judge/index.ts"
import { complaintsOf } from "../support/Compiled.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { declareSdkFaults, ran, task, type Way } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models } from "../support/RealService.ts"
import { keeping, staged } from "../support/Stage.ts"
import type { AnthropicClient, AnthropicModule, MessageEvent, Messages } from "./Sdk.ts"

const settings = { models, defaultModelId: "dear", deadlineMs: 10_000 } as const
const body = { model: "sextant/auto", max_tokens: 100, messages: [{ role: "user", content: task }] }

async function* textsOf(events: AsyncIterable<MessageEvent>): AsyncGenerator<string> {
  for await (const event of events) yield event.delta?.text ?? ""
}

const wayOf = (messages: Messages): Way => ({
  whole: async (options) => {
    const answer = await messages.create(body, options)
    return { text: answer.content[0]?.text ?? "", routed: sextantOf(answer) }
  },
  stream: async (options) => {
    const stream = await messages.create({ ...body, stream: true }, options)
    return { routed: () => sextantOf(stream), texts: textsOf(stream) }
  }
})

onEachVersion("anthropic", ({ folder, load }) => {
  const stage = staged()
  const keep = keeping()
  let Client: AnthropicModule["Anthropic"]
  beforeAll(async () => {
    Client = (await load<AnthropicModule>("@anthropic-ai/sdk")).Anthropic
  })
  const client = (over: object = {}) =>
    keep(withSextant(new Client({ baseURL: stage.provider.url, apiKey: "any" }), { ...stage.service, ...settings, ...over }))

  describe("a message", () => declareSdkFaults(stage, () => wayOf(client().messages)))
  describe("a beta message", () => declareSdkFaults(stage, () => wayOf(client().beta.messages)))

  it("takes the verdict of a gate, and of a judge on the same answer, in one line each", async () => {
    const wrapped = client()
    const review = judged({ sextant: wrapped.sextant, judge: () => "SCORE: 9", share: 1 })
    const answer = await review(task, wrapped.messages.create(body))
    assert.isTrue(wrapped.sextant.score(answer, await gates.matches(/^hello/)(answer), "gate"))
    const { modelId, recommendationId: id } = sextantOf(answer) ?? assert.fail("not routed")
    await review.flush()
    const verdicts = (await stage.service.reported(id, 3)).filter(({ sent }) => sent.evidence_source !== "none")
    assert.sameMembers(verdicts.map(({ sent }) => `${sent.evidence_source} ${sent.outcome}`), ["gate success", "judge success"])
    assert.isTrue(verdicts.every(({ answer, sent }) => answer.accepted && (sent.chosen_model_id ?? modelId) === modelId))
  })

  it("passes requests for any other model untouched, and asks nothing", async () => {
    const given = { ...body, model: "middle" }
    const answer = await client().messages.create(given)
    assert.isNull(sextantOf(answer))
    assert.strictEqual(answer.content[0]?.text, textOf("middle"))
    assert.deepStrictEqual(stage.provider.asked[0]?.body, given)
    assert.lengthOf(stage.service.asked, 0)
  })

  it("keeps withResponse and asResponse, and measures a body that is read raw", async () => {
    const wrapped = client()
    const { data, response } = await wrapped.messages.create(body).withResponse()
    assert.deepStrictEqual(sextantOf(data), sextantOf(response))
    await stage.service.reported(sextantOf(data)?.recommendationId ?? "", 1)
    const raw = await wrapped.messages.create({ ...body, stream: true }).asResponse()
    assert.match(await raw.text(), /message_stop/)
    const [report] = await stage.service.reported(sextantOf(raw)?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { outcome: "success", input_tokens: usage.input, output_tokens: usage.output })
  })

  it("routes the stream helper, and parse where the version has it", async () => {
    const wrapped = client()
    const helper = wrapped.messages.stream(body)
    const final = await helper.finalMessage()
    assert.strictEqual(final.content[0]?.text, textOf(sextantOf(helper)?.modelId ?? ""))
    const [report] = await stage.service.reported(sextantOf(helper)?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { outcome: "success", input_tokens: usage.input })
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

  it("takes a verdict on an answer, options in the model's name, and the provider's ids of models", async () => {
    const wrapped = client({ models: { cheap: "cheap-2026", dear: "dear-2026" } })
    const answer = await wrapped.messages.create({ ...body, model: auto({ models: ["cheap"] }) })
    assert.deepStrictEqual(ran(stage), ["cheap-2026"])
    assert.isTrue(wrapped.sextant.score(answer, true))
    const reports = await stage.service.reported(sextantOf(answer)?.recommendationId ?? "", 2)
    assert.deepStrictEqual(reports.map(({ sent }) => sent.chosen_model_id), ["cheap", "cheap"])
  })

  it("routes what withOptions makes of it", async () => {
    const answer = await client().withOptions({ timeout: 5_000 }).messages.create(body)
    assert.strictEqual(sextantOf(answer)?.source, "service")
  })

  for (
    const [name, request] of [
      ["a count of tokens", (one) => one.messages.countTokens(body)],
      ["a batch", (one) => one.messages.batches.create({ requests: [{ custom_id: "1", params: body }] })],
      ["a batch of the beta", (one) => one.beta.messages.batches.create({ requests: [{ custom_id: "1", params: body }] })],
      ["a text completion", (one) => one.post("/v1/complete", { body: { ...body, prompt: "x" } })]
    ] as ReadonlyArray<readonly [string, (one: AnthropicClient) => Promise<unknown>]>
  ) {
    it(`refuses the model in ${name}, and sends nothing`, async () => {
      const error = await request(client()).catch((cause) => cause)
      assert.instanceOf(error, TypeError)
      assert.match(error.message, /sextant\/auto runs messages/)
      assert.lengthOf(stage.provider.asked, 0)
    })
  }

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
