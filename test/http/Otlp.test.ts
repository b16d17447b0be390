// Telemetry over HTTP, as exporters send it: the requests are OpenTelemetry's own, and what agents really emitted.
import { assert, describe, it } from "@effect/vitest"
import {
  ProtobufLogsSerializer, ProtobufTraceSerializer
} from "@opentelemetry/otlp-transformer"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { type LeftOutCounts, type ObservedCall, ObservedCalls } from "../../src/reports/ObservedCalls.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import { undatedCatalog } from "../support/undatedCatalog.ts"
import { engineService, key } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const fixture = (name: string) => readFileSync(new URL(`../logs/fixtures/${name}.json`, import.meta.url), "utf8")

/** A service that keeps what is observed. */
const recording = () => {
  const calls = new Map<string, ObservedCall>()
  const leftOut: Array<LeftOutCounts> = []
  const service = engineService({
    catalog: undatedCatalog,
    health: Layer.succeed(ObservedCalls, {
      add: (_account, added, counts) => Effect.sync(() => {
        for (const call of added) calls.set(call.callId, call)
        leftOut.push(counts)
      }),
      sums: () => Effect.succeed({ groups: [], leftOut: [] }), arms: () => Effect.succeed([]), uses: () => Effect.succeed([])
    })
  })
  return { calls, leftOut, service }
}

interface Sent {
  readonly signal?: "traces" | "logs"
  readonly type?: string
  readonly encoding?: string
  readonly key?: string | null
}

const send = (body: string | Uint8Array, { encoding, key: own = key, signal = "logs", type = "application/json" }: Sent = {}) =>
  sendRequest("POST", `/v1/otlp/v1/${signal}`, {
    key: own,
    init: {
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers: { "content-type": type, ...(encoding === undefined ? {} : { "content-encoding": encoding }) }
    }
  })

const protobuf = "application/x-protobuf"

/** A span of a call and one of a tool, as OpenTelemetry's SDK writes them. */
const spans = (marks: Record<string, string> = {}) => {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("app")
  tracer.startSpan("chat", {
    attributes: {
      "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5-mini", "gen_ai.usage.input_tokens": 1_000,
      "gen_ai.usage.output_tokens": 100, "gen_ai.input.messages": JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "Write a Python function that merges two sorted lists." }] }
      ]), "session.id": "s-1", "user.id": "u-1", "team.id": "billing", ...marks
    }
  }).end()
  tracer.startSpan("tool", { attributes: { "gen_ai.operation.name": "execute_tool" } }).end()
  return ProtobufTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? new Uint8Array()
}

