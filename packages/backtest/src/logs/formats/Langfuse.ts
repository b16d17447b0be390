/*
 * Reads Langfuse's observations and scores: the files of its export to blob storage (Langfuse 3 and 4, legacy
 * and enriched, fields in snake case), and those of its export from the page and of its API (camel case).
 */
import type { EvidenceSource } from "../../../../../src/domain/Feedback.ts"
import { type FoundLabel, scoreOf } from "../labels/FoundLabel.ts"
import { promptOf } from "./Prompt.ts"
import {
  callDateOf, callOf, isLeftOut, nothing, type ReadLabels, type ReadRow, rowIdOf, without
} from "./Read.ts"
import { effortOf, firstOf, knownCost } from "./RequestBody.ts"
import {
  countOf, dateOf, isRow, millisBetween, parsedOf, type Row, tagsOf, textOf, type Unusable, usdOf
} from "./Values.ts"

const sourceWords: ReadonlySet<string> = new Set(["ANNOTATION", "EVAL", "API"])

/** Whether a row is a score: observations have no source, and scores no start. */
export const isScoreRow = (row: Row): boolean =>
  sourceWords.has(String(row.source)) && firstOf(row, "start_time", "startTime") === undefined
  && firstOf(row, "value", "string_value", "stringValue") !== undefined

/** Names of scores that applications send for what a person clicked. */
const ofPerson = /feedback|thumb|user|human/i

/**
 * Who gave a score. One sent over the API is a check of the application where it is true or false; a number
 * may come from anything, and its source is not known.
 */
const evidenceOf = (source: string, name: string, dataType: string | null): EvidenceSource | null => {
  if (source === "ANNOTATION") return "human"
  if (source === "EVAL") return "judge"
  if (ofPerson.test(name)) return "human"
  return dataType === "BOOLEAN" ? "gate" : null
}

const keyOf = (traceId: unknown, observationId: unknown): string =>
  `${textOf(traceId) ?? ""}\n${textOf(observationId) ?? ""}`

/** The score of a row. One of a whole trace, without an observation, is of each call in it. */
export const readLangfuseLabels: ReadLabels = (row): ReadonlyArray<FoundLabel> => {
  if (!isScoreRow(row)) return []
  const name = textOf(row.name) ?? ""
  const dataType = textOf(firstOf(row, "data_type", "dataType"))
  const word = firstOf(row, "string_value", "stringValue")
  // The value of a category is its number in a list, and no score.
  const value = dataType === "CATEGORICAL" ? undefined : row.value
  return [{
    key: keyOf(firstOf(row, "trace_id", "traceId"), firstOf(row, "observation_id", "observationId")),
    name,
    value: scoreOf(value, word),
    source: evidenceOf(String(row.source), name, dataType)
  }]
}

/** Parts of a usage: `input_cached_tokens`, `cache_read_input_tokens`, `output_reasoning_tokens`. */
const isInput = (name: string): boolean => name.includes("input") && name !== "input"
const isOutput = (name: string): boolean =>
  (name.includes("output") || name.includes("reasoning")) && name !== "output"

/**
 * Counts of `usage_details`. Langfuse keeps its parts disjoint: `input` is what is left beside
 * `input_cached_tokens`. Where `total` is the sum of `input` and `output` alone, the parts are within them.
 */
const tokensOf = (row: Row, unusable: Unusable) => {
  const parsed = parsedOf(firstOf(row, "usage_details", "usageDetails", "usage"))
  const usage = isRow(parsed) ? parsed : {}
  const count = (value: unknown, name: string) => countOf(value, name, unusable)
  const input = count(usage.input, "input")
  const output = count(usage.output, "output")
  const total = Number(usage.total ?? NaN)
  const isWithin = total === (input ?? 0) + (output ?? 0)
  const sumOf = (own: number | null, isPart: (name: string) => boolean): number | null => {
    const parts = Object.entries(usage).filter(([name]) => isPart(name))
    if (isWithin || parts.length === 0) return own
    return parts.reduce((sum, [name, value]) => sum + (count(value, name) ?? 0), own ?? 0)
  }
  const cached = firstOf(usage, "input_cached_tokens", "cache_read_input_tokens", "input_cache_read")
  const reasoning = firstOf(usage, "reasoning_tokens", "output_reasoning_tokens", "output_reasoning")
  return {
    inputTokens: sumOf(input, isInput),
    cachedInputTokens: count(cached, "input_cached_tokens"),
    outputTokens: sumOf(output, isOutput),
    reasoningTokens: count(reasoning, "reasoning_tokens")
  }
}

export const readLangfuseRow: ReadRow = (row, context) => {
  if (isScoreRow(row)) return nothing
  const type = textOf(row.type)
  if (type !== "GENERATION") return without(type === "EMBEDDING" ? "not_chat" : "not_a_call", type)
  const modelId = textOf(firstOf(row, "provided_model_name", "providedModelName", "model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(firstOf(row, "start_time", "startTime"), context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: Unusable = []
  const tokens = tokensOf(row, unusable)
  const cost = usdOf(firstOf(row, "total_cost", "totalCost", "calculatedTotalCost"), "total_cost", unusable)
  const traceId = firstOf(row, "trace_id", "traceId")
  const prompt = textOf(firstOf(row, "prompt_name", "promptName"))
  const label = context.labels.find([keyOf(traceId, row.id), keyOf(traceId, null)])
  const dated = (...names: ReadonlyArray<string>) => dateOf(firstOf(row, ...names))
  return callOf({
    id: rowIdOf(row.id, context),
    at,
    prompt: promptOf(row.input),
    modelId,
    effort: effortOf(parsedOf(firstOf(row, "model_parameters", "modelParameters"))),
    ...tokens,
    costUsd: knownCost(cost, tokens.outputTokens),
    // From the times: the unit of `latency` has been milliseconds and is seconds.
    latencyMs: millisBetween(at, dated("end_time", "endTime")),
    timeToFirstTokenMs: millisBetween(at, dated("completion_start_time", "completionStartTime")),
    userId: textOf(firstOf(row, "user_id", "userId")),
    tags: [
      ...tagsOf(firstOf(row, "tags", "trace_tags", "traceTags")),
      ...(prompt === null ? [] : [`prompt:${prompt}`])
    ],
    quality: label?.quality ?? null,
    evidenceSource: label?.evidenceSource ?? null,
    isInfraFailure: row.level === "ERROR"
  }, unusable)
}
