// An agent of Mastra on the routed model of the AI SDK, with the real service and a fake provider.
import { assert, beforeAll, it } from "@effect/vitest"
import type { RoutedMetadata } from "../../../../packages/client/src/ai-sdk/index.ts"
import type { CallOptions, LanguageModelLike } from "../../../../packages/client/src/ai-sdk/Shapes.ts"
import { appOf, end, streamOf, text, threeModels, whole } from "../ai-sdk/Sdk.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { declareFaults, type Over, task as prompt, type Way } from "../support/Faults.ts"
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

const stage = staged()
const keep = keeping()

/** The parts of a stream, whose error Mastra hands to those alone who wait for the whole text. */
async function* textsOf({ text, textStream }: Streaming): AsyncGenerator<string> {
  yield* textStream
  await text
}

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

  const newWay = (over?: Over): Way => {
    const model = app(over)
    const agent = agentOf(model)
    return {
      sextant: model.sextant,
      whole: async ({ signal: abortSignal } = {}) => {
        const { providerMetadata, text } = await agent.generate(prompt, { ...noRetries, abortSignal })
        // Mastra ends a call that is aborted without an error.
        abortSignal?.throwIfAborted()
        return { answer: { providerMetadata, text }, text, routed: providerMetadata?.sextant ?? null }
      },
      stream: async ({ signal: abortSignal } = {}) => {
        const streaming = await agent.stream(prompt, { ...noRetries, abortSignal })
        return { texts: textsOf(streaming), routed: async () => (await streaming.providerMetadata)?.sextant ?? null }
      }
    }
  }
  declareFaults(stage, newWay, { reported: { reasoning_tokens: usage.reasoning }, namesFailed: true })

  it("An agent hands the caller's options of a call on", async () => {
    await agentOf(app()).generate(prompt, { providerOptions: { sextant: { conversationId: "c", request: { namespace: "agents" } } } })
    assert.deepInclude(stage.service.asked[0], { namespace: "agents" })
  })

  for (const specification of ["v3", "v4"] as const) {
    it(`An agent's tool loop stays with the model that called, on models of ${specification}`, async () => {
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
})
