/* Reads Langfuse's observations and scores. Exports to blob storage have fields in snake case (Langfuse 3 and
   4, legacy and enriched). Langfuse's page and API write camel case. */
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

/** Observations have no field `source`, and scores have no start time. */
export const isScoreRow = (row: Row): boolean =>
  sourceWords.has(textOf(row.source) ?? "") && firstOf(row, "start_time", "startTime") === undefined
  && firstOf(row, "value", "string_value", "stringValue") !== undefined

/** Names that applications often give to scores by persons. */
const ofPerson = /feedback|thumb|user|human/i

/** A score over the API counts as a person's by its name, else as a check if it is a boolean. */
const evidenceOf = (source: string, name: string, dataType: string | null): EvidenceSource | null => {
  if (source === "ANNOTATION") return "human"
  if (source === "EVAL") return "judge"
  if (ofPerson.test(name)) return "human"
  return dataType === "BOOLEAN" ? "gate" : null
}

const keyOf = (traceId: unknown, observationId: unknown): string =>
  `${textOf(traceId) ?? ""}\n${textOf(observationId) ?? ""}`

/** A score that names no observation is for the calls of its trace that have no score of their own. */
export const readLangfuseLabels: ReadLabels = (row): ReadonlyArray<FoundLabel> => {
  if (!isScoreRow(row)) return []
  const name = textOf(row.name) ?? ""
  const dataType = textOf(firstOf(row, "data_type", "dataType"))
  const word = firstOf(row, "string_value", "stringValue")
  // The value of a categorical score is the index of its category in a list.
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

/** Names of the counts of cached and reasoning tokens. */
const partNames = {
  cacheRead: ["input_cached_tokens", "cache_read_input_tokens", "input_cache_read"],
  cacheWrite: ["cache_creation_input_tokens", "input_cache_creation", "input_cache_write"],
  reasoning: ["reasoning_tokens", "output_reasoning_tokens", "output_reasoning"]
} as const

/**
 * Langfuse's parts do not overlap: `input` does not include `input_cached_tokens`. Some programs send counts
 * that overlap, which the count `total` reveals.
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
    // An unknown count that is not output is input if there is a `total` or its name contains `input`.
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
    // The field `latency` is not read, because its unit changed from milliseconds to seconds.
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
