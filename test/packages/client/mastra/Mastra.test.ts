// An agent of Mastra on the routed model of the AI SDK, with the real service and a fake provider.
import { assert, beforeAll, it } from "@effect/vitest"
import type { RoutedMetadata } from "../../../../packages/client/src/ai-sdk/index.ts"
import type { CallOptions, LanguageModelLike } from "../../../../packages/client/src/ai-sdk/Shapes.ts"
import { appOf, end, streamOf, text, threeModels, whole } from "../ai-sdk/Sdk.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { keeping, staged } from "../support/Stage.ts"

interface Answer {
  readonly text: string
  readonly providerMetadata: { readonly sextant?: RoutedMetadata } | undefined
  readonly steps: ReadonlyArray<{ readonly providerMetadata?: { readonly sextant?: RoutedMetadata } }>
}

interface Streaming {
  readonly textStream: AsyncIterable<string>
  readonly text: Promise<string>
  readonly providerMetadata: Promise<Answer["providerMetadata"]>
}

interface Agent {
  readonly generate: (prompt: string, options?: object) => Promise<Answer>
  readonly stream: (prompt: string, options?: object) => Promise<Streaming>
}

type Model = LanguageModelLike | ReadonlyArray<{ readonly model: LanguageModelLike; readonly maxRetries: number }>

const prompt = "Write a function that sums a list"

const stage = staged()
const keep = keeping()

