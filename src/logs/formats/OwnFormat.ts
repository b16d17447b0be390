/* Reads Sextant's own format, JSON Lines or CSV: `id, at, prompt, model, cost_usd, tokens, score,
   evidence_source, tags, task_type`, and the measured fields of a feedback. */
import { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import { difficulties, taskTypes } from "../../domain/Task.ts"
import type { LeftOut } from "../LoggedCall.ts"
import { promptOf } from "./Prompt.ts"
import { callDateOf, callOf, isLeftOut, type ReadRow, rowIdOf, without } from "./Read.ts"
import { tokensIn } from "./Tokens.ts"
import {
  countOf, isRow, isSet, millisOf, parsedOf, type Row, tagsOf, textOf, type UnusableFields, usdOf
} from "./Values.ts"

/** Returns the value if it is one of `words` in any case; else returns null and adds a text to `unusable`. */
const wordOf = <A extends string>(
  words: ReadonlyArray<A>, value: unknown, name: string, unusable: UnusableFields
): A | null => {
  const text = textOf(value)
  const word = words.find((each) => each === text?.toLowerCase())
  if (text !== null && word === undefined) unusable.push(`${name}: ${text.slice(0, 40)}`)
  return word ?? null
}

/** Returns a label in [0, 1], or the reason to leave it out; null if there is no label. */
const labelOf = (value: unknown): number | LeftOut | null => {
  const text = textOf(value)?.trim() ?? ""
  if (text === "") return null
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true" ? 1 : 0
  const score = Number(text)
  if (Number.isNaN(score)) return { reason: "label_not_numeric", detail: text.slice(0, 40) }
  return score >= 0 && score <= 1 ? score : { reason: "label_out_of_range", detail: text.slice(0, 40) }
}

/** Returns the numbers of tokens, from fields of the row or of an object `tokens`. */
const tokensOf = (row: Row, modelId: string, unusable: UnusableFields) => {
  const parsed = parsedOf(row.tokens)
  const tokens = isRow(parsed) ? parsed : {}
  const count = (name: string, short: string) => countOf(row[name] ?? tokens[short], name, unusable)
  return tokensIn("jsonl", {
    input: count("input_tokens", "input"),
    cacheRead: count("cached_input_tokens", "cached_input"),
    cacheWrite: count("cache_write_input_tokens", "cache_write_input"),
    output: count("output_tokens", "output"),
    reasoning: count("reasoning_tokens", "reasoning")
  }, modelId)
}

export const readOwnRow: ReadRow = (row, context) => {
  const modelId = textOf(row.model ?? row.model_id)
  if (modelId === null) return without("no_model")
  const at = callDateOf(row.at ?? row.timestamp, context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const label = labelOf(row.score ?? row.quality_score)
  const evidenceSource = wordOf(EvidenceSource.literals, row.evidence_source, "evidence_source", unusable)
  const isUnjudged = evidenceSource === "none" || evidenceSource === "self_check"
  const score = evidenceSource === "no_result" ? 0 : typeof label === "number" ? label : null
  const quality = isUnjudged ? null : score
  return callOf({
    id: rowIdOf(row.id, context),
    at,
    prompt: promptOf(row.prompt ?? row.messages),
    modelId,
    effort: textOf(row.effort),
    ...tokensOf(row, modelId, unusable),
    serviceTier: textOf(row.service_tier),
    webSearches: countOf(row.web_searches, "web_searches", unusable),
    costUsd: usdOf(row.cost_usd, "cost_usd", unusable),
    latencyMs: millisOf(row.latency_ms, "latency_ms", unusable),
    timeToFirstTokenMs: millisOf(row.time_to_first_token_ms, "time_to_first_token_ms", unusable),
    taskId: textOf(row.task_id),
    userId: textOf(row.user_id),
    tags: tagsOf(row.tags),
    taskType: wordOf(taskTypes, row.task_type, "task_type", unusable),
    difficulty: wordOf(difficulties, row.difficulty, "difficulty", unusable),
    quality,
    evidenceSource: quality === null ? null : evidenceSource,
    isInfraFailure: row.error_cause === "infra" || isSet(row.is_infra_failure)
  }, unusable, typeof label === "number" || label === null ? [] : [label])
}
