// Rows of other programs as public reports of bugs have them, with dates of their own.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LoggedCall } from "../../src/logs/LoggedCall.ts"
import { batchesOf, callsOf, fileOf, fixture, leftOutOf, listUsdOf, namesOf, read } from "./reading.ts"

const readFixture = (name: string) => read([fixture(name)])

type Counted = Pick<LoggedCall, "cachedInputTokens" | "inputTokens" | "outputTokens" | "reasoningTokens">

const countsOf = ({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Counted) =>
  [inputTokens, cachedInputTokens, outputTokens, reasoningTokens]

const attribute = (key: string, value: string | number) =>
  ({ key, value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) } })

type Attributes = Readonly<Record<string, string | number>>

const span = (spanId: string, parentSpanId: string, attributes: Attributes) => ({
  traceId: "t", spanId, parentSpanId, startTimeUnixNano: "1772442000000000000",
  attributes: Object.entries(attributes).map(([key, value]) => attribute(key, value))
})

const row = (...spans: ReadonlyArray<object>): string => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "claude-sonnet-4-5" }

describe("the spans of one call", () => {
  it.live("are one call, that of the inner (case 02)", () =>
    Effect.gen(function*() {
      const items = yield* readFixture("otel-nested.jsonl")
      assert.deepStrictEqual(callsOf(items).map(({ id }) => id), ["5b8efff798038103d269b633813fc601:eee19b7ec3c1b102"])
      assert.deepStrictEqual(leftOutOf(items), ["not_a_call: a span around the call's own"])
    }))

  it.live("are one call in whichever rows and files they are, with others between them", () =>
    Effect.gen(function*() {
      const [outer, between, inner] = [span("1", "0", chat), span("2", "1", {}), span("3", "2", chat)]
      for (const rows of [[row(outer, between, inner)], [row(inner, between, outer)], [row(inner), row(between), row(outer)]]) {
        for (const files of [rows.map((one) => fileOf(one)), [fileOf(rows.join("\n"))]]) {
          const names = namesOf(yield* batchesOf(files))
          assert.sameMembers([...names], ["t:3", "not_a_call", "not_a_call"])
        }
      }
    }))

  it.live("are not those of a call that a tool or an agent makes, nor of an attempt and the next", () =>
    Effect.gen(function*() {
      const tool = { "gen_ai.operation.name": "execute_tool" }
      const ofTool = row(span("1", "0", chat), span("2", "1", tool), span("3", "2", chat))
      assert.sameMembers([...namesOf(yield* batchesOf([fileOf(ofTool)]))], ["t:1", "not_a_call", "t:3"])
      const workflow = { "traceloop.span.kind": "agent" }
      const ofAgent = row(span("1", "0", chat), span("2", "1", workflow), span("3", "2", chat))
      assert.sameMembers([...namesOf(yield* batchesOf([fileOf(ofAgent)]))], ["t:1", "not_a_call", "t:3"])
      const attempts = row(span("1", "0", chat), span("2", "1", chat), span("3", "1", chat))
      assert.sameMembers([...namesOf(yield* batchesOf([fileOf(attempts)]))], ["not_a_call", "t:2", "t:3"])
    }))

  it.live("that name themselves as their parent are calls", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(row(span("1", "1", chat)))])), ["t:1"])
    }))
})

