/* Reads Helicone's requests: rows of `HeliconeRequest` from `POST /v1/request/query` and `query-clickhouse`
   (2024 to 2026). */
import type { LeftOut } from "../LoggedCall.ts"
import { calledBy } from "./CalledVariant.ts"
import { promptOf } from "./Prompt.ts"
import { callDateOf, callOf, isLeftOut, type ReadRow, rowIdOf, without } from "./Read.ts"
import { firstOf, knownCost, serviceTierOf, webSearchesOf } from "./RequestBody.ts"
import { tokensIn } from "./Tokens.ts"
import {
  countOf, isRow, isSet, millisOf, parsedOf, type Row, textOf, type UnusableFields, usdOf
} from "./Values.ts"

const otherPath = /\/(?:embeddings?|images?|audio|moderations?|rerank|speech|transcriptions?)\b|:embed/

/** The value of `cache_reference_id` for a call that no cache answered. */
const noRequest = "00000000-0000-0000-0000-000000000000"

/** Ending of the names of boolean scores; other scores may have any scale. */
const booleanScore = "-hcone-bool"

interface RequestLabel {
  readonly quality: number | null
  readonly evidenceSource: "human" | "judge" | null
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Returns a person's rating, otherwise the mean of the boolean scores by evaluators. */
const labelOf = (row: Row): RequestLabel => {
  const parsed = parsedOf(row.scores)
  const scores = Object.entries(isRow(parsed) ? parsed : {})
  const [, feedback] = scores.find(([name]) => name === "helicone-score-feedback") ?? []
  const rating = firstOf(row, "feedback_rating") ?? feedback
  if (rating !== undefined) return { quality: isSet(rating) ? 1 : 0, evidenceSource: "human", leftOut: [] }
  const found = scores.filter(([name]) => name.endsWith(booleanScore))
    .map(([, value]): number => isSet(value) ? 1 : 0)
  const leftOut = scores.filter(([name]) => !name.endsWith(booleanScore))
    .map(([name]): LeftOut => ({ reason: "label_out_of_range", detail: name.slice(0, 40) }))
  if (found.length === 0) return { quality: null, evidenceSource: null, leftOut }
  const quality = found.reduce((sum, one) => sum + one, 0) / found.length
  return { quality, evidenceSource: "judge", leftOut }
}

const tagsOf = (row: Row): ReadonlyArray<string> => {
  const properties = [parsedOf(row.properties), parsedOf(row.request_properties)].find(isRow) ?? {}
  return Object.entries(properties).flatMap(([name, value]) =>
    name.startsWith("Helicone-") || textOf(value) === null ? [] : [`${name}:${textOf(value)}`])
}

/** `total_tokens` is not read, because it is only the sum of prompt and completion tokens. */
const tokensOf = (row: Row, modelId: string, unusable: UnusableFields) => {
  const count = (name: string) => countOf(row[name], name, unusable)
  return tokensIn("helicone", {
    input: count("prompt_tokens"),
    cacheRead: count("prompt_cache_read_tokens"),
    cacheWrite: count("prompt_cache_write_tokens"),
    output: count("completion_tokens"),
    reasoning: count("reasoning_tokens")
  }, modelId)
}

export const readHeliconeRow: ReadRow = (row, context) => {
  const body = parsedOf(row.request_body)
  const answer = parsedOf(row.response_body)
  const usage = isRow(answer) ? answer.usage : null
  // Helicone's own events have a field `_type`: `tool`, `vector_db` or `data`.
  if (isRow(body) && typeof body._type === "string") return without("not_a_call", body._type)
  const path = textOf(row.request_path)
  if (path !== null && otherPath.test(path)) return without("not_chat", path.slice(-40))
  const cachedFrom = textOf(row.cache_reference_id)
  if (cachedFrom !== null && cachedFrom !== noRequest) return without("cache_hit")
  const modelId = textOf(firstOf(row, "response_model", "model", "model_override", "request_model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(row.request_created_at, context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const tokens = tokensOf(row, modelId, unusable)
  const cost = usdOf(firstOf(row, "cost", "costUSD", "cost_usd"), "cost", unusable)
  const status = Number(textOf(row.response_status) ?? 200)
  const { leftOut, ...label } = labelOf(row)
  return callOf({
    id: rowIdOf(row.request_id, context),
    at,
    prompt: promptOf(body),
    ...calledBy(modelId, body),
    ...tokens,
    serviceTier: serviceTierOf(answer) ?? serviceTierOf(usage) ?? serviceTierOf(body),
    webSearches: webSearchesOf(usage, unusable),
    costUsd: knownCost(cost, tokens.outputTokens),
    latencyMs: millisOf(row.delay_ms, "delay_ms", unusable),
    timeToFirstTokenMs: millisOf(row.time_to_first_token, "time_to_first_token", unusable),
    tags: tagsOf(row),
    userId: textOf(firstOf(row, "request_user_id", "user_id")),
    ...label,
    // Helicone writes a status below 0 for a call that timed out, is pending, was cancelled or was blocked.
    isInfraFailure: !(status >= 200 && status < 400)
  }, unusable, leftOut)
}
