/* Reads OTLP in JSON, as the Collector's file exporter writes it. The attributes are those of the semantic
   conventions 1.27 to 1.41, of the GenAI conventions 0.1, and of OpenLLMetry. */
import { besideIn, countsOf, serviceTierNames } from "../../../packages/client/src/otel/Counts.ts"
import { parse } from "../../domain/RecommendationId.ts"
import { type FoundLabel, scoreOf } from "../labels/FoundLabel.ts"
import type { FoundSpan } from "../labels/NestingTable.ts"
import type { LeftOut } from "../LoggedCall.ts"
import { calledIn } from "./CalledVariant.ts"
import { claudeCodeIdOf, eventNameOf, readAgentRecord } from "./AgentRecords.ts"
import { promptOfSpan, promptsOfRecord } from "./OpenTelemetryPrompts.ts"
import { type Attributes, attributesOf, listOf, logsPath, membersOf, spanKey } from "./OtlpValue.ts"
import {
  callDateOf, callOf, isLeftOut, nothing, type ReadContext, type ReadLabels, type ReadNesting, type ReadRow,
  type RowContent, rowIdOf, without
} from "./Read.ts"
import { tokensFrom } from "./Tokens.ts"
import {
  countOf, dateOf, isRow, millisBetween, millisOf, type Row, textOf, type UnusableFields, usdOf
} from "./Values.ts"

const spansPath = ["resourceSpans", "scopeSpans", "spans"] as const
const metricsPath = ["resourceMetrics", "scopeMetrics", "metrics"] as const

/** The attribute with which Sextant's clients mark a span with its recommendation. */
const recommendationAttribute = "sextant.recommendation_id"

/** An evaluation (since 1.37) is an event of the call's span, a log record, or a span below the call. */
const evaluation = "gen_ai.evaluation.result"

const chat: ReadonlySet<string> = new Set(["chat", "text_completion", "generate_content", "completion"])
const otherModels = /embed|rerank|image|speech|audio/

const responseKey = (responseId: unknown): string => `response\n${textOf(responseId) ?? ""}`

/** The source of an evaluation's label is `judge`, because most evaluators are models. */
const labelOf = (attributes: Attributes, key: string): FoundLabel => ({
  key,
  name: textOf(attributes.get("gen_ai.evaluation.name")) ?? "",
  value: scoreOf(
    attributes.get("gen_ai.evaluation.score.value"),
    attributes.get("gen_ai.evaluation.score.label")
  ),
  source: "judge"
})

const labelsOfSpan = (span: Row): ReadonlyArray<FoundLabel> => {
  const own = span.name === evaluation
    ? [labelOf(attributesOf(span), spanKey(span.traceId, span.parentSpanId))]
    : []
  const events = listOf(span.events).filter(isRow).filter((event) => event.name === evaluation)
  return [...own, ...events.map((event) => labelOf(attributesOf(event), spanKey(span.traceId, span.spanId)))]
}

const labelsOfRecord = (record: Row): ReadonlyArray<FoundLabel> => {
  const attributes = attributesOf(record)
  if (eventNameOf(record, attributes) !== evaluation) return []
  const isOfSpan = textOf(record.spanId) !== null
  return [labelOf(attributes, isOfSpan
    ? spanKey(record.traceId, record.spanId)
    : responseKey(attributes.get("gen_ai.response.id")))]
}

export const readOtelLabels: ReadLabels = (row) => [
  ...membersOf(row, spansPath).flatMap(({ one }) => labelsOfSpan(one)),
  ...membersOf(row, logsPath).flatMap(({ one }) => labelsOfRecord(one))
]

const tokensOf = (attributes: Attributes, modelId: string, unusable: UnusableFields) => {
  const counts = countsOf((...names) => countOf(attributes.get(...names), names[0] ?? "", unusable))
  const provider = textOf(attributes.get("gen_ai.provider.name", "gen_ai.system", "ai.model.provider"))
  return tokensFrom(counts, besideIn([modelId, provider], attributes.has))
}

/** Converts seconds, as in the conventions, to milliseconds; null without a usable duration. */
const secondsOf = (value: unknown, name: string, unusable: UnusableFields): number | null => {
  const seconds = typeof value === "number" || typeof value === "string" ? Number(value) : NaN
  if (value === undefined) return null
  return millisOf(Number.isNaN(seconds) ? value : seconds * 1_000, name, unusable)
}

const shown = (name: unknown): string | null => textOf(name)?.slice(0, 40) ?? null

/** Returns the reason why a span is no call of a chat model; null if the span is such a call. */
const notACall = (span: Row, attributes: Attributes): LeftOut | null => {
  const operation = textOf(attributes.get("gen_ai.operation.name", "llm.request.type"))
  const isOfModel = attributes.has("gen_ai.request.model") || attributes.has("gen_ai.response.model")
  if (operation === null ? isOfModel : chat.has(operation)) return null
  if (operation !== null) {
    return { reason: otherModels.test(operation) ? "not_chat" : "not_a_call", detail: operation }
  }
  // Codex's calls are counted by its log records, because its spans name no model.
  const isCounted = attributes.has("gen_ai.usage.input_tokens")
  return { reason: isCounted ? "no_model" : "not_a_call", detail: shown(span.name) }
}

/**
 * Returns true for a span that begins another task, such as a tool. A call inside a tool's span is not the
 * same call as the one around the tool.
 */
