// The AI SDK's own functions on a routed model, with the real service and a provider that speaks chat completions.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { sextantOf } from "../../../../packages/client/src/ai-sdk/index.ts"
import { usage } from "../support/FakeProvider.ts"
import { declareBrokenStream, declareFaults, type Over, task as prompt, type Way } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { keeping, staged } from "../support/Stage.ts"
import { appOf, loadSdk, type Sdk, type StreamAnswer, threeModels } from "./Sdk.ts"

const stage = staged()
const keep = keeping()

async function* textsOf(parts: StreamAnswer["fullStream"]): AsyncGenerator<string> {
  for await (const { error, text, type } of parts) {
    if (type === "error") throw error
    if (type === "text-delta") yield text ?? ""
  }
}

onEachVersion("ai-sdk", (peers) => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await loadSdk(peers)
  })
  const app = (over: Parameters<typeof appOf>[2] = {}, includeUsage = true) =>
    keep(appOf(stage.service, threeModels(sdk.compatible(stage.provider, includeUsage)), over))

  const newWay = (over?: Over): Way => {
    const model = app(over)
    return {
      sextant: model.sextant,
      whole: async ({ signal: abortSignal } = {}) => {
        const answer = await sdk.ai.generateText({ model, prompt, maxRetries: 0, abortSignal })
        return { answer, text: answer.text, routed: sextantOf(answer) }
      },
      stream: async ({ signal: abortSignal } = {}) => {
        const result = sdk.ai.streamText({ model, prompt, maxRetries: 0, abortSignal, onError: () => {} })
        return { texts: textsOf(result.fullStream), routed: async () => (await result.providerMetadata)?.sextant ?? null }
      }
    }
  }
  declareFaults(stage, newWay, { reported: { reasoning_tokens: usage.reasoning }, namesFailed: true })
  declareBrokenStream(stage, newWay)

  describe("generateText", () => {
    it("says what its answer came from, and of anything else that it came from nothing", async () => {
      const { providerMetadata, response } = await sdk.ai.generateText({ model: app(), prompt })
      assert.deepEqual(sextantOf({ providerMetadata }), providerMetadata?.sextant)
      for (const odd of [{}, null, undefined, { providerMetadata: null }]) assert.isNull(sextantOf(odd as object))
      assert.strictEqual(response.modelId, providerMetadata?.sextant.modelId)
    })

    it("takes the last message of the user as the task, and what providerOptions.sextant says", async () => {
      const sextant = {
        conversationId: "c1", models: ["cheap", "dear"], task: { task_type: "code", difficulty: "hard", tags: ["lang:ts"] },
        request: { namespace: "checkout", user_id: "u1", cost_quality_tradeoff: 3, constraints: { max_latency_ms: 60_000 } }
      }
      const messages = [
        { role: "user", content: "Greet me" }, { role: "assistant", content: "Hello" }, { role: "user", content: prompt }
      ]
      const model = app({ namespace: "whole app" })
      const providerOptions = { sextant, fake: { user: "u2" } }
      await sdk.ai.generateText({ model, messages, providerOptions })
      const [asked] = stage.service.asked
      assert.deepInclude(asked, { namespace: "checkout", user_id: "u1", cost_quality_tradeoff: 3, baseline_model_id: "dear" })
      assert.deepInclude(asked?.task, { task: prompt, task_type: "code", difficulty: "hard", tags: ["lang:ts"] })
      assert.deepInclude(asked?.constraints, { candidate_models: ["cheap", "dear"], max_latency_ms: 60_000 })
      assert.isAbove(asked?.task.expected_input_tokens ?? 0, 0)
      // The provider gets its own options, and no others.
      assert.strictEqual(stage.provider.asked[0]?.body["user"], "u2")
      assert.notInclude(JSON.stringify(stage.provider.asked), "checkout")

      await sdk.ai.generateText({ model, prompt })
      assert.strictEqual(stage.service.asked[1]?.namespace, "whole app")
      await sdk.ai.generateText({ model, prompt: "Now multiply", providerOptions: { sextant: { conversationId: "c1" } } })
      assert.strictEqual(stage.service.asked[2]?.incumbent_model_id, stage.provider.asked[0]?.model)
    })

    it("fails when no model is left, and the SDK's retries then ask anew", async () => {
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, 503)
      const retried = await sdk.ai.generateText({ model: app(), prompt, maxRetries: 1 }).catch((one) => one)
      assert.match(String(retried), /RetryError/)
      assert.lengthOf(stage.service.asked, 2)
    })

    it("succeeds at the SDK's retry when the provider is there again", async () => {
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, 503)
      const model = app()
      const answer = sdk.ai.generateText({ model, prompt, maxRetries: 2 })
      while (stage.provider.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, "answer")
      const { text } = await answer
      assert.match(text, /^hello from /)
    })
  })

  describe("streamText", () => {
    it("hands the recommendation's id to the messages of a page", async () => {
      const result = sdk.ai.streamText({ model: app(), prompt })
      const body = await result.toUIMessageStreamResponse({
        messageMetadata: ({ part }) => part.type === "finish-step" ? part.providerMetadata?.sextant : undefined
      }).text()
      const id = (await result.providerMetadata)?.sextant.recommendationId
      assert.isString(id)
      assert.match(body, new RegExp(`"message-metadata","messageMetadata":{"recommendationId":"${id}"`))
    })

    it("without usage is reported without tokens", async () => {
      const result = sdk.ai.streamText({ model: app({}, false), prompt })
      await result.consumeStream()
      const [report] = await stage.service.reported((await result.providerMetadata)?.sextant.recommendationId ?? null, 1)
      assert.deepInclude(report?.sent, { outcome: "success" })
      assert.notProperty(report?.sent, "output_tokens")
    })
  })
})
