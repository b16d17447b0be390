// The encoder of OpenTelemetry's own SDK is the reference: what it writes in protobuf and in JSON must read the same.
import { assert, describe, it } from "@effect/vitest"
import {
  JsonLogsSerializer, JsonTraceSerializer, ProtobufLogsSerializer, ProtobufTraceSerializer
} from "@opentelemetry/otlp-transformer"
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"
import { readOtlpProtobuf } from "../../src/logs/OtlpProtobuf.ts"
import { readExport } from "../../src/logs/ReadExport.ts"

const limits = { depth: 64, values: 10_000 }
const nowMs = Date.UTC(2026, 11, 1)

const attributes = {
  "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5-mini", "gen_ai.usage.input_tokens": 870,
  "gen_ai.usage.output_tokens": 126, "gen_ai.usage.cost": 0.000465, "gen_ai.response.finish_reasons": ["stop", "ü"],
  "is.set": true, below: -5
}

const spans = () => {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("ai")
  const outer = tracer.startSpan("invoke_agent", { startTime: nowMs - 2_000 })
  const span = tracer.startSpan("chat gpt-5-mini", { startTime: nowMs - 1_500, attributes })
  span.addEvent("gen_ai.evaluation.result", { "gen_ai.evaluation.name": "correct", "gen_ai.evaluation.score.value": 1 })
  span.setStatus({ code: 2, message: "overloaded" })
  span.end(nowMs - 500)
  outer.end(nowMs)
  return exporter.getFinishedSpans()
}

const records = () => {
  const exporter = new InMemoryLogRecordExporter()
  const logger = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }).getLogger("agent")
  logger.emit({
    timestamp: nowMs, observedTimestamp: nowMs, body: { content: [{ text: "Fix it." }, 7], role: "user" },
    attributes: { "event.name": "api_request", input_tokens: "12" }
  })
  return exporter.getFinishedLogRecords()
}

const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** What is compared of a request: the fields that both forms have, with counts of 64 bits as texts. */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== "object" || value === null) return value
  const left = [
    "scope", "kind", "flags", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount", "links", "traceState",
    "severityNumber", "severityText", "schemaUrl"
  ]
  return Object.fromEntries(Object.entries(value).flatMap(([name, own]) => {
    if (left.includes(name) || own === undefined || (Array.isArray(own) && own.length === 0)) return []
    return [[name, name === "intValue" ? String(own) : comparable(own)]]
  }))
}

describe("a request of OTLP in protobuf", () => {
  it("reads as the same request in JSON", () => {
    const all = spans()
    const read = readOtlpProtobuf(ProtobufTraceSerializer.serializeRequest(all) ?? new Uint8Array(), "traces", limits)
    assert.deepStrictEqual(comparable(read), comparable(json(JsonTraceSerializer.serializeRequest(all))))
    const logs = records()
    const readLogs = readOtlpProtobuf(ProtobufLogsSerializer.serializeRequest(logs) ?? new Uint8Array(), "logs", limits)
    assert.deepStrictEqual(comparable(readLogs), comparable(json(JsonLogsSerializer.serializeRequest(logs))))
  })

  it("has the calls that it has in JSON", () => {
    const all = spans()
    const read = readOtlpProtobuf(ProtobufTraceSerializer.serializeRequest(all) ?? new Uint8Array(), "traces", limits)
    const { calls, leftOut } = readExport(read ?? {}, nowMs)
    assert.lengthOf(calls, 1)
    assert.deepInclude(calls[0], {
      modelId: "gpt-5-mini", inputTokens: 870, outputTokens: 126, costUsd: 0.000465, latencyMs: 1_000, quality: 1,
      evidenceSource: "judge", isInfraFailure: true
    })
    assert.deepStrictEqual(leftOut, [{ reason: "not_a_call", detail: "invoke_agent" }])
  })

  it("is refused where it is cut off, changed or too large, and never throws", () => {
    const bytes = ProtobufTraceSerializer.serializeRequest(spans()) ?? new Uint8Array()
    for (let end = 1; end < bytes.length; end++) assert.isNull(readOtlpProtobuf(bytes.subarray(0, end), "traces", limits))
    for (let at = 0; at < bytes.length; at++) {
      readOtlpProtobuf(bytes.with(at, 0xff), "traces", limits)
      readOtlpProtobuf(bytes.with(at, 0), "logs", limits)
    }
    assert.isNull(readOtlpProtobuf(bytes, "traces", { ...limits, values: 20 }))
    assert.isNull(readOtlpProtobuf(bytes, "traces", { ...limits, depth: 3 }))
    assert.deepStrictEqual(readOtlpProtobuf(new Uint8Array(), "traces", limits), {})
    // A group, which no message of OTLP has, and a length beyond 2^53.
    assert.isNull(readOtlpProtobuf(new Uint8Array([0x0b]), "traces", limits))
    assert.isNull(readOtlpProtobuf(new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), "traces", limits))
  })

  it("passes by fields that it does not know", () => {
    const unknown = [0x98, 0x06, 0x05, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xaa, 0x06, 0x02, 1, 2, 0xb5, 0x06, 1, 2, 3, 4]
    assert.deepStrictEqual(readOtlpProtobuf(new Uint8Array(unknown), "traces", limits), {})
  })
})
