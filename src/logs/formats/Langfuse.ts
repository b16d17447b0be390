/*
 * Reads Langfuse's observations and scores: the files of its export to blob storage (Langfuse 3 and 4, legacy
 * and enriched, fields in snake case), and those of its export from the page and of its API (camel case).
 */
import type { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import { type FoundLabel, scoreOf } from "../labels/FoundLabel.ts"
import { calledBy } from "./CalledVariant.ts"
import { promptOf } from "./Prompt.ts"
import {
  callDateOf, callOf, isLeftOut, nothing, type ReadLabels, type ReadRow, rowIdOf, without
} from "./Read.ts"
import { firstOf, knownCost, serviceTierOf } from "./RequestBody.ts"
import { tokensIn } from "./Tokens.ts"
import {
  countOf, dateOf, isRow, millisBetween, parsedOf, type Row, tagsOf, textOf, type UnusableFields, usdOf
} from "./Values.ts"

const sourceWords: ReadonlySet<string> = new Set(["ANNOTATION", "EVAL", "API"])

/** Whether a row is a score: observations have no source, and scores no start. */
export const isScoreRow = (row: Row): boolean =>
  sourceWords.has(textOf(row.source) ?? "") && firstOf(row, "start_time", "startTime") === undefined
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
    source: evidenceOf(textOf(row.source) ?? "", name, dataType)
  }]
}

const wholes: ReadonlySet<string> = new Set(["input", "output", "total"])
const isOutput = (name: string): boolean => /output|reasoning/.test(name)

/** Spellings of the parts that are counted by themselves; all others are output or input by their names. */
const partNames = {
  cacheRead: ["input_cached_tokens", "cache_read_input_tokens", "input_cache_read"],
  cacheWrite: ["cache_creation_input_tokens", "input_cache_creation", "input_cache_write"],
  reasoning: ["reasoning_tokens", "output_reasoning_tokens", "output_reasoning"]
} as const

/**
 * Counts of `usage_details`. Langfuse keeps its parts disjoint: `input` is what is left beside
 * `input_cached_tokens`. Programs that send it counts do not all do so, which `total` shows.
 */
const tokensOf = (row: Row, modelId: string, unusable: UnusableFields) => {
  const parsed = parsedOf(firstOf(row, "usage_details", "usageDetails", "usage"))
  const usage = isRow(parsed) ? parsed : {}
  const count = (...names: ReadonlyArray<string>) =>
    countOf(firstOf(usage, ...names), names[0] ?? "", unusable)
  const known: ReadonlySet<string> = new Set(Object.values(partNames).flat())
  const others = Object.keys(usage).filter((name) => !wholes.has(name) && !known.has(name))
  const sumOf = (names: ReadonlyArray<string>): number =>
    names.reduce((sum, name) => sum + (count(name) ?? 0), 0)
  const total = count("total")
  return tokensIn("langfuse", {
    input: count("input"),
    output: count("output"),
    total,
    cacheRead: count(...partNames.cacheRead),
    cacheWrite: count(...partNames.cacheWrite),
    reasoning: count(...partNames.reasoning),
    otherOutput: sumOf(others.filter(isOutput)),
    // A name that says neither may be no count of tokens: the total tells.
    otherInput: sumOf(others.filter((name) =>
      !isOutput(name) && (total !== null || name.includes("input"))
    ))
  }, modelId)
}

export const readLangfuseRow: ReadRow = (row, context) => {
  if (isScoreRow(row)) return nothing
  const type = textOf(row.type)
  if (type !== "GENERATION") return without(type === "EMBEDDING" ? "not_chat" : "not_a_call", type)
  const modelId = textOf(firstOf(row, "provided_model_name", "providedModelName", "model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(firstOf(row, "start_time", "startTime"), context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const tokens = tokensOf(row, modelId, unusable)
  const cost = usdOf(firstOf(row, "total_cost", "totalCost", "calculatedTotalCost"), "total_cost", unusable)
  const traceId = firstOf(row, "trace_id", "traceId")
  const prompt = textOf(firstOf(row, "prompt_name", "promptName"))
  const label = context.labels.find([keyOf(traceId, row.id), keyOf(traceId, null)])
  const parameters = parsedOf(firstOf(row, "model_parameters", "modelParameters"))
  const dated = (...names: ReadonlyArray<string>) => dateOf(firstOf(row, ...names))
  return callOf({
    id: rowIdOf(row.id, context),
    at,
    prompt: promptOf(row.input),
    ...calledBy(modelId, parameters),
    serviceTier: serviceTierOf(parameters),
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