describe("the tokens of a span", () => {
  it.live("include what its cache read and wrote, where these are more than the input (case 10)", () =>
    Effect.gen(function*() {
      const calls = callsOf(yield* readFixture("otel-cache.jsonl"))
      assert.deepStrictEqual(calls.map(({ cacheWriteInputTokens }) => cacheWriteInputTokens), [6_174, 248, 5_120])
      assert.deepStrictEqual(calls.map(countsOf), [
        // The second is within the input by the conventions since 1.40.
        [11_935, 5_758, 300, null], [2_048, 1_800, 300, null], [5_128, null, 300, null]
      ])
    }))

  it.live("include the thoughts of Gemini, in whichever order of size, and by a total (case 11)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(callsOf(yield* readFixture("otel-thoughts.jsonl")).map(countsOf), [[900, null, 1_700, 1_500]])
      const gemini = { ...chat, "gen_ai.request.model": "gemini-2.5-pro", "gen_ai.usage.input_tokens": 900 }
      const calls = callsOf(yield* read([fileOf(row(
        span("1", "0", { ...gemini, "gen_ai.usage.output_tokens": 2_000, "gen_ai.usage.reasoning_tokens": 1_500 }),
        span("2", "0", { ...gemini, "gen_ai.usage.output_tokens": 2_000, "gen_ai.usage.reasoning.output_tokens": 1_500 }),
        span("3", "0", { ...gemini, "gen_ai.usage.output_tokens": 200, "gen_ai.usage.total_tokens": 2_600 })
      ))]))
      assert.deepStrictEqual(calls.map(countsOf), [
        [900, null, 3_500, 1_500], [900, null, 2_000, 1_500], [900, null, 1_700, null]
      ])
    }))

  it.live("and its prompt are read by the names of AI SDK (case 13)", () =>
    Effect.gen(function*() {
      const items = yield* readFixture("otel-ai-sdk.jsonl")
      const [call, ...others] = callsOf(items)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(call, {
        prompt: "Compare the two contracts clause by clause", inputTokens: 5_000, cachedInputTokens: 4_000,
        outputTokens: 400, reasoningTokens: 120, modelId: "claude-sonnet-4-5-20250929"
      })
      const stream = { ...chat, "ai.response.msToFirstChunk": 250, "ai.usage.promptTokens": 7, "ai.usage.completionTokens": 3 }
      const [streamed] = callsOf(yield* read([fileOf(row(span("1", "0", stream)))]))
      assert.deepInclude(streamed, { timeToFirstTokenMs: 250, inputTokens: 7, outputTokens: 3 })
    }))
})

it.live("One call of nested spans, and one from a cache, cost their tokens (case 02) (case 13)", () =>
  Effect.gen(function*() {
    for (const [log, usd] of [["otel-nested.jsonl", 0.0081], ["otel-ai-sdk.jsonl", 0.0102]] as const) {
      const items = yield* readFixture(log)
      assert.lengthOf(callsOf(items), 1, log)
      assert.strictEqual((yield* listUsdOf(items)).toFixed(12), usd.toFixed(12), log)
    }
  }))

it.live("The prompt of a span with an event for each message is the user's last (case 12)", () =>
  Effect.gen(function*() {
    const calls = callsOf(yield* readFixture("otel-events.jsonl"))
    assert.deepStrictEqual(calls.map(({ prompt }) => prompt), ["Write a SQL migration that splits the orders table by month"])
  }))

