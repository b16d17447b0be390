/*
 * Reads OpenRouter's generations, as `GET /api/v1/generation` answers (2024 to 2026), each with or without
 * `data` around it. They have no prompt. The activity, by day and model, is a sum of calls.
 */
import { callDateOf, callOf, isLeftOut, type ReadRow, rowIdOf, without } from "./Read.ts"
import { inputWithCached } from "./RequestBody.ts"
import { countOf, isRow, isSet, millisOf, type Row, textOf, type Unusable, usdOf } from "./Values.ts"

/** Kinds of API of models that do not chat. */
const otherApi = /embed|tts|speech|stt|transcri|image|audio|video|rerank/

/** The official clients spell the fields in camel case. */
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * `latency` is documented as the total; where the generation alone took longer, it was the time to the first
 * token, as older rows have it.
 */
const timesOf = (latency: number | null, generation: number | null) => {
  if (latency === null || generation === null) {
    return { latencyMs: latency ?? generation, timeToFirstTokenMs: null }
  }
  return latency >= generation
    ? { latencyMs: latency, timeToFirstTokenMs: null }
    : { latencyMs: latency + generation, timeToFirstTokenMs: latency }
}

/** The whole price: for a key of the caller's own, what its provider billed is not in OpenRouter's cost. */
const costOf = (field: (name: string) => unknown, unusable: Unusable): number | null => {
  const cost = usdOf(field("total_cost"), "total_cost", unusable) ?? usdOf(field("usage"), "usage", unusable)
  if (!isSet(field("is_byok"))) return cost
  const upstream = usdOf(field("upstream_inference_cost"), "upstream_inference_cost", unusable)
  return upstream === null ? null : upstream + (cost ?? 0)
}

export const readOpenRouterRow: ReadRow = (outer, context) => {
  const row: Row = isRow(outer.data) ? outer.data : outer
  const field = (name: string): unknown => row[name] ?? row[camel(name)]
  const api = textOf(field("api_type"))
  if (api !== null && otherApi.test(api)) return without("not_chat", api)
  const modelId = textOf(field("model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(field("created_at"), context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: Unusable = []
  const count = (name: string, other?: string) =>
    countOf(field(name) ?? (other === undefined ? undefined : field(other)), name, unusable)
  const cached = count("native_tokens_cached")
  const millis = (name: string) => millisOf(field(name), name, unusable)
  return callOf({
    id: rowIdOf(row.id, context),
    at,
    modelId,
    inputTokens: inputWithCached(count("native_tokens_prompt", "tokens_prompt"), cached),
    cachedInputTokens: cached,
    outputTokens: count("native_tokens_completion", "tokens_completion"),
    reasoningTokens: count("native_tokens_reasoning"),
    costUsd: costOf(field, unusable),
    ...timesOf(millis("latency"), millis("generation_time")),
    userId: textOf(field("external_user")),
    tags: [],
    isInfraFailure: field("finish_reason") === "error"
  }, unusable)
}
