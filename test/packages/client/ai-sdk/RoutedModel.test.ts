// The AI SDK's own functions on a routed model, with the real service and a provider that speaks chat completions.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { sextantOf } from "../../../../packages/client/src/ai-sdk/index.ts"
import { gates } from "../../../../packages/client/src/gates/index.ts"
import { BudgetExhausted } from "../../../../packages/client/src/index.ts"
import { judged } from "../../../../packages/client/src/judge/index.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { exhaustedBudget } from "../support/RealService.ts"
import { staged } from "../support/Stage.ts"
import { appOf, keptApps, loadSdk, type Sdk, threeModels } from "./Sdk.ts"

const prompt = "Write a function that sums a list"

const stage = staged()
const keep = keptApps()

onEachVersion("ai-sdk", (peers) => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await loadSdk(peers)
  })
  const app = (over: Parameters<typeof appOf>[2] = {}, includeUsage = true) => {
    const made = appOf(stage.service, threeModels(sdk.compatible(stage.provider, includeUsage)), over)
    keep(made)
    return made
  }

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

  describe("generateText", () => {
    it("runs the model that the service names, and its usage arrives by itself", async () => {
      const model = app()
      const { providerMetadata, response, text } = await sdk.ai.generateText({ model, prompt })
      const said = providerMetadata?.sextant
      assert.deepEqual(sextantOf({ providerMetadata }), said)
      for (const odd of [{}, null, undefined, { providerMetadata: null }]) assert.isNull(sextantOf(odd as object))
      assert.deepInclude(said, { source: "service", reason: null, failedModelIds: [] })
      assert.strictEqual(text, textOf(said?.modelId ?? ""))
      assert.strictEqual(response.modelId, said?.modelId)
      const [report] = await stage.service.reported(said?.recommendationId ?? null, 1)
      assert.deepInclude(report?.sent, {
        chosen_model_id: said?.modelId ?? "", outcome: "success", evidence_source: "none", input_tokens: usage.input,
        cached_input_tokens: usage.cached, output_tokens: usage.output, reasoning_tokens: usage.reasoning
      })
      assert.deepStrictEqual(report?.answer.warnings, [])
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

    for (const status of [408, 409, 429, 500, 529, "broken"] as const) {
      it(`goes on with the next model after a provider's ${status}, reports it as infra, and leaves that model out`, async () => {
        const pick = await pickOf()
        stage.provider.set(pick, status)
        const model = app()
        const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt, maxRetries: 0 })
        const said = providerMetadata?.sextant
        assert.deepStrictEqual(said?.failedModelIds, [pick])
        assert.strictEqual(text, textOf(said?.modelId ?? ""))
        assert.lengthOf(stage.provider.asked, 2)
        const reports = await stage.service.reported(said?.recommendationId ?? null, 2)
        assert.sameDeepMembers(
          reports.map(({ sent }) => [sent.chosen_model_id, sent.outcome, sent.error_cause ?? null]),
          [[pick, "failure", "infra"], [said?.modelId, "success", null]]
        )
        await sdk.ai.generateText({ model, prompt })
        assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
      })
    }

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

    it("leaves an error that is the caller's as it is, and runs nothing else", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 400)
      const error = await sdk.ai.generateText({ model: app(), prompt }).catch((one) => one)
      assert.strictEqual(error.statusCode, 400)
      assert.lengthOf(stage.provider.asked, 1)
    })

    it("is abandoned by an abort, and nothing else runs", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, "silent")
      const controller = new AbortController()
      const model = app()
      const answer = sdk.ai.generateText({ model, prompt, abortSignal: controller.signal }).catch((one) => one)
      while (stage.provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      controller.abort()
      assert.match(String((await answer).name), /Abort/)
      assert.lengthOf(stage.provider.asked, 1)
      assert.isTrue(await model.sextant.flush())
      assert.deepInclude(stage.service.reports.at(-1)?.sent, { chosen_model_id: pick, outcome: "partial" })
    })
  })

  describe("streamText", () => {
    it("streams from the model that the service names; the recommendation's id comes with the finish", async () => {
      const result = sdk.ai.streamText({ model: app(), prompt })
      const deltas: Array<string> = []
      for await (const delta of result.textStream) deltas.push(delta)
      const said = (await result.providerMetadata)?.sextant
      assert.deepInclude(said, { source: "service", reason: null, failedModelIds: [] })
      assert.strictEqual(deltas.join(""), textOf(said?.modelId ?? ""))
      assert.isAbove(deltas.length, 1)
      const [report] = await stage.service.reported(said?.recommendationId ?? null, 1)
      assert.deepInclude(report?.sent, { outcome: "success", input_tokens: usage.input, output_tokens: usage.output })
    })

    it("hands the recommendation's id to the messages of a page", async () => {
      const result = sdk.ai.streamText({ model: app(), prompt })
      const body = await result.toUIMessageStreamResponse({
        messageMetadata: ({ part }) => part.type === "finish-step" ? part.providerMetadata?.sextant : undefined
      }).text()
      const id = (await result.providerMetadata)?.sextant.recommendationId
      assert.isString(id)
      assert.match(body, new RegExp(`"message-metadata","messageMetadata":{"recommendationId":"${id}"`))
    })

    it("of a slow provider has its first token before its end", async () => {
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, "slow")
      const result = sdk.ai.streamText({ model: app(), prompt })
      await result.consumeStream()
      const [report] = await stage.service.reported((await result.providerMetadata)?.sextant.recommendationId ?? null, 1)
      assert.isBelow(report?.sent.time_to_first_token_ms ?? Infinity, report?.sent.latency_ms ?? 0)
    })

    for (const status of [429, 500] as const) {
      it(`goes on with the next model after a provider's ${status}`, async () => {
        const pick = await pickOf()
        stage.provider.set(pick, status)
        const result = sdk.ai.streamText({ model: app(), prompt, maxRetries: 0 })
        const text = await result.text
        const said = (await result.providerMetadata)?.sextant
        assert.deepStrictEqual(said?.failedModelIds, [pick])
        assert.strictEqual(text, textOf(said?.modelId ?? ""))
      })
    }

    it("that breaks in the middle fails to its reader, and is reported as infra", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, "broken")
      const errors: Array<unknown> = []
      const model = app()
      const result = sdk.ai.streamText({ model, prompt, onError: ({ error }: { readonly error: unknown }) => void errors.push(error) })
      const parts: Array<string> = []
      try {
        for await (const part of result.fullStream) parts.push(part.type)
      } catch (error) {
        errors.push(error)
      }
      assert.include(parts, "text-delta")
      assert.isNotEmpty(errors)
      assert.isTrue(await model.sextant.flush())
      assert.deepInclude(stage.service.reports.at(-1)?.sent, { chosen_model_id: pick, outcome: "failure", error_cause: "infra" })
      await sdk.ai.generateText({ model, prompt })
      assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
    })

    it("that is aborted in the middle is reported as abandoned", async () => {
      for (const id of ["cheap", "middle", "dear"]) stage.provider.set(id, "slow")
      const controller = new AbortController()
      const model = app()
      const result = sdk.ai.streamText({ model, prompt, abortSignal: controller.signal, onError: () => {} })
      try {
        for await (const _ of result.textStream) controller.abort()
      } catch {
        // Some versions end the stream, others fail it.
      }
      for (let tries = 0; tries < 500 && stage.service.reports.length === 0; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepInclude(stage.service.reports[0]?.sent, { outcome: "partial", notes: "abandoned" })
      assert.lengthOf(stage.provider.asked, 1)
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
    const states = [
      ["down", "unreachable"], ["silent", "timeout"], [500, "refused"], [{ status: 200, text: "<html>" }, "invalid_answer"]
    ] as const
    for (const [state, reason] of states) {
      it(`(${JSON.stringify(state)}) costs the app nothing but the default, visibly`, async () => {
        stage.service.set(state)
        const reasons: Array<string> = []
        const model = app({ deadlineMs: reason === "timeout" ? 50 : 10_000, onDefault: (why) => void reasons.push(why) })
        const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt })
        assert.strictEqual(text, textOf("dear"))
        assert.deepStrictEqual(providerMetadata?.sextant,
          { recommendationId: null, modelId: "dear", source: "default", reason, failedModelIds: [] })
        const result = sdk.ai.streamText({ model, prompt })
        assert.strictEqual(await result.text, textOf("dear"))
        assert.deepStrictEqual(reasons, [reason, reason])
        assert.strictEqual(model.sextant.pending(), 0)
      })
    }

    it("leaves the default's own outage to the SDK's retries", async () => {
      stage.service.set("down")
      stage.provider.set("dear", 503)
      const error = await sdk.ai.generateText({ model: app(), prompt, maxRetries: 0 }).catch((one) => one)
      assert.strictEqual(error.statusCode, 503)
      assert.lengthOf(stage.provider.asked, 1)
    })
  })

  describe("a budget that is used up", () => {
    it("ends the call with BudgetExhausted, and no model runs", async () => {
      stage.service.set(exhaustedBudget)
      const error = await sdk.ai.generateText({ model: app(), prompt }).catch((one) => one)
      assert.instanceOf(error, BudgetExhausted)
      const errors: Array<unknown> = []
      const result = sdk.ai.streamText({ model: app(), prompt, onError: ({ error }: { readonly error: unknown }) => void errors.push(error) })
      for await (const _ of result.textStream) assert.fail("a text")
      assert.instanceOf(errors[0], BudgetExhausted)
      assert.isEmpty(stage.provider.asked)
    })

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
