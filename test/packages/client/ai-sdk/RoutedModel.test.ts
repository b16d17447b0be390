// The AI SDK's own functions on a routed model, with the real service and a provider that speaks chat completions.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { sextantOf } from "../../../../packages/client/src/ai-sdk/index.ts"
import { gates } from "../../../../packages/client/src/gates/index.ts"
import { judged } from "../../../../packages/client/src/judge/index.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { declareBrokenStream, declareFaults, task as prompt, type Way } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { exhaustedBudget } from "../support/RealService.ts"
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

  /** The pick of the service for the prompt, and the models after it. */
  const pickOf = async () => {
    const model = app()
    const { providerMetadata } = await sdk.ai.generateText({ model, prompt })
    const pick = providerMetadata?.sextant.modelId ?? ""
    await model.sextant.flush()
    stage.provider.reset()
    stage.service.reports.length = 0
    stage.service.asked.length = 0
    return pick
  }

  const wayOf = (model: ReturnType<typeof app>): Way => ({
    whole: async ({ signal: abortSignal } = {}) => {
      const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt, maxRetries: 0, abortSignal })
      return { text, routed: providerMetadata?.sextant ?? null }
    },
    stream: async ({ signal: abortSignal } = {}) => {
      const result = sdk.ai.streamText({ model, prompt, maxRetries: 0, abortSignal, onError: () => {} })
      return { texts: textsOf(result.fullStream), routed: async () => (await result.providerMetadata)?.sextant ?? null }
    }
  })
  declareFaults(stage, () => wayOf(app()), { reasoning_tokens: usage.reasoning })
  declareBrokenStream(stage, () => wayOf(app()))

  describe("generateText", () => {
    it("says what its answer came from, and takes a verdict by its id", async () => {
      const model = app()
      const { providerMetadata, response } = await sdk.ai.generateText({ model, prompt })
      const said = providerMetadata?.sextant
      assert.deepEqual(sextantOf({ providerMetadata }), said)
      for (const odd of [{}, null, undefined, { providerMetadata: null }]) assert.isNull(sextantOf(odd as object))
      assert.deepInclude(said, { source: "service", reason: null, failedModelIds: [] })
      assert.strictEqual(response.modelId, said?.modelId)
      assert.isTrue(model.sextant.score(said?.recommendationId ?? "", 0.9))
      const [, verdict] = await stage.service.reported(said?.recommendationId ?? null, 2)
      assert.deepInclude(verdict?.sent, { quality_score: 0.9, evidence_source: "gate" })
      assert.deepStrictEqual(verdict?.answer.warnings, [])
    })

    it("takes the verdict of a gate, and of a judge on the same answer, in one line each", async () => {
      const model = app()
      const review = judged({ sextant: model.sextant, judge: () => "SCORE: 9", share: 1 })
      const answer = await review(prompt, sdk.ai.generateText({ model, prompt }))
      assert.isTrue(model.sextant.score(sextantOf(answer)?.recommendationId, await gates.matches(/^hello/)(answer), "gate"))
      const { modelId, recommendationId: id } = sextantOf(answer) ?? assert.fail("not routed")
      await review.flush()
      const verdicts = (await stage.service.reported(id, 3)).filter(({ sent }) => sent.evidence_source !== "none")
      assert.sameMembers(verdicts.map(({ sent }) => `${sent.evidence_source} ${sent.outcome}`), ["gate success", "judge success"])
      assert.isTrue(verdicts.every(({ answer, sent }) => answer.accepted && (sent.chosen_model_id ?? modelId) === modelId))
    })

    it("takes the last message of the user as the task, and what providerOptions.sextant says", async () => {
      const sextant = {
        conversationId: "c1", taskType: "code", difficulty: "hard", tags: ["lang:ts"], namespace: "checkout", userId: "u1",
        costQualityTradeoff: 3, models: ["cheap", "dear"], request: { constraints: { max_latency_ms: 60_000 } }
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

    it("names the models that failed before, whole and streamed", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 500)
      const whole = await sdk.ai.generateText({ model: app(), prompt, maxRetries: 0 })
      assert.deepStrictEqual(whole.providerMetadata?.sextant.failedModelIds, [pick])
      const streamed = sdk.ai.streamText({ model: app(), prompt, maxRetries: 0 })
      await streamed.consumeStream()
      assert.deepStrictEqual((await streamed.providerMetadata)?.sextant.failedModelIds, [pick])
    })

    it("fails with the provider's own error when no model is left, and the SDK's retries then ask anew", async () => {
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, 503)
      const model = app()
      const error = await sdk.ai.generateText({ model, prompt, maxRetries: 0 }).catch((one) => one)
      assert.strictEqual(error.statusCode, 503)
      const ran = stage.provider.asked.map((asked) => asked.model)
      assert.lengthOf(new Set(ran), ran.length)
      assert.include(ran, "dear")

      const before = stage.service.asked.length
      const retried = await sdk.ai.generateText({ model, prompt, maxRetries: 1 }).catch((one) => one)
      assert.match(String(retried), /RetryError/)
      assert.strictEqual(stage.service.asked.length, before + 2)
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

  describe("a service that does not answer", () => {
    it("costs the app nothing but the default after the deadline, visibly", async () => {
      stage.service.set("silent")
      const reasons: Array<string> = []
      const model = app({ deadlineMs: 50, onDefault: (why) => void reasons.push(why) })
      const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt })
      assert.strictEqual(text, textOf("dear"))
      assert.deepStrictEqual(providerMetadata?.sextant,
        { recommendationId: null, modelId: "dear", source: "default", reason: "timeout", failedModelIds: [] })
      assert.strictEqual(await sdk.ai.streamText({ model, prompt }).text, textOf("dear"))
      assert.deepStrictEqual(reasons, ["timeout", "timeout"])
      assert.strictEqual(model.sextant.pending(), 0)
    })

    it("leaves the default's own outage to the SDK's retries", async () => {
      stage.service.set("down")
      stage.provider.set("dear", 503)
      const error = await sdk.ai.generateText({ model: app(), prompt, maxRetries: 0 }).catch((one) => one)
      assert.strictEqual(error.statusCode, 503)
      assert.lengthOf(stage.provider.asked, 1)
    })
  })

  describe("a budget that is used up", () => {
    it("lets the model run that the handler names, and that one alone", async () => {
      stage.service.set(exhaustedBudget)
      const model = app({ onBudgetExhausted: () => "cheap" })
      const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt })
      assert.strictEqual(text, textOf("cheap"))
      assert.deepInclude(providerMetadata?.sextant, { modelId: "cheap", source: "default", reason: "budget_exhausted" })
      stage.provider.reset()
      stage.provider.set("cheap", 500)
      const error = await sdk.ai.generateText({ model, prompt, maxRetries: 0 }).catch((one) => one)
      assert.strictEqual(error.statusCode, 500)
      assert.deepStrictEqual(stage.provider.asked.map((asked) => asked.model), ["cheap"])
    })
  })

  it("in shadow always runs the default, and says what the service named in the ledger alone", async () => {
    const { providerMetadata } = await sdk.ai.generateText({ model: app({ shadow: true }), prompt })
    assert.deepInclude(providerMetadata?.sextant, { modelId: "dear", source: "default", reason: "shadow" })
  })
})
