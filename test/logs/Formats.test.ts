import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callsOf, fileOf, fixture, leftOutOf, read } from "./reading.ts"

describe("the reader of LiteLLM's spend logs", () => {
  it.live("reads tokens, cost, times, effort and tags of a call", () =>
    Effect.gen(function*() {
      const [first] = callsOf(yield* read([fixture("litellm.jsonl")]))
      assert.deepStrictEqual(first, {
        id: "chatcmpl-a1", at: new Date("2026-03-02T08:00:00Z"), prompt: "List the open invoices.",
        modelId: "gpt-4o-mini", effort: "low", inputTokens: 1_200, cachedInputTokens: 1_000, cacheWriteInputTokens: null, outputTokens: 300,
        reasoningTokens: 64, serviceTier: null, webSearches: null, costUsd: 0.0021, latencyMs: 2_480, timeToFirstTokenMs: 400,
        taskId: null, userId: "customer-7", sessionId: null, tags: ["team:billing"], taskType: null, difficulty: null, quality: null,
        evidenceSource: null, isInfraFailure: false
      })
    }))

  it.live("reads text columns of JSON, dates without a zone, and a spend of 0 as unknown", () =>
    Effect.gen(function*() {
      const [, second, third] = callsOf(yield* read([fixture("litellm.jsonl")]))
      assert.deepInclude(second, {
        at: new Date("2026-03-02T08:01:00.123Z"), prompt: "Name a prime.", effort: "high", inputTokens: 140,
        cachedInputTokens: 100, costUsd: null, latencyMs: 1_000, timeToFirstTokenMs: null, tags: ["team:search"],
        modelId: "openai/gpt-4o-mini"
      })
      assert.deepInclude(third, { costUsd: 0, isInfraFailure: true })
    }))

  it.live("leaves out cache hits and embeddings, and reads a table of the same rows alike", () =>
    Effect.gen(function*() {
      const lines = yield* read([fixture("litellm.jsonl")])
      assert.deepStrictEqual(leftOutOf(lines), ["cache_hit", "not_chat: aembedding", "no_date: soon"])
      const table = yield* read([fixture("litellm.csv")])
      assert.deepStrictEqual(callsOf(table), callsOf(lines))
      assert.deepStrictEqual(leftOutOf(table), leftOutOf(lines))
    }))
})

describe("the reader of Langfuse's export", () => {
  const scored = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)

  it.live("adds the parts of a usage that Langfuse keeps apart, and not those within a total", () =>
    Effect.gen(function*() {
      const [first, second] = callsOf(yield* read(scored))
      assert.deepInclude(first, {
        inputTokens: 1_000, cachedInputTokens: 800, outputTokens: 100, reasoningTokens: 20, latencyMs: 3_250,
        timeToFirstTokenMs: 500, effort: "medium", tags: ["prod", "prompt:table"], prompt: "Sum the table."
      })
      assert.deepInclude(second, { inputTokens: 100, outputTokens: 50, reasoningTokens: 30, costUsd: null })
    }))

  it.live("takes the label of a person before a judge's, and that of a trace for each call in it", () =>
    Effect.gen(function*() {
      const calls = callsOf(yield* read(scored))
      assert.deepStrictEqual(calls.map(({ evidenceSource, quality }) => [quality, evidenceSource]), [
        [1, "human"], [0.75, "judge"], [null, null]
      ])
    }))

  it.live("takes no 1 of a scale of 1 to 5, no toxicity and no word for a label, and counts them", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(leftOutOf(yield* read(scored)), [
        "not_a_call: SPAN", "no_model", "label_not_quality: toxicity", "label_out_of_range: stars: 5",
        "label_not_numeric: friendly", "label_out_of_range: stars", "label_without_call: correctness"
      ])
    }))

  it.live("reads tables of the same rows alike", () =>
    Effect.gen(function*() {
      const tables = yield* read(["langfuse-scores.csv", "langfuse-observations.csv"].map(fixture))
      assert.deepStrictEqual(callsOf(tables), callsOf(yield* read(scored)))
    }))

  it.live("reads the camel case of its API", () =>
    Effect.gen(function*() {
      const path = fileOf(JSON.stringify({
        data: [{
          id: "o", traceId: "t", type: "GENERATION", startTime: "2026-03-02T09:00:00.000Z",
          endTime: "2026-03-02T09:00:01.000Z", model: "gpt-4o-mini", input: { messages: [{ role: "user", content: "Hi" }] },
          usageDetails: { input: 3, output: 4, total: 7 }, totalCost: 0.001, level: "DEFAULT", traceTags: ["a"]
        }],
        meta: { page: 1 }
      }))
      const [call] = callsOf(yield* read([path]))
      assert.deepInclude(call, { id: "o", prompt: "Hi", inputTokens: 3, costUsd: 0.001, latencyMs: 1_000, tags: ["a"] })
    }))
})

