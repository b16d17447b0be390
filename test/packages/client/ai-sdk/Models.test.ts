// A routed model over models that behave as providers do: tool loops, objects, streams that break, and other layers.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { CallOptions, LanguageModelLike, StreamPart, Streamed } from "../../../../packages/client/src/ai-sdk/Shapes.ts"
import { complaintsOf } from "../support/Compiled.ts"
import { onEachVersion } from "../support/Peers.ts"
import { keeping, served } from "../support/Stage.ts"
import { appOf, end, loadSdk, type Models, type Sdk, streamOf, text, threeModels, whole } from "./Sdk.ts"

const prompt = "Write a function that sums a list"
const callOptions: CallOptions = { prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }] }

const service = served()

const keep = keeping()
const app = (models: Models, over: Parameters<typeof appOf>[2] = {}) => keep(appOf(service, models, over))

const outage = (status = 503) => Object.assign(new Error("provider"), { statusCode: status })

const partsOf = async ({ stream }: Streamed): Promise<ReadonlyArray<StreamPart & { readonly error?: unknown }>> => {
  const parts: Array<StreamPart> = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** The reports of an app, once all have gone. */
const reportsOf = async ({ sextant }: ReturnType<typeof appOf>) => {
  assert.isTrue(await sextant.flush())
  return service.reports.map(({ sent }) => sent)
}

const call = { type: "tool-call", toolCallId: "call_1", toolName: "add", input: "{\"a\":1,\"b\":2}" }

onEachVersion("ai-sdk", (peers) => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await loadSdk(peers)
  })
  const mocks = (options: (modelId: string) => Omit<Parameters<Sdk["mock"]>[0], "modelId">) =>
    threeModels((modelId) => sdk.mock({ modelId, ...options(modelId) }))
  const tools = () => ({
    add: {
      description: "Adds two numbers",
      inputSchema: sdk.ai.jsonSchema({ type: "object", properties: { a: { type: "number" }, b: { type: "number" } } }),
      execute: async () => 3
    }
  })
  const isAnswering = ({ prompt }: CallOptions) => prompt.at(-1)?.role === "tool"

  describe("a tool loop", () => {
    /** Models that call the tool first; `ran` has the model of each turn. */
    const loop = (fails: (modelId: string, turn: number) => boolean = () => false) => {
      const ran: Array<string> = []
      const turn = (modelId: string) => {
        if (fails(modelId, ran.length)) throw outage()
        ran.push(modelId)
      }
      const models = mocks((modelId) => ({
        doGenerate: async (options) => {
          turn(modelId)
          return isAnswering(options) ? whole("3") : { ...whole(""), content: [call], finishReason: { unified: "tool-calls" } }
        },
        doStream: async (options) => {
          turn(modelId)
          return streamOf(isAnswering(options)
            ? [...text("3"), ...end]
            : [{ type: "stream-start", warnings: [] }, call, { ...end[1], finishReason: { unified: "tool-calls" } }])
        }
      }))
      return { models, ran }
    }

    it("stays with the model that called the tool, and each turn is a recommendation of its own", async () => {
      const { models, ran } = loop()
      const model = app(models)
      const { steps, text } = await sdk.ai.generateText({ model, prompt, tools: tools(), stopWhen: sdk.ai.stepCountIs(3) })
      assert.strictEqual(text, "3")
      assert.lengthOf(ran, 2)
      assert.strictEqual(ran[0], ran[1])
      assert.lengthOf(new Set(steps.map(({ providerMetadata }) => providerMetadata?.sextant.recommendationId)), 2)
      assert.notProperty(service.asked[0], "incumbent_model_id")
      assert.strictEqual(service.asked[1]?.incumbent_model_id, ran[0])
      assert.deepStrictEqual(service.asked[1]?.constraints?.candidate_models, [ran[0] ?? ""])
      assert.strictEqual(service.asked[1]?.task.task, prompt)
      assert.lengthOf(await reportsOf(model), 2)
    })

    it("streams, and stays with the model that called the tool", async () => {
      const { models, ran } = loop()
      const model = app(models)
      const result = sdk.ai.streamText({ model, prompt, tools: tools(), stopWhen: sdk.ai.stepCountIs(3) })
      assert.strictEqual(await result.text, "3")
      assert.lengthOf(ran, 2)
      assert.strictEqual(ran[0], ran[1])
      assert.strictEqual(service.asked[1]?.incumbent_model_id, ran[0])
    })

    it("stays with the model that called the tool although the service went down", async () => {
      const { models, ran } = loop()
      const model = app(models)
      const down = { ...tools().add, execute: async () => (service.set("down"), 3) }
      const { providerMetadata } = await sdk.ai.generateText({
        model, prompt, tools: { add: down }, stopWhen: sdk.ai.stepCountIs(3),
        providerOptions: { sextant: { models: ["cheap", "middle"] } }
      })
      assert.strictEqual(ran[0], ran[1])
      assert.notStrictEqual(ran[0], "dear")
      assert.deepInclude(providerMetadata?.sextant,
        { recommendationId: null, modelId: ran[0] ?? "", source: "incumbent", reason: "unreachable" })
    })

    it("goes on with the default when its model's provider is out, with and without the service", async () => {
      for (const state of ["up", "down"] as const) {
        service.set("up")
        const { models, ran } = loop((modelId, turn) => turn === 1 && modelId !== "dear")
        const model = app(models)
        const broken = { ...tools().add, execute: async () => (service.set(state), 3) }
        const { providerMetadata, text } = await sdk.ai.generateText({
          model, prompt, tools: { add: broken }, stopWhen: sdk.ai.stepCountIs(3), maxRetries: 0,
          providerOptions: { sextant: { models: ["cheap", "middle"] } }
        })
        assert.strictEqual(text, "3")
        assert.strictEqual(ran[1], "dear")
        assert.deepStrictEqual(providerMetadata?.sextant.failedModelIds, [ran[0] ?? ""])
        assert.strictEqual(providerMetadata?.sextant.source, state === "up" ? "service" : "default")
      }
    })

    it("in shadow runs the default, and asks about all models in every turn", async () => {
      const { models, ran } = loop()
      await sdk.ai.generateText({ model: app(models, { shadow: true }), prompt, tools: tools(), stopWhen: sdk.ai.stepCountIs(3) })
      assert.deepStrictEqual(ran, ["dear", "dear"])
      assert.isTrue(service.asked.every(({ constraints }) => constraints?.candidate_models?.length === 3))
    })

    it("names the model of the turn before as the incumbent of a conversation", async () => {
      const model = app(mocks(() => ({ doGenerate: async () => whole("x") })))
      const providerOptions = { sextant: { conversationId: "c" } }
      const first = await sdk.ai.generateText({ model, prompt, providerOptions })
      await sdk.ai.generateText({ model, prompt: "And now the product", providerOptions })
      assert.strictEqual(service.asked[1]?.incumbent_model_id, first.providerMetadata?.sextant.modelId)
    })
  })

  describe("objects", () => {
    const json = "{\"sum\":3}"
    const models = () => mocks(() => ({
      doGenerate: async () => whole(json),
      doStream: async () => streamOf([...text("{\"sum\"", ":3}"), ...end])
    }))
    const schema = () => sdk.ai.jsonSchema({ type: "object", properties: { sum: { type: "number" } } })

    it("are generated, and carry the recommendation's id", async () => {
      const { object, providerMetadata } = await sdk.ai.generateObject({ model: app(models()), prompt, schema: schema() })
      assert.deepStrictEqual(object, { sum: 3 })
      assert.isString(providerMetadata?.sextant.recommendationId)
    })

    it("are streamed, and carry the recommendation's id", async () => {
      const model = app(models())
      const result = sdk.ai.streamObject({ model, prompt, schema: schema() })
      for await (const _ of result.partialObjectStream) { /* read to its end */ }
      assert.deepStrictEqual(await result.object, { sum: 3 })
      assert.isString((await result.providerMetadata)?.sextant.recommendationId)
      assert.deepInclude((await reportsOf(model))[0], { outcome: "success", input_tokens: 10, cached_input_tokens: 4 })
    })
  })

  describe("a stream", () => {
    const streaming = (first: ReadonlyArray<object>) => {
      const ran: Array<string> = []
      const models = mocks((modelId) => ({
        doStream: async () => {
          ran.push(modelId)
          return streamOf(ran.length === 1 ? first : [...text("hello"), ...end])
        }
      }))
      return { model: app(models), ran }
    }
    const start = text().slice(0, 2)

    const outages = {
      "an error with a status": { type: "error", error: outage(529) },
      "an error in words": { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      "an error that is a text": { type: "error", error: "Rate limit reached" },
      "a connection that breaks": Object.assign(new Error("x"), { cause: Object.assign(new Error("y"), { code: "ECONNRESET" }) })
    }
    for (const [name, part] of Object.entries(outages)) {
      it(`that has ${name} before its first content goes to the next model`, async () => {
        const { model, ran } = streaming([...start, part])
        const parts = await partsOf(await model.doStream(callOptions))
        assert.lengthOf(ran, 2)
        assert.notInclude(parts.map(({ type }) => type), "error")
        assert.deepInclude(parts.at(-1), { type: "finish" })
        const reports = await reportsOf(model)
        assert.sameDeepMembers(reports.map((one) => [one.chosen_model_id, one.outcome, one.error_cause ?? null]),
          [[ran[0], "failure", "infra"], [ran[1], "success", null]])
      })

      it(`that has ${name} after its first content is failed as infra, and not run again`, async () => {
        const { model, ran } = streaming([...text("hel"), part])
        const read = await partsOf(await model.doStream(callOptions)).catch((error) => error)
        assert.isTrue(read instanceof Error || read.at(-1).type === "error")
        assert.lengthOf(ran, 1)
        assert.deepInclude((await reportsOf(model))[0], { outcome: "failure", error_cause: "infra" })
      })
    }

    it("that has another error before its first content hands it to the reader", async () => {
      const error = { message: "content filter" }
      const { model, ran } = streaming([...start, { type: "error", error }])
      const parts = await partsOf(await model.doStream(callOptions))
      assert.deepInclude(parts.at(-1), { type: "error", error })
      assert.lengthOf(ran, 1)
      const [report] = await reportsOf(model)
      assert.deepInclude(report, { outcome: "failure", notes: "content filter" })
      assert.notProperty(report, "error_cause")
    })

    it("that ends before its finish, or finishes with an error, is no success", async () => {
      for (const parts of [text("hel"), [...text("hel"), { ...end[1], finishReason: { unified: "error" } }]]) {
        service.reports.length = 0
        const { model } = streaming(parts)
        await partsOf(await model.doStream(callOptions))
        assert.deepInclude((await reportsOf(model))[0], { outcome: "failure" })
      }
    })

    for (const [moment, before] of [["before its first content", start], ["in the middle", text("hel")], ["after its finish", [...text("hello"), ...end]]] as const) {
      it(`that ends silently ${moment} because its caller aborted it is abandoned, once`, async () => {
        const controller = new AbortController()
        const model = app(mocks(() => ({
          doStream: async () => {
            const parts = [...before] as Array<StreamPart>
            return {
              stream: new ReadableStream<StreamPart>({
                pull: (one) => {
                  const part = parts.shift()
                  if (part !== undefined) return one.enqueue(part)
                  controller.abort()
                  one.close()
                }
              }, { highWaterMark: 0 })
            }
          }
        })))
        await partsOf(await model.doStream({ ...callOptions, abortSignal: controller.signal }))
        assert.deepStrictEqual((await reportsOf(model)).map(({ outcome }) => outcome), ["partial"])
      })
    }

    it("that is aborted before its first content ends, although the provider does not heed it", async () => {
      let cancelled = 0
      const model = app(mocks(() => ({
        doStream: async () => ({ stream: new ReadableStream<StreamPart>({ cancel: () => void cancelled++ }) })
      })))
      const controller = new AbortController()
      const opened = model.doStream({ ...callOptions, abortSignal: controller.signal })
      while (service.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      setTimeout(() => controller.abort())
      const end = await Promise.resolve(opened).then(partsOf).catch((error: unknown) => error)
      assert.isTrue(end === controller.signal.reason || Array.isArray(end))
      assert.strictEqual(cancelled, 1)
      assert.deepStrictEqual((await reportsOf(model)).map(({ outcome }) => outcome), ["partial"])
    })

    it("that is cancelled twice, or while a part is waited for, is abandoned once", async () => {
      let cancelled = 0
      const model = app(mocks(() => ({
        doStream: async () => {
          const parts = [...text("a")] as Array<StreamPart>
          return {
            stream: new ReadableStream<StreamPart>({
              pull: (one) => parts.length > 0 ? one.enqueue(parts.shift() as StreamPart) : new Promise(() => {}),
              cancel: () => void cancelled++
            }, { highWaterMark: 0 })
          }
        }
      })))
      const reader = (await model.doStream(callOptions)).stream.getReader()
      for (let i = 0; i < 3; i++) await reader.read()
      const waiting = reader.read()
      await Promise.all([reader.cancel(), reader.cancel()])
      assert.isTrue((await waiting).done)
      assert.deepStrictEqual([cancelled, (await reportsOf(model)).map(({ outcome }) => outcome)], [1, ["partial"]])
    })

    it("that fails for all models fails as the last one did", async () => {
      const model = app(mocks(() => ({ doStream: async () => streamOf([...start, { type: "error", error: outage() }]) })))
      const error = await Promise.resolve(model.doStream(callOptions)).catch((one) => one)
      assert.strictEqual(error.statusCode, 503)
    })

    it("that is left is cancelled at the provider and reported as abandoned, once", async () => {
      let cancelled = 0
      const model = app(mocks(() => ({ doStream: async () => streamOf([...text("a", "b", "c"), ...end], () => void cancelled++) })))
      const { stream } = await model.doStream(callOptions)
      for await (const part of stream) {
        if (part.type === "text-delta") break
      }
      const { stream: unread } = await model.doStream(callOptions)
      await unread.cancel()
      assert.strictEqual(cancelled, 2)
      assert.deepStrictEqual((await reportsOf(model)).map(({ outcome }) => outcome), ["partial", "partial"])
    })

    it("holds nothing back once content is there, a ping included", async () => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const model = app(mocks(() => ({
        doStream: async () => {
          const parts = [...start, { type: "ping" }, ...text("a").slice(2), ...end]
          return {
            stream: new ReadableStream<StreamPart>({
              pull: async (controller) => {
                const part = parts.shift() as StreamPart | undefined
                if (part?.type === "text-delta") await held
                if (part === undefined) controller.close()
                else controller.enqueue(part)
              }
            }, { highWaterMark: 0 })
          }
        }
      })))
      const { stream } = await model.doStream(callOptions)
      const reader = stream.getReader()
      const types = [(await reader.read()).value?.type, (await reader.read()).value?.type, (await reader.read()).value?.type]
      assert.deepStrictEqual(types, ["stream-start", "text-start", "ping"])
      release()
      for (let isDone = false; !isDone;) isDone = (await reader.read()).done
    })

    it("names the model that ran where the provider does not", async () => {
      const { model, ran } = streaming([...text("hello"), ...end])
      const result = sdk.ai.streamText({ model, prompt })
      await result.consumeStream()
      assert.strictEqual((await result.response).modelId, ran[0])
    })
  })

  describe("what models say", () => {
    it("of no usage is reported as not known", async () => {
      const { usage: _, ...bare } = whole("x")
      const model = app(mocks(() => ({
        doGenerate: async () => bare, doStream: async () => streamOf([...text("x"), { type: "finish" }])
      })))
      await model.doGenerate(callOptions)
      await partsOf(await model.doStream(callOptions))
      for (const report of await reportsOf(model)) {
        assert.deepInclude(report, { outcome: "success" })
        assert.notProperty(report, "input_tokens")
      }
      assert.lengthOf(service.reports, 2)
      assert.isTrue(service.reports.every(({ answer }) => answer.accepted))
    })

    it("of a bill goes through priceOf, by model and usage", async () => {
      const model = app(mocks(() => ({ doGenerate: async () => whole("x") })), { priceOf: (_, { outputTokens }) => (outputTokens ?? 0) / 100 })
      await model.doGenerate(callOptions)
      assert.deepInclude((await reportsOf(model))[0], { actual_cost_usd: 0.03, reasoning_tokens: 1 })
    })

    it("of URLs counts where all of them say it: the SDK downloads the rest, once", async () => {
      const urls = {
        cheap: { "image/*": [/^https:\/\/one\//, /^https:\/\/two\//], "video/*": [/^https:/] },
        middle: { "*/*": [/^https:\/\/one\//, /^https:\/\/two\//] },
        dear: Promise.resolve({ "image/png": [/^https:\/\/one\//], "image/*": [/^https:\/\/two\//] })
      }
      const common = await app(threeModels((modelId) => sdk.mock({ modelId, supportedUrls: urls[modelId] }))).supportedUrls
      assert.deepStrictEqual(common, {
        "image/*": [/^https:\/\/two\//], "video/*": [], "*/*": [], "image/png": [/^https:\/\/one\//, /^https:\/\/two\//]
      })
      const broken = threeModels((modelId) => sdk.mock({ modelId, supportedUrls: Promise.reject(new Error("x")) }))
      assert.deepStrictEqual(await app(broken).supportedUrls, {})
    })

    it("of a message without text is no empty task", async () => {
      const model = app(mocks(() => ({ doGenerate: async () => whole("x") })))
      const file = { type: "file", mediaType: "image/png", data: new Uint8Array(1_000_000) }
      await sdk.ai.generateText({ model, messages: [{ role: "user", content: [file] }] })
      assert.strictEqual(service.asked[0]?.task.task, "[image/png]")
      assert.isBelow(service.asked[0]?.task.expected_input_tokens ?? 0, 100)
    })
  })

  it("A call with options that make no sense runs the default, visibly", async () => {
    const models = mocks(() => ({ doGenerate: async () => whole("x") }))
    for (const sextant of [null, "text", 5, [], { models: 5 }, { models: "cheap" }, { request: 7, task: {} }, { task: { tags: 3 } }]) {
      const { providerMetadata } = await app(models).doGenerate({ ...callOptions, providerOptions: { sextant } })
      const { modelId, source } = (providerMetadata?.["sextant"] ?? {}) as { readonly modelId?: string; readonly source?: string }
      assert.isTrue(source === "service" || modelId === "dear", JSON.stringify(sextant))
    }
    const unreadable = [undefined, [], [{ role: "user", content: null }], [{ role: "system", content: prompt }]]
    for (const prompt of unreadable as ReadonlyArray<CallOptions["prompt"]>) {
      const { providerMetadata } = await app(models).doGenerate({ prompt })
      assert.property(providerMetadata, "sextant")
    }
    assert.strictEqual(service.asked.at(-1)?.task.task, prompt)
  })

  describe("another layer's fallback", () => {
    /** A middleware that runs another model when the wrapped one fails. */
    const fallbackTo = (other: LanguageModelLike) => ({
      wrapGenerate: async ({ doGenerate, params }: { readonly doGenerate: () => Promise<unknown>; readonly params: CallOptions }) => {
        try {
          return await doGenerate()
        } catch {
          return other.doGenerate(params)
        }
      }
    })
    const out = { doGenerate: async () => Promise.reject(outage()) }

    it("around the routed model runs after all of its models have failed", async () => {
      const routedModel = app(mocks(() => out))
      const other = sdk.mock({ modelId: "other", doGenerate: async () => whole("saved") })
      const model = sdk.ai.wrapLanguageModel({ model: routedModel, middleware: fallbackTo(other) })
      const { text } = await sdk.ai.generateText({ model, prompt, maxRetries: 0 })
      assert.strictEqual(text, "saved")
      assert.isNotEmpty(await reportsOf(routedModel))
    })

    it("inside one of its models is that model's affair", async () => {
      const other = sdk.mock({ modelId: "other", doGenerate: async () => whole("saved") })
      const model = app(threeModels((modelId) =>
        sdk.ai.wrapLanguageModel({ model: sdk.mock({ modelId, ...out }), middleware: fallbackTo(other) })
      ))
      const { providerMetadata, text } = await sdk.ai.generateText({ model, prompt, maxRetries: 0 })
      assert.strictEqual(text, "saved")
      assert.isEmpty(providerMetadata?.sextant.failedModelIds)
    })
  })

  describe("its making", () => {
    it("refuses what cannot work: no default among the models, and models of two specifications", () => {
      const three = mocks(() => ({}))
      assert.throws(() => app(three, { defaultModelId: "other" as "dear" }), /defaultModelId/)
      const mixed = { ...three, cheap: Object.assign(sdk.mock({}), { specificationVersion: "v2" as "v3" }) }
      assert.throws(() => app(mixed), /not cheap,v2; middle,v\d; dear,v\d\. wrapLanguageModel/)
      assert.throws(() => app(undefined as unknown as Models), /defaultModelId/)
      assert.throws(() => app({ ...three, cheap: "openai/gpt-5" as unknown as LanguageModelLike }), TypeError)
    })

    it("accepts a model of an older specification once wrapLanguageModel has it", async () => {
      const old = sdk.specification === "v4" ? "v3" : "v2"
      const before = Object.assign(sdk.mock({ doGenerate: async () => whole("x") }), { specificationVersion: old as "v3" })
      // A middleware that does nothing: what counts is the specification of what comes out.
      const model = app({ ...mocks(() => ({ doGenerate: async () => whole("x") })), dear: sdk.ai.wrapLanguageModel({ model: before, middleware: {} }) })
      assert.strictEqual(model.specificationVersion, sdk.specification)
    })

    it("takes models of v3 in either version of the SDK", async () => {
      const model = app(threeModels((modelId) => Object.assign(
        sdk.mock({ modelId, doGenerate: async () => whole("x"), doStream: async () => streamOf([...text("x"), ...end]) }),
        { specificationVersion: "v3" as const }
      )))
      assert.strictEqual(model.specificationVersion, "v3")
      const { providerMetadata } = await sdk.ai.generateText({ model, prompt })
      assert.strictEqual(providerMetadata?.sextant.source, "service")
      assert.strictEqual(await sdk.ai.streamText({ model, prompt }).text, "x")
    })

    it("has types that the SDK takes, and that refuse a default which is none of the models", () => {
      const program = `
        import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
        import { generateText, streamText, type LanguageModel } from "ai"
        import { type RoutedCallOptions, routed } from "sextant-client/ai-sdk"
        const provider = createOpenAICompatible({ name: "any", baseURL: "http://localhost/v1" })
        const options = { baseUrl: "http://localhost:8080", apiKey: "key" }
        const model = routed({ ...options, defaultModelId: "b", models: { a: provider("a"), b: provider.chatModel("b") } })
        const taken: LanguageModel = model
        const sextant = { conversationId: "c", task: { task_type: "code" } } satisfies RoutedCallOptions
        export const text = generateText({ model, prompt: "x", providerOptions: { sextant } })
        export const stream = streamText({ model: taken, prompt: "x" })
        export const id: "a" | "b" = model.sextant.defaultModelId
        // @ts-expect-error The default is none of the models.
        routed({ ...options, defaultModelId: "c", models: { a: provider("a") } })
        // @ts-expect-error There is no default.
        routed({ ...options, models: { a: provider("a") } })
        // @ts-expect-error A name is no model.
        routed({ ...options, defaultModelId: "a", models: { a: "openai/gpt-5" } })
      `
      assert.strictEqual(complaintsOf({ "program.ts": program }, [peers.folder]), "")
    })
  })
})