describe("LiteLLM's calls", () => {
  const litellm = (fields: object) => JSON.stringify({
    request_id: "r", call_type: "acompletion", startTime: "2026-03-01T10:00:00Z", model: "claude-sonnet-4-5", ...fields
  })
  const readRow = (fields: object) => read([fileOf(litellm(fields))])

  it.live("that were handed on as they are, are calls where their path is that of a chat (case 14)", () =>
    Effect.gen(function*() {
      const [call] = callsOf(yield* readFixture("litellm-pass-through.jsonl"))
      assert.deepInclude(call, {
        prompt: "Refactor the billing module", inputTokens: 5_000, outputTokens: 400, costUsd: 0.021
      })
      const paths = [
        "/v1/chat/completions", "/v1/messages?beta=true", "/v1/responses", "/model/x/converse-stream", "/model/x/invoke",
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "/models/claude:rawPredict"
      ]
      for (const path of paths) {
        const fields = { call_type: "allm_passthrough_route", api_base: `https://example.com${path}` }
        assert.lengthOf(callsOf(yield* readRow(fields)), 1, path)
      }
    }))

  it.live("that were handed on to another path have a reason of their own", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/embeddings", "/v1/messages/count_tokens", "/v1/messages/batches", "/v1/rerank"]) {
        const items = yield* readRow({ call_type: "pass_through_endpoint", api_base: `https://a.b${path}` })
        assert.deepStrictEqual(leftOutOf(items), [`pass_through: https://a.b${path}`], path)
      }
    }))

  it.live("that were handed on to an unknown path are calls where there are messages and an answer", () =>
    Effect.gen(function*() {
      const messages = [{ role: "user", content: "Sum the list." }]
      const fields = { call_type: "pass_through_endpoint", proxy_server_request: { url: "x", body: { messages } } }
      assert.deepStrictEqual(callsOf(yield* readRow({ ...fields, completion_tokens: 5 })).map(({ prompt }) => prompt), [
        "Sum the list."
      ])
      for (const silent of [{ ...fields, completion_tokens: 0 }, { call_type: "pass_through_endpoint", completion_tokens: 5 }]) {
        assert.deepStrictEqual(leftOutOf(yield* readRow(silent)), ["pass_through: pass_through_endpoint"])
      }
    }))

  it.live("are not responses that were fetched again, deleted or cancelled (case 15)", () =>
    Effect.gen(function*() {
      const items = yield* readFixture("litellm-retrieved.jsonl")
      assert.deepStrictEqual(callsOf(items).map(({ costUsd, id }) => [id, costUsd]), [["chatcmpl-4", 0.0044]])
      assert.deepStrictEqual(leftOutOf(items), ["not_a_call: aget_responses", "not_a_call: aget_responses"])
      for (const call_type of ["get_responses", "adelete_responses", "acancel_responses", "alist_responses"]) {
        assert.deepStrictEqual(leftOutOf(yield* readRow({ call_type })), [`not_a_call: ${call_type}`])
      }
      for (const call_type of ["responses", "atext_completion", "agenerate_content_stream", "anthropic_messages", ""]) {
        assert.lengthOf(callsOf(yield* readRow({ call_type })), 1, call_type)
      }
    }))

  it.live("have what a cache read and wrote within their input", () =>
    Effect.gen(function*() {
      const metadata = { usage_object: { cache_read_input_tokens: 6_000, cache_creation_input_tokens: 5_997 } }
      const within = { prompt_tokens: 12_000, completion_tokens: 300, total_tokens: 12_300, metadata }
      const beside = { prompt_tokens: 3, completion_tokens: 300, total_tokens: 303, metadata }
      const calls = callsOf(yield* read([fileOf([within, beside].map(litellm).join("\n"))]))
      assert.deepStrictEqual(calls.map(({ inputTokens }) => inputTokens), [12_000, 12_000])
    }))
})

it.live("Langfuse's input is its total without the output, whatever its parts are called (case 16)", () =>
  Effect.gen(function*() {
    const [call] = callsOf(yield* readFixture("langfuse-total.jsonl"))
    assert.deepStrictEqual(call === undefined ? [] : countsOf(call), [12_000, 6_000, 300, null])
    const observation = (usage_details: object) => JSON.stringify({
      id: "o", trace_id: "t", type: "GENERATION", start_time: "2026-03-02 09:00:00", provided_model_name: "m", usage_details
    })
    const calls = callsOf(yield* read([fileOf([
      observation({ input: 100, image_tokens: 500, output: 50, total: 650 }),
      observation({ input: 100, input_audio: 500, output: 50, output_audio: 20 }),
      observation({ input: 100, output: 50, requests: 1 })
    ].join("\n"))]))
    assert.deepStrictEqual(calls.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]), [
      [600, 50], [600, 70], [100, 50]
    ])
  }))

it.live("Helicone's input has what a cache read and wrote beside it for the models of who counts so", () =>
  Effect.gen(function*() {
    const request = (request_model: string) => JSON.stringify({
      request_id: request_model, request_created_at: "2026-03-02T10:00:00Z", request_model, prompt_tokens: 5_000,
      prompt_cache_read_tokens: 1_000, prompt_cache_write_tokens: 500, completion_tokens: 20, total_tokens: 5_020
    })
    const calls = callsOf(yield* read([fileOf(["claude-sonnet-4-5", "gpt-4o"].map(request).join("\n"))]))
    assert.deepStrictEqual(calls.map(({ inputTokens }) => inputTokens), [6_500, 5_000])
  }))

it.live("OpenRouter's generations are read from the CSV of its page Activity (case 17)", () =>
  Effect.gen(function*() {
    const batches = yield* batchesOf([fixture("openrouter-generations.csv")])
    assert.deepStrictEqual([...new Set(batches.map(({ format }) => format))], ["openrouter"])
    const calls = callsOf(batches.flatMap(({ items }) => items))
    assert.deepStrictEqual(calls.map(({ id }) => id), [0, 1, 2, 3, 4].map((i) => `gen-179${i}`))
    assert.closeTo(calls.reduce((sum, { costUsd }) => sum + (costUsd ?? NaN), 0), 0.0106, 1e-9)
    assert.deepInclude(calls[0], {
      at: new Date("2026-03-04T12:00:11.123Z"), modelId: "anthropic/claude-sonnet-4.5", inputTokens: 1_200,
      cachedInputTokens: 0, outputTokens: 300, reasoningTokens: 100, latencyMs: 2_100, timeToFirstTokenMs: 400, userId: null
    })
  }))

