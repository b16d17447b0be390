/* The formats of logs. A format is recognised by the fields of a row. */
import type { LogFormat } from "../LoggedCall.ts"
import { readHeliconeRow } from "./Helicone.ts"
import { isScoreRow, readLangfuseLabels, readLangfuseRow } from "./Langfuse.ts"
import { readLiteLlmRow } from "./LiteLlm.ts"
import { readOpenRouterRow } from "./OpenRouter.ts"
import { readOtelLabels, readOtelNesting, readOtelRow } from "./OpenTelemetry.ts"
import { readOtelPrompts } from "./OpenTelemetryPrompts.ts"
import { readOwnRow } from "./OwnFormat.ts"
import type { ReadLabels, ReadNesting, ReadPrompts, ReadRow } from "./Read.ts"
import { isRow, type Row } from "./Values.ts"

interface Format {
  readonly read: ReadRow
  /** Read labels, prompts and spans that are not in their calls' rows; absent if the format has none. */
  readonly parts?: {
    readonly readLabels: ReadLabels
    readonly readPrompts?: ReadPrompts
    readonly readNesting?: ReadNesting
  }
  /** Tests for field names that usually occur together in no other format. */
  readonly isOf: (row: Row) => boolean
}

const has = (row: Row, ...names: ReadonlyArray<string>): boolean =>
  names.every((name) => Object.hasOwn(row, name))
const hasAny = (row: Row, ...names: ReadonlyArray<string>): boolean =>
  names.some((name) => Object.hasOwn(row, name))

/** Fields of which each row of Sextant's own format has at least one, besides its model and date. */
const ownFields = [
  "prompt", "messages", "cost_usd", "tokens", "input_tokens", "output_tokens", "score", "quality_score",
  "evidence_source", "task_type", "latency_ms", "tags"
] as const

const isOwn = (row: Row): boolean =>
  hasAny(row, "model", "model_id") && hasAny(row, "at", "timestamp") && hasAny(row, ...ownFields)

const isObservation = (row: Row): boolean =>
  hasAny(row, "trace_id", "traceId") && has(row, "type") && hasAny(row, "start_time", "startTime")

/** Returns true for a trace. Langfuse exports traces, which are no calls, between the observations. */
const isTrace = (row: Row): boolean => has(row, "id", "timestamp", "bookmarked") && !hasAny(row, "model")

const isGeneration = (row: Row): boolean =>
  has(row, "generation_id", "model_permaslug") || hasAny(row, "generation_time", "generationTime") ||
  hasAny(row, "native_tokens_prompt", "nativeTokensPrompt")

const own: Format = { read: readOwnRow, isOf: isOwn }

export const formats: Readonly<Record<LogFormat, Format>> = {
  litellm: {
    read: readLiteLlmRow,
    isOf: (row) => has(row, "request_id", "startTime") && hasAny(row, "call_type", "spend")
  },
  langfuse: {
    read: readLangfuseRow,
    parts: { readLabels: readLangfuseLabels },
    isOf: (row) => isObservation(row) || isScoreRow(row) || isTrace(row)
  },
  helicone: { read: readHeliconeRow, isOf: (row) => has(row, "request_id", "request_created_at") },
  openrouter: {
    read: readOpenRouterRow,
    isOf: (row) => isGeneration(isRow(row.data) ? row.data : row)
  },
  otel: {
    read: readOtelRow,
    parts: { readLabels: readOtelLabels, readPrompts: readOtelPrompts, readNesting: readOtelNesting },
    isOf: (row) =>
      hasAny(row, "resourceSpans", "resourceLogs", "resourceMetrics") ||
      hasAny(row, "scopeSpans", "scopeLogs", "scopeMetrics")
  },
  jsonl: own,
  csv: own
}
