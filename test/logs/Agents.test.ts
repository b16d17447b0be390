// What coding agents and frameworks emitted on 2026-11-28, cut to the attributes that tell something, with older dates.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LoggedCall, LogItem } from "../../src/logs/LoggedCall.ts"
import { callsOf, fileOf, fixture, leftOutOf, listUsdOf, read } from "./reading.ts"

const readFixture = (...names: ReadonlyArray<string>) => read(names.map((name) => fixture(`${name}.json`)))

type Count = "cachedInputTokens" | "cacheWriteInputTokens" | "inputTokens" | "outputTokens"

const sumOf = (calls: ReadonlyArray<LoggedCall>, count: Count): number =>
  calls.reduce((sum, call) => sum + (call[count] ?? 0), 0)

/** Calls, input, of it cached and written to a cache, and output, counts. */
const countsOf = (items: ReadonlyArray<LogItem>) => {
  const calls = callsOf(items)
  return [
    calls.length, sumOf(calls, "inputTokens"), sumOf(calls, "cachedInputTokens"), sumOf(calls, "cacheWriteInputTokens"),
    sumOf(calls, "outputTokens")
  ]
}

const countBy = (reasons: ReadonlyArray<string>) =>
  Object.fromEntries([...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => [reason, all.length]))

describe("Claude Code's telemetry", () => {
  it.live("has the tokens and the bill of its five calls, in its log records as in its spans", () =>
    Effect.gen(function*() {
      for (const name of ["claude-code-logs", "claude-code-spans"]) {
        const items = yield* readFixture(name)
        assert.deepStrictEqual(countsOf(items), [5, 53_330, 31_995, 5_330, 111], name)
        assert.closeTo(yield* listUsdOf(items), 0.0852172, 1e-9, name)
      }
      const bills = callsOf(yield* readFixture("claude-code-logs")).map(({ costUsd }) => costUsd ?? NaN)
      assert.closeTo(bills.reduce((sum, one) => sum + one, 0), 0.0852172, 1e-9)
    }))

  it.live("says of a call when it began, how long it took, and at which effort", () =>
    Effect.gen(function*() {
      const [call] = callsOf(yield* readFixture("claude-code-logs"))
      assert.deepInclude(call, {
        id: "claude-code:req_mx0uyqef6z", modelId: "claude-opus-5-5", effort: "medium", latencyMs: 212,
        timeToFirstTokenMs: 82, at: new Date("2026-03-03T20:23:56.162Z"), prompt: null, tags: ["service:claude-code"]
      })
      const [span] = callsOf(yield* readFixture("claude-code-spans"))
      assert.deepInclude(span, { id: "claude-code:req_mx0uyqef6z", effort: "medium", timeToFirstTokenMs: 82 })
    }))

  it.live("names what of it is no call", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(countBy(leftOutOf(yield* readFixture("claude-code-logs"))), {
        "not_a_call: claude_code.plugin_loaded": 1, "not_a_call: claude_code.user_prompt": 1,
        "not_a_call: claude_code.tool_decision": 2, "not_a_call: claude_code.tool_result": 2,
        "not_a_call: claude_code.assistant_response": 1, "not_a_call: claude_code.subagent_completed": 1
      })
    }))
})

describe("codex's telemetry", () => {
  it.live("has one call for each response that ended with counts", () =>
    Effect.gen(function*() {
      const items = yield* readFixture("codex-logs")
      assert.deepStrictEqual(countsOf(items), [2, 20_214, 12_128, 0, 24])
      const [call] = callsOf(items)
      assert.deepInclude(call, { modelId: "big", effort: "medium", reasoningTokens: 3, latencyMs: null })
      assert.strictEqual(countBy(leftOutOf(items))["not_a_call: codex.sse_event"], 11)
    }))

  it.live("is counted by its log records alone: its spans name no model, and say so", () =>
    Effect.gen(function*() {
      const items = yield* readFixture("codex-spans")
      assert.deepStrictEqual(callsOf(items), [])
      assert.deepStrictEqual(countBy(leftOutOf(items)), {
        "no_model: handle_responses": 3, "not_a_call: session_task.turn": 3
      })
    }))

  it.live("leaves the arguments and outputs of tools unread, which it has in clear", () =>
    Effect.gen(function*() {
      const items = JSON.stringify(yield* readFixture("codex-logs"))
      assert.include(items, "codex.tool_result")
      for (const clear of ["spawn_agent", "List the files here", "Hilbert"]) assert.notInclude(items, clear)
    }))
})

it.live("Gemini CLI's responses are calls, with the thoughts in their output", () =>
  Effect.gen(function*() {
    const items = yield* readFixture("gemini-cli-logs")
    assert.deepStrictEqual(countsOf(items), [1, 11_741, 7_044, 0, 40])
    assert.deepInclude(callsOf(items)[0], {
      modelId: "gemini-2.5-pro", reasoningTokens: 3, latencyMs: 266, isInfraFailure: false
    })
    assert.sameMembers([...leftOutOf(items)], [
      "not_a_call: gemini_cli.api_request", "not_a_call: gen_ai.client.inference.operation.detail",
      "not_a_call: gemini_cli.tool_call"
    ])
  }))