describe("telemetry", () => {
  it.live("of a coding agent becomes observed calls, however often and in whichever way it is sent", () => {
    const { calls, service } = recording()
    return Effect.gen(function*() {
      const body = fixture("claude-code-logs")
      for (const encoding of [undefined, "gzip"] as const) {
        const answer = yield* send(encoding === undefined ? body : gzipSync(body), encoding === undefined ? {} : { encoding })
        assert.deepStrictEqual([answer.status, answer.text], [200, "{}"])
      }
      yield* send(fixture("claude-code-spans"), { signal: "traces" })
      assert.strictEqual(calls.size, 5)
      const sum = (of: (call: ObservedCall) => number | null) =>
        [...calls.values()].reduce((total, call) => total + (of(call) ?? NaN), 0)
      assert.strictEqual(sum(({ inputTokens }) => inputTokens), 53_330)
      assert.closeTo(sum(({ listUsd }) => listUsd), 0.0852172, 1e-9)
      assert.strictEqual(calls.get("claude-code:req_mx0uyqef6z")?.sessionId, "bdd57de4-29be-4e03-aa59-db6e89038c48")
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("in protobuf is read as in JSON, and its words become a kind of task and are not kept", () => {
    const { calls, leftOut, service } = recording()
    return Effect.gen(function*() {
      const bytes = spans()
      for (const encoding of [undefined, "gzip"] as const) {
        const answer = yield* send(encoding === undefined ? bytes : gzipSync(bytes), {
          signal: "traces", type: protobuf, ...(encoding === undefined ? {} : { encoding })
        })
        assert.deepStrictEqual([answer.status, answer.text, answer.headers.get("content-type")], [200, "", protobuf])
      }
      assert.strictEqual(calls.size, 1)
      const [call] = calls.values()
      assert.deepInclude(call, {
        modelId: "gpt-5-mini", taskType: "code", inputTokens: 1_000, outputTokens: 100, sessionId: "s-1", userId: "u-1",
        billedUsd: null, quality: null, isBroken: false
      })
      assert.include(call?.tags ?? [], "team:billing")
      assert.isAbove(call?.listUsd ?? 0, 0)
      assert.notInclude(JSON.stringify([...calls.values()]), "sorted lists")
      assert.deepStrictEqual([...leftOut[0] ?? []], [["not_a_call", 1]])
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("of a call that names its recommendation is left out, because its decision counts the call", () => {
    const { calls, leftOut, service } = recording()
    return Effect.gen(function*() {
      for (const id of [RecommendationId.make(Date.now()), "no id"]) {
        yield* send(spans({ "sextant.recommendation_id": id }), { signal: "traces", type: protobuf })
      }
      assert.strictEqual(calls.size, 1)
      assert.deepStrictEqual(leftOut.map((counts) => counts.get("recommended")), [1, undefined])
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("of which something cannot be counted is a partial success, in the request's own form", () => {
    const { calls, service } = recording()
    return Effect.gen(function*() {
      const json = yield* send(fixture("codex-spans"), { signal: "traces" })
      assert.strictEqual(json.status, 200)
      assert.deepStrictEqual(json.body, {
        partialSuccess: { rejectedSpans: "3", errorMessage: "3 without a model" }
      })
      const event = { attributes: [
        { key: "event.name", value: { stringValue: "api_request" } }, { key: "model", value: { stringValue: "m" } }
      ], body: { stringValue: "claude_code.api_request" } }
      const logs = yield* send(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [event] }] }] }))
      assert.deepStrictEqual(logs.body, {
        partialSuccess: { rejectedLogRecords: "1", errorMessage: "1 without a date that can be read" }
      })
      // A span of a call without a model, byte by byte.
      const operation = [0x4a, 0x1f, 0x0a, 0x15, ...Buffer.from("gen_ai.operation.name"), 0x12, 0x06, 0x0a, 0x04, ...Buffer.from("chat")]
      const nested = (tag: number, bytes: ReadonlyArray<number>) => [tag, bytes.length, ...bytes]
      const body = Uint8Array.from(nested(0x0a, nested(0x12, nested(0x12, operation))))
      const answer = yield* send(body, { signal: "traces", type: protobuf })
      assert.strictEqual(answer.status, 200)
      const partial = ProtobufTraceSerializer.deserializeResponse(new TextEncoder().encode(answer.text))
      assert.deepStrictEqual(partial.partialSuccess, { rejectedSpans: 1, errorMessage: "1 without a model" })
      assert.strictEqual(calls.size, 0)
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("that is none, too large or in another form is refused with the reason", () => {
    const { leftOut, service } = recording()
    return Effect.gen(function*() {
      const many = `{"resourceLogs":[${"{},".repeat(300_000)}{}]}`
      const cases: ReadonlyArray<readonly [string | Uint8Array, Sent, number, RegExp]> = [
        ["{", {}, 400, /object of JSON/],
        ["[]", {}, 400, /object of JSON/],
        [`{"a":${"[".repeat(200)}${"]".repeat(200)}}`, {}, 400, /100 levels/],
        [gzipSync(many.repeat(2).slice(0, 3_900_000)), { encoding: "gzip" }, 400, /400000 values/],
        [Uint8Array.from([0x0a, 0xff]), { type: protobuf }, 400, /message of OTLP/],
        ["{}", { encoding: "br" }, 415, /br is not supported/],
        ["{}", { encoding: "gzip" }, 400, /packed by gzip/],
        [gzipSync(" ".repeat(5_000_000)), { encoding: "gzip" }, 413, /4000000 bytes/],
        [" ".repeat(1_000_001), {}, 413, /1000000 bytes/],
        ["{}", { type: "text/plain" }, 415, /application\/x-protobuf/],
        ["{}", { key: "sxt_acme_k1_ffffffffffffffffffffffffffffffff" }, 401, /key/],
        ["{}", { key: null }, 401, /key/]
      ]
      for (const [body, sent, status, detail] of cases) {
        const answer = yield* send(body, sent)
        assert.strictEqual(answer.status, status, `${detail}: ${answer.text}`)
        assert.match(String(answer.body["detail"]), detail)
        assert.include(answer.headers.get("content-type"), "application/problem+json")
      }
      assert.deepStrictEqual(leftOut, [])
      for (const [body, sent] of [["", {}], ["{}", {}], [new Uint8Array(), { type: protobuf }]] as const) {
        assert.strictEqual((yield* send(body, sent)).status, 200)
      }
      assert.strictEqual((yield* sendRequest("GET", "/v1/otlp/v1/logs", { key })).status, 405)
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("with names, ids and numbers of any kind never fails the service", () => {
    const { calls, service } = recording()
    const long = "x".repeat(50_000)
    return Effect.gen(function*() {
      const text = (name: unknown, of: unknown) => ({ key: name, value: { stringValue: of } })
      // No text can be made of the last.
      const strange: ReadonlyArray<unknown> = [long, "\u0000", "\ud800", "", 5, null, {}, { toString: 1, valueOf: 1 }]
      for (const of of strange) {
        const span = {
          name: "claude_code.llm_request", traceId: of, spanId: of, startTimeUnixNano: "1772442000000000000", endTimeUnixNano: of, attributes: [
            text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", of), text("user.id", of), text("request_id", of === 5 ? "" : of),
            text("session.id", of), text("team.id", of), text("gen_ai.usage.input_tokens", of), text("gen_ai.usage.cost", of)
          ]
        }
        const named = { key: of, value: { kvlistValue: { values: [{ key: of, value: { stringValue: of } }] } } }
        const record = {
          timeUnixNano: of, observedTimeUnixNano: of, eventName: of, body: named.value, attributes: [
            named, text("event.name", "claude_code.api_request"), text("model", of), text("input_tokens", of)
          ]
        }
        const messages = { arrayValue: { values: [{ kvlistValue: { values: [
          text("role", "user"), { key: "parts", value: { arrayValue: { values: [{ kvlistValue: { values: [text("type", of)] } }] } } }
        ] } }] } }
        const prompted = { ...span, attributes: [...span.attributes, named, { key: "gen_ai.input.messages", value: messages }] }
        for (const [signal, body] of [
          ["traces", { resourceSpans: [{ scopeSpans: [{ spans: [prompted] }] }] }],
          ["logs", { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }]
        ] as const) {
          const answer = yield* send(JSON.stringify(body), { signal })
          assert.strictEqual(answer.status, 200, answer.text)
        }
      }
      for (const call of calls.values()) {
        for (const of of [call.callId, call.modelId, call.userId, call.sessionId, ...call.tags]) {
          assert.isAtMost((of ?? "").length, 256)
          assert.notInclude(of ?? "", "\u0000")
          assert.notStrictEqual(of, "")
        }
      }
    }).pipe(Effect.provide(service))
  }, 60_000)

  it.live("is asked for again while it cannot be stored", () =>
    Effect.gen(function*() {
      const answer = yield* send(ProtobufLogsSerializer.serializeRequest([]) ?? new Uint8Array(), { type: protobuf })
      assert.strictEqual(answer.status, 503)
      assert.isNotNull(answer.headers.get("retry-after"))
    }).pipe(Effect.provide(engineService({
      health: Layer.succeed(ObservedCalls, {
        add: () => Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: new Error("down") }) })),
        sums: () => Effect.succeed({ groups: [], leftOut: [] }), arms: () => Effect.succeed([]), uses: () => Effect.succeed([])
      })
    }))), 60_000)
})