it.live("OpenRouter's CSV adds what the provider billed for a key of the caller's own", () =>
  Effect.gen(function*() {
    const table = "generation_id,created_at,cost_total,byok_usage_inference,model_permaslug,user\n"
      + "g,2026-03-04 12:00:11.123,0.0001,0.002,openai/gpt-4o,u-1\n"
    const [call] = callsOf(yield* read([fileOf(table)]))
    assert.closeTo(call?.costUsd ?? NaN, 0.0021, 1e-12)
    assert.strictEqual(call?.userId, "u-1")
  }))

describe("the service tier of a call and its searches", () => {
  const found = (items: Parameters<typeof callsOf>[0]) => callsOf(items).map(({ serviceTier, webSearches }) => [serviceTier, webSearches])
  const read1 = (row: object) => Effect.map(read([fileOf(JSON.stringify(row))]), found)

  it.live("are read in a span, of the answer before the request's", () =>
    Effect.gen(function*() {
      const items = yield* read([fileOf(row(
        span("1", "0", { ...chat, "openai.request.service_tier": "auto", "openai.response.service_tier": "priority" }),
        span("2", "0", { ...chat, "gen_ai.openai.response.service_tier": "flex" }),
        span("3", "0", { ...chat, "gen_ai.openai.request.service_tier": "flex" }),
        span("4", "0", chat)
      ))])
      assert.deepStrictEqual(found(items), [["priority", null], ["flex", null], ["flex", null], [null, null]])
    }))

  it.live("are read in the rows of LiteLLM, Langfuse, Helicone and our own", () =>
    Effect.gen(function*() {
      const lite = {
        request_id: "a", call_type: "acompletion", startTime: "2026-03-02T08:00:00Z", endTime: "2026-03-02T08:00:01Z",
        model: "gpt-5", prompt_tokens: 9, completion_tokens: 9, spend: 0,
        proxy_server_request: { service_tier: "flex" }
      }
      assert.deepStrictEqual(yield* read1(lite), [["flex", null]])
      const usage_object = { service_tier: "priority", server_tool_use: { web_search_requests: 2 } }
      assert.deepStrictEqual(yield* read1({ ...lite, metadata: { usage_object } }), [["priority", 2]])
      const counted = { prompt_tokens_details: { web_search_requests: 3 } }
      assert.deepStrictEqual(yield* read1({ ...lite, metadata: { usage_object: counted } }), [["flex", 3]])
      assert.deepStrictEqual(yield* read1({
        id: "a", type: "GENERATION", trace_id: "t", start_time: "2026-03-02T08:00:00Z", provided_model_name: "gpt-5",
        usage_details: { input: 9, output: 9 }, model_parameters: { service_tier: "flex" }
      }), [["flex", null]])
      assert.deepStrictEqual(yield* read1({
        request_id: "a", request_created_at: "2026-03-02T08:00:00Z", response_model: "gpt-5", prompt_tokens: 9, completion_tokens: 9,
        request_body: { service_tier: "auto" }, response_body: { service_tier: "priority" }, response_status: 200
      }), [["priority", null]])
      // Anthropic's answer names it, and counts searches, within its usage.
      const usage = { service_tier: "priority", server_tool_use: { web_search_requests: 2 } }
      assert.deepStrictEqual(yield* read1({
        request_id: "a", request_created_at: "2026-03-02T08:00:00Z", response_model: "claude-sonnet-4-5", prompt_tokens: 9,
        completion_tokens: 9, request_body: { service_tier: "auto" }, response_body: { usage }, response_status: 200
      }), [["priority", 2]])
      assert.deepStrictEqual(yield* read1({ id: "a", at: "2026-03-02T08:00:00Z", model: "gpt-5", prompt: "Sum", score: 1, service_tier: "flex", web_searches: 1 }), [["flex", 1]])
    }))
})