describe("the reader of Helicone's requests", () => {
  it.live("reads an answer of its API with all rows in one list", () =>
    Effect.gen(function*() {
      const items = yield* read([fixture("helicone.json")])
      const [first, second, third] = callsOf(items)
      assert.deepInclude(first, {
        prompt: "Translate: good evening.", modelId: "gpt-4o-mini-2024-07-18", effort: "low", costUsd: 0.00003,
        latencyMs: 1_900, timeToFirstTokenMs: 310, tags: ["lang:en"], userId: "u-3", quality: 1,
        evidenceSource: "human"
      })
      assert.deepInclude(second, { quality: 0.5, evidenceSource: "judge", costUsd: null })
      assert.deepInclude(third, { isInfraFailure: true })
      assert.deepStrictEqual(leftOutOf(items), [
        "label_out_of_range: length", "cache_hit", "not_chat: /v1/embeddings", "not_a_call: tool"
      ])
    }))
})

describe("the reader of OpenRouter's generations", () => {
  it.live("reads both spellings, the whole price of a caller's own key, and no call of a speech model", () =>
    Effect.gen(function*() {
      const items = yield* read([fixture("openrouter.jsonl")])
      const [first, second, third] = callsOf(items)
      assert.deepInclude(first, { inputTokens: 12, outputTokens: 30, latencyMs: 1_600, timeToFirstTokenMs: 400 })
      assert.deepInclude(second, { costUsd: 0.0021, latencyMs: 1_250, timeToFirstTokenMs: null })
      assert.deepInclude(third, { costUsd: 0, isInfraFailure: true })
      assert.deepStrictEqual(leftOutOf(items), ["not_chat: tts"])
    }))

  it.live("reads no call of the activity, whose rows are sums", () =>
    Effect.gen(function*() {
      const path = fixture("openrouter-activity.csv")
      assert.include((yield* Effect.flip(read([path]))).message, "fields date, model")
      assert.deepStrictEqual(leftOutOf(yield* read([path], { format: "openrouter" })), ["no_date"])
    }))
})

describe("the reader of OpenTelemetry's spans", () => {
  it.live("reads the attributes of several versions, and evaluations of spans, records and responses", () =>
    Effect.gen(function*() {
      const items = yield* read([fixture("otel.jsonl")])
      const [first, second, third] = callsOf(items)
      assert.deepInclude(first, {
        prompt: "Weather in Oslo?", modelId: "gpt-4o-mini-2024-07-18", effort: "low", inputTokens: 100,
        cachedInputTokens: 64, outputTokens: 20, reasoningTokens: 8, costUsd: 0.0007, latencyMs: 1_500,
        timeToFirstTokenMs: 250, tags: ["service:shop"], quality: 0.5, evidenceSource: "judge"
      })
      assert.deepInclude(second, { prompt: "Count to three.", inputTokens: 7, quality: 1, isInfraFailure: true })
      assert.deepInclude(third, { prompt: "Old words.", quality: 0, isInfraFailure: false })
      assert.deepStrictEqual(leftOutOf(items), [
        "not_chat: embeddings", "not_a_call: execute_tool", "not_a_call: chat", "label_out_of_range: Intent: 4"
      ])
    }))
})