onEachVersion("mastra", ({ load }) => {
  let agentOf: (model: Model, more?: object) => Agent
  let compatible: (modelId: string) => LanguageModelLike
  let addTool: object
  beforeAll(async () => {
    const { Agent } = await load<{ readonly Agent: new (options: object) => Agent }>("@mastra/core/agent")
    const { Mastra } = await load<{
      readonly Mastra: new (options: object) => { readonly getAgent: (name: string) => Agent }
    }>("@mastra/core/mastra")
    const { createTool } = await load<{ readonly createTool: (options: object) => object }>("@mastra/core/tools")
    const { z } = await load<{ readonly z: Record<"object" | "number", (shape?: object) => object> }>("zod")
    const { createOpenAICompatible } = await load<{
      readonly createOpenAICompatible: (options: object) => typeof compatible
    }>("@ai-sdk/openai-compatible")
    compatible = createOpenAICompatible({ name: "fake", baseURL: `${stage.provider.url}/v1`, apiKey: "any", includeUsage: true })
    addTool = createTool({
      id: "add", description: "Adds two numbers", inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async () => 3
    })
    agentOf = (model, more) => {
      const agents = { a: new Agent({ id: "a", name: "a", instructions: "Be brief", model, ...more }) }
      // Without this it logs every outage that these tests make.
      return new Mastra({ agents, logger: false }).getAgent("a")
    }
  })
  const app = (over: Parameters<typeof appOf>[2] = {}, models = threeModels(compatible)) =>
    keep(appOf(stage.service, models, over))
  const noRetries = { modelSettings: { maxRetries: 0 } }

  it("An agent runs the model that the service names, and the usage arrives by itself", async () => {
    const { providerMetadata, text } = await agentOf(app()).generate(prompt, {
      providerOptions: { sextant: { conversationId: "c", namespace: "agents" } }
    })
    const said = providerMetadata?.sextant
    assert.strictEqual(said?.source, "service")
    assert.strictEqual(text, textOf(said?.modelId ?? ""))
    assert.deepInclude(stage.service.asked[0], { namespace: "agents" })
    assert.strictEqual(stage.service.asked[0]?.task.task, prompt)
    const [report] = await stage.service.reported(said?.recommendationId ?? null, 1)
    assert.deepInclude(report?.sent, { outcome: "success", input_tokens: usage.input, output_tokens: usage.output })
  })

  it("An agent streams, and the recommendation's id comes with the end", async () => {
    const streaming = await agentOf(app()).stream(prompt)
    let text = ""
    for await (const delta of streaming.textStream) text += delta
    const said = (await streaming.providerMetadata)?.sextant
    assert.strictEqual(text, textOf(said?.modelId ?? ""))
    const [report] = await stage.service.reported(said?.recommendationId ?? null, 1)
    assert.deepInclude(report?.sent, { outcome: "success", output_tokens: usage.output })
  })

  for (const specification of ["v3", "v4"] as const) {
    it(`An agent's tool loop stays with the model that called the tool, on models of ${specification}`, async () => {
      const ran: Array<string> = []
      const called = { type: "tool-call", toolCallId: "call_1", toolName: "add", input: "{\"a\":1,\"b\":2}" }
      const isFirst = ({ prompt }: CallOptions) => prompt.at(-1)?.role !== "tool"
      const calls = { finishReason: { unified: "tool-calls" } }
      const models = threeModels((modelId): LanguageModelLike => ({
        specificationVersion: specification,
        provider: "mock",
        modelId,
        supportedUrls: {},
        doGenerate: async (options) => {
          ran.push(modelId)
          return { content: [], ...whole("3"), ...(isFirst(options) ? { content: [called], ...calls } : {}) }
        },
        doStream: async (options) => {
          ran.push(modelId)
          return streamOf(isFirst(options)
            ? [{ type: "stream-start", warnings: [] }, called, { ...end[1], ...calls }]
            : [...text("3"), ...end])
        }
      }))
      const answer = await agentOf(app({}, models), { tools: { add: addTool } }).generate(prompt)
      assert.strictEqual(answer.text, "3")
      assert.lengthOf(ran, 2)
      assert.strictEqual(ran[0], ran[1])
      assert.deepStrictEqual(stage.service.asked[1]?.constraints?.candidate_models, [ran[0] ?? ""])
      const ids = answer.steps.map((step) => step.providerMetadata?.sextant?.recommendationId)
      assert.lengthOf(new Set(ids), 2)
    })
  }

  for (const status of [429, 500] as const) {
    it(`An agent goes on with the next model after a provider's ${status}, whole and streamed`, async () => {
      const first = await agentOf(app()).generate(prompt)
      const pick = first.providerMetadata?.sextant?.modelId ?? ""
      stage.provider.set(pick, status)
      const whole = await agentOf(app()).generate(prompt, noRetries)
      assert.deepStrictEqual(whole.providerMetadata?.sextant?.failedModelIds, [pick])
      const streaming = await agentOf(app()).stream(prompt, noRetries)
      assert.match(await streaming.text, /^hello from /)
      assert.deepStrictEqual((await streaming.providerMetadata)?.sextant?.failedModelIds, [pick])
    })
  }

  it("An agent goes on with its default while the service is down", async () => {
    stage.service.set("down")
    const { providerMetadata, text } = await agentOf(app()).generate(prompt)
    assert.strictEqual(text, textOf("dear"))
    assert.deepInclude(providerMetadata?.sextant, { source: "default", reason: "unreachable", recommendationId: null })
    const streaming = await agentOf(app()).stream(prompt)
    assert.strictEqual(await streaming.text, textOf("dear"))
  })

  it("Mastra's own fallback runs after all routed models have failed", async () => {
    for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, 503)
    const model = [{ model: app(), maxRetries: 0 }, { model: compatible("saved"), maxRetries: 0 }]
    const { text } = await agentOf(model).generate(prompt)
    assert.strictEqual(text, textOf("saved"))
  })

  it("Mastra's own fallback may be the routed model", async () => {
    stage.provider.set("first", 503)
    const model = [{ model: compatible("first"), maxRetries: 0 }, { model: app(), maxRetries: 0 }]
    const { providerMetadata, text } = await agentOf(model).generate(prompt)
    assert.strictEqual(text, textOf(providerMetadata?.sextant?.modelId ?? ""))
    assert.strictEqual(providerMetadata?.sextant?.source, "service")
  })

  it("A stream that is aborted is reported as abandoned", async () => {
    for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, "slow")
    const controller = new AbortController()
    const streaming = await agentOf(app()).stream(prompt, { abortSignal: controller.signal })
    try {
      for await (const _ of streaming.textStream) controller.abort()
    } catch {
      // Whether the abort ends or fails the stream is Mastra's.
    }
    for (let tries = 0; tries < 500 && stage.service.reports.length === 0; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepInclude(stage.service.reports[0]?.sent, { outcome: "partial" })
  })
})