it.live("AI SDK's spans say the same in their new names and in those of before", () =>
  Effect.gen(function*() {
    for (const name of ["ai-sdk-genai", "ai-sdk-legacy"]) {
      const items = yield* readFixture(name)
      assert.deepStrictEqual(countsOf(items), [7, 870, 519, 0, 126], name)
      assert.closeTo(yield* listUsdOf(items), 0.000464725, 1e-12, name)
      assert.lengthOf(callsOf(items).filter(({ isInfraFailure }) => isInfraFailure), 1, name)
      const firstTokens = callsOf(items).flatMap(({ timeToFirstTokenMs }) => timeToFirstTokenMs ?? [])
      assert.lengthOf(firstTokens, 1, name)
    }
  }))

it.live("Mastra's inferences are calls, and the spans around them are none", () =>
  Effect.gen(function*() {
    const items = yield* readFixture("mastra")
    assert.deepStrictEqual(countsOf(items), [4, 854, 511, 0, 102])
    assert.deepStrictEqual(countBy(leftOutOf(items)), {
      "not_a_call: model_chunk": 6, "not_a_call: execute_tool": 3, "not_a_call: agent_step": 4,
      "not_a_call: model_generation": 1, "not_a_call: invoke_agent": 1
    })
  }))

describe("a record of an agent", () => {
  const value = (of: string | number) => typeof of === "string" ? { stringValue: of } : { intValue: String(of) }
  const attributesOf = (fields: object) => Object.entries(fields).map(([key, of]) => ({ key, value: value(of) }))
  const record = (atMs: number, fields: object, body?: string) => ({
    timeUnixNano: `${atMs}000000`, attributes: attributesOf(fields), ...(body === undefined ? {} : { body: value(body) })
  })
  const logOf = (...logRecords: ReadonlyArray<object>) =>
    fileOf(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
  const began = Date.UTC(2026, 2, 3)
  const ended = { "event.name": "codex.sse_event", "event.kind": "response.completed", "conversation.id": "c", model: "m" }
  const prompt = (atMs: number, text: string) =>
    record(atMs, { "event.name": "codex.user_prompt", "conversation.id": "c", prompt: text })

  it.live("has the prompt that was the last before it in its session", () =>
    Effect.gen(function*() {
      const call = (atMs: number) => record(atMs, { ...ended, input_token_count: 5, output_token_count: atMs - began })
      const items = yield* read([logOf(
        call(began + 60), prompt(began + 50, "The second."), prompt(began + 10, "The first."), call(began + 20),
        call(began + 5), prompt(began + 70, "The unanswered.")
      )])
      assert.deepStrictEqual(callsOf(items).map((each) => each.prompt), ["The second.", "The first.", null])
      assert.deepStrictEqual(leftOutOf(items), ["prompt_without_call"])
    }))

  it.live("has no prompt where the text is withheld, or where it is of a subagent or a helper", () =>
    Effect.gen(function*() {
      const claude = (fields: object) =>
        record(began + 9, { "event.name": "api_request", "session.id": "s", "prompt.id": "p", model: "m", ...fields }, "claude_code.api_request")
      const said = (text: string, id: string) =>
        record(began, { "event.name": "user_prompt", "session.id": "s", "prompt.id": id, prompt: text }, "claude_code.user_prompt")
      const items = yield* read([logOf(
        said("Fix it.", "p"), said("<REDACTED>", "q"), said("<task-notification>done</task-notification>", "r"),
        claude({ request_id: "1" }), claude({ request_id: "2", agent_id: "a" }), claude({ request_id: "3", "prompt.id": "q" }),
        claude({ request_id: "4", "prompt.id": "r" })
      )])
      assert.deepStrictEqual(callsOf(items).map((each) => each.prompt), ["Fix it.", null, null, null])
      const gemini = (fields: object) => record(began + 9, {
        "event.name": "gemini_cli.api_response", "session.id": "s", prompt_id: "p", model: "m", ...fields
      })
      const ofGemini = yield* read([logOf(
        record(began, { "event.name": "gemini_cli.user_prompt", "session.id": "s", prompt_id: "p", prompt: "Fix it." }),
        gemini({ role: "main" }), gemini({ role: "utility_router", input_token_count: 3 })
      )])
      assert.deepStrictEqual(callsOf(ofGemini).map((each) => each.prompt), ["Fix it.", null])
    }))

  it.live("of a call that failed is a fault of the provider", () =>
    Effect.gen(function*() {
      const failed = { "event.name": "api_error", model: "m", request_id: "1", status_code: "529", duration_ms: "70" }
      const gemini = { "event.name": "gemini_cli.api_error", model_name: "g", duration: 30, "session.id": "s" }
      const items = yield* read([logOf(record(began, failed, "claude_code.api_error"), record(began, gemini))])
      assert.deepStrictEqual(callsOf(items).map((call) => [call.modelId, call.latencyMs, call.isInfraFailure]), [
        ["m", 70, true], ["g", 30, true]
      ])
    }))

  it.live("without a model, a date or a name has its reason", () =>
    Effect.gen(function*() {
      const items = yield* read([logOf(
        record(began, { ...ended, model: "", input_token_count: 5 }),
        { attributes: attributesOf({ ...ended, input_token_count: 5 }) },
        { attributes: 7 }, { attributes: attributesOf({ "event.name": "__proto__" }) }
      )])
      assert.deepStrictEqual(leftOutOf(items), [
        "no_model: codex.sse_event", "no_date", "not_a_call: a record without a name", "not_a_call: __proto__"
      ])
    }))
})