describe("a prompt in a record of OpenTelemetry's log", () => {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
  const span = (id: string, ...attributes: ReadonlyArray<object>) => ({
    traceId: "AA11", spanId: id, startTimeUnixNano: "1770000000000000000",
    attributes: [text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "m"), ...attributes]
  })
  const spans = (...all: ReadonlyArray<object>) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] })
  const records = (...all: ReadonlyArray<object>) =>
    JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: all }] }] })
  const ofSpan = (id: string) => ({ traceId: "aa11", spanId: id })
  const messages = text("gen_ai.input.messages", JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Of 1.37." }] }]))
  const content = (value: string) => ({ kvlistValue: { values: [text("content", value), text("role", "user")] } })

  it.live("is that of its span, in whichever file and order they are", () =>
    Effect.gen(function*() {
      const calls = spans(span("1"), span("2"), span("3", text("gen_ai.prompt", "Its own.")), span("4"))
      const prompts = records(
        { ...ofSpan("1"), eventName: "gen_ai.client.inference.operation.details", attributes: [messages] },
        { ...ofSpan("2"), attributes: [text("event.name", "gen_ai.user.message")], body: content("The first.") },
        { ...ofSpan("2"), attributes: [text("event.name", "gen_ai.user.message")], body: content("The last.") },
        { ...ofSpan("3"), eventName: "gen_ai.user.message", body: content("Of the record.") },
        { ...ofSpan("9"), eventName: "gen_ai.user.message", body: content("Of no call.") },
        { ...ofSpan("1"), eventName: "gen_ai.system.message", body: content("Be brief.") },
        { traceId: "aa11", eventName: "gen_ai.user.message", body: content("Of no span.") },
        { ...ofSpan("1"), eventName: "gen_ai.user.message", body: 5 }
      )
      const [one, other] = [fileOf(calls), fileOf(prompts)]
      for (const files of [[one, other], [other, one], [fileOf(`${calls}\n${prompts}\n`)]]) {
        const items = yield* read(files)
        assert.deepStrictEqual(callsOf(items).map(({ prompt }) => prompt), ["Of 1.37.", "The last.", "Its own.", null])
        assert.deepStrictEqual(leftOutOf(items), [
          "not_a_call: gen_ai.system.message", "not_a_call: gen_ai.user.message", "not_a_call: gen_ai.user.message",
          "prompt_without_call"
        ])
      }
    }))
})

describe("the reader of our own format", () => {
  it.live("reads every field by the names of a feedback", () =>
    Effect.gen(function*() {
      const items = yield* read([fixture("own.jsonl")])
      const [first, second, third, fourth] = callsOf(items)
      assert.deepStrictEqual(first, {
        id: "c-1", at: new Date("2026-03-02T12:00:00Z"), prompt: "Sort these names.", modelId: "gpt-4o-mini",
        effort: "low", inputTokens: 30, cachedInputTokens: 10, cacheWriteInputTokens: null, outputTokens: 12, reasoningTokens: 4,
        serviceTier: null, webSearches: null, costUsd: 0.0002, latencyMs: 800, timeToFirstTokenMs: 120, taskId: "t-1", userId: "u", sessionId: null,
        tags: ["lang:en"], taskType: "classification", difficulty: "easy", quality: 0.9, evidenceSource: "human", isInfraFailure: false
      })
      assert.deepInclude(second, {
        at: new Date("2026-03-02T12:01:00Z"), costUsd: 0.0003, inputTokens: 30, quality: 1, tags: ["a", "b"]
      })
      assert.deepInclude(third, { at: new Date("2026-03-02T10:02:00Z"), quality: null, evidenceSource: null })
      assert.deepInclude(fourth, { quality: null, evidenceSource: null, isInfraFailure: true })
      assert.deepStrictEqual(leftOutOf(items), ["label_out_of_range: 4"])
    }))

  it.live("reads a table with a byte order mark, and line feeds, commas and marks between marks", () =>
    Effect.gen(function*() {
      const [first, second] = callsOf(yield* read([fixture("own.csv")]))
      assert.deepInclude(first, { id: "c-1", prompt: "Sort these names:\r\nZoe, \"Al\", Bo", tags: ["a", "b"] })
      assert.deepInclude(second, { id: "c-2", prompt: "5\" pipe", costUsd: null, quality: null })
    }))
})