const isTask = (attributes: Attributes): boolean => {
  const operation = textOf(attributes.get("gen_ai.operation.name"))
  const kind = attributes.get("traceloop.span.kind")
  return (operation !== null && !chat.has(operation)) || kind === "tool" || kind === "agent"
}

export const readOtelNesting: ReadNesting = (row) =>
  membersOf(row, spansPath).filter(({ one }) => one.name !== evaluation).map(({ one }): FoundSpan => {
    const attributes = attributesOf(one)
    const key = spanKey(one.traceId, one.spanId)
    const parentKey = spanKey(one.traceId, one.parentSpanId)
    const isInside = textOf(one.parentSpanId) !== null && parentKey !== key && !isTask(attributes)
    return { key, parentKey: isInside ? parentKey : null, isCall: notACall(one, attributes) === null }
  })

const isError = (status: unknown): boolean =>
  isRow(status) && (status.code === 2 || status.code === "2" || status.code === "STATUS_CODE_ERROR")

const tagsOf = (attributes: Attributes, resource: unknown): ReadonlyArray<string> => {
  const ofResource = isRow(resource) ? attributesOf(resource) : attributes
  const service = textOf(ofResource.get("service.name"))
  const found = {
    service: service?.startsWith("unknown_service") === true ? null : service,
    prompt: textOf(attributes.get("gen_ai.prompt.name")),
    agent: textOf(attributes.get("gen_ai.agent.name", "agent.name", "ai.telemetry.functionId")),
    // No convention has an attribute for a team. The guide of Claude Code sets `team.id`.
    team: textOf(attributes.get("team.id", "team")) ?? textOf(ofResource.get("team.id", "team"))
  }
  return Object.entries(found).flatMap(([name, value]) => value === null ? [] : [`${name}:${value}`])
}

const readSpan = (span: Row, resource: unknown, i: number, context: ReadContext): RowContent => {
  const { contentSha256, labels, nesting, nowMs, prompts } = context
  const attributes = attributesOf(span)
  const why = notACall(span, attributes)
  if (why !== null) return without(why.reason, why.detail)
  const key = spanKey(span.traceId, span.spanId)
  if (nesting.isAroundCall(key)) return without("not_a_call", "a span around the call's own")
  const modelId = textOf(attributes.get("gen_ai.response.model", "gen_ai.request.model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(span.startTimeUnixNano, nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const responseId = textOf(attributes.get("gen_ai.response.id"))
  const label = labels.find(responseId === null ? [key] : [key, responseKey(responseId)])
  const recorded = prompts.find(key)
  const recommendationId = parse(textOf(attributes.get(recommendationAttribute)) ?? "")
  const firstChunk = "gen_ai.response.time_to_first_chunk"
  const ownId = textOf(span.spanId) === null ? `row:${contentSha256()}:${i}` : key.replace("\n", ":")
  return callOf({
    id: rowIdOf(
      (span.name === "claude_code.llm_request" ? claudeCodeIdOf(attributes) : null) ?? ownId, context
    ),
    at,
    prompt: promptOfSpan(span, attributes) ?? recorded,
    ...(recommendationId === null ? {} : { recommendationId }),
    ...calledIn(modelId, attributes),
    ...tokensOf(attributes, modelId, unusable),
    serviceTier: textOf(attributes.get(...serviceTierNames)),
    // No convention has an attribute for the cost, but several instrumentations write `gen_ai.usage.cost`.
    costUsd: usdOf(attributes.get("gen_ai.usage.cost"), "gen_ai.usage.cost", unusable),
    latencyMs: millisBetween(at, dateOf(span.endTimeUnixNano)),
    timeToFirstTokenMs: secondsOf(
      attributes.get(
        firstChunk, "gen_ai.client.operation.time_to_first_chunk", "gen_ai.server.time_to_first_token"
      ), firstChunk, unusable
    ) ?? millisOf(attributes.get("ai.response.msToFirstChunk", "ttft_ms"), "ttft_ms", unusable),
    userId: textOf(attributes.get("user.id", "enduser.id")),
    sessionId: textOf(attributes.get("session.id", "gen_ai.conversation.id")),
    tags: tagsOf(attributes, resource),
    quality: label?.quality ?? null,
    evidenceSource: label?.evidenceSource ?? null,
    isInfraFailure: isError(span.status)
  }, unusable)
}

/** Reads a log record; a record with a prompt or a label gives no call, and is not reported as left out. */
const readRecord = (record: Row, resource: unknown, context: ReadContext): RowContent => {
  const attributes = attributesOf(record)
  const call = readAgentRecord(record, tagsOf(attributes, resource), context)
  if (call !== null) return call
  const name = eventNameOf(record, attributes)
  const isPart = name === evaluation || promptsOfRecord(record).length > 0
  return isPart ? nothing : without("not_a_call", shown(name) ?? "a record without a name")
}

/** Reads a row of many spans, records or metrics. Metrics are sums and not calls, so they are left out. */
export const readOtelRow: ReadRow = (row, context) => {
  const read = [
    ...membersOf(row, spansPath).filter(({ one }) => one.name !== evaluation)
      .map(({ one, resource }, i) => readSpan(one, resource, i, context)),
    ...membersOf(row, logsPath).map(({ one, resource }) => readRecord(one, resource, context)),
    ...membersOf(row, metricsPath).map(({ one }) => without("not_a_call", `the metric ${shown(one.name)}`))
  ]
  return { calls: read.flatMap(({ calls }) => calls), leftOut: read.flatMap(({ leftOut }) => leftOut) }
}
