/* Reads OpenRouter's generations, which contain no prompt: answers of `GET /api/v1/generation` (2024 to
   2026), and the CSV of the page Activity. */
import { calledModel } from "./CalledVariant.ts"
import { callDateOf, callOf, isLeftOut, type ReadRow, rowIdOf, without } from "./Read.ts"
import { firstOf } from "./RequestBody.ts"
import { tokensIn } from "./Tokens.ts"
import { countOf, isRow, isSet, millisOf, type Row, textOf, type UnusableFields, usdOf } from "./Values.ts"

const otherApi = /embed|tts|speech|stt|transcri|image|audio|video|rerank/

/** Returns a field's name in camel case, as the official clients spell it. */
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Names of the CSV's columns, by the API's names. The API's field `tokens_prompt` counts other tokens than
 * the CSV's column `tokens_prompt`.
 */
const otherNames: Readonly<Record<string, string>> = {
  id: "generation_id",
  model: "model_permaslug",
  total_cost: "cost_total",
  upstream_inference_cost: "byok_usage_inference",
  native_tokens_prompt: "tokens_prompt",
  native_tokens_completion: "tokens_completion",
  native_tokens_cached: "tokens_cached",
  native_tokens_reasoning: "tokens_reasoning",
  latency: "generation_time_ms",
  time_to_first_token: "time_to_first_token_ms",
  external_user: "user",
  finish_reason: "finish_reason_normalized"
}

/**
 * `latency` is documented as the total time, but early versions of OpenRouter wrote the time to the first
 * token. A row is of an early version if the generation alone took longer than `latency`.
 */
const timesOf = (latency: number | null, generation: number | null) => {
  if (latency === null || generation === null) {
    return { latencyMs: latency ?? generation, timeToFirstTokenMs: null }
  }
  return latency >= generation
    ? { latencyMs: latency, timeToFirstTokenMs: null }
    : { latencyMs: latency + generation, timeToFirstTokenMs: latency }
}

/** OpenRouter's cost leaves out the provider's bill if callers use their own provider key. */
const costOf = (field: (name: string) => unknown, unusable: UnusableFields): number | null => {
  const usd = (name: string) => usdOf(field(name), name, unusable)
  const cost = usd("total_cost") ?? usd("usage")
  const upstream = usd("upstream_inference_cost")
  if (isSet(field("is_byok"))) return upstream === null ? null : upstream + (cost ?? 0)
  // The CSV has no `is_byok`, but its upstream cost is 0 unless callers used their own provider key.
  return cost !== null && field("is_byok") === undefined ? cost + (upstream ?? 0) : cost
}

export const readOpenRouterRow: ReadRow = (outer, context) => {
  const row: Row = isRow(outer.data) ? outer.data : outer
  const field = (name: string): unknown => {
    const other = otherNames[name] ?? name
    return firstOf(row, name, camel(name), other, camel(other))
  }
  const api = textOf(field("api_type"))
  if (api !== null && otherApi.test(api)) return without("not_chat", api)
  const modelId = textOf(field("model"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(field("created_at"), context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const count = (name: string) => countOf(field(name), name, unusable)
  const millis = (name: string) => millisOf(field(name), name, unusable)
  const times = timesOf(millis("latency"), millis("generation_time"))
  return callOf({
    id: rowIdOf(field("id"), context),
    at,
    ...calledModel(modelId),
    ...tokensIn("openrouter", {
      input: count("native_tokens_prompt"),
      cacheRead: count("native_tokens_cached"),
      output: count("native_tokens_completion"),
      reasoning: count("native_tokens_reasoning")
    }, modelId),
    costUsd: costOf(field, unusable),
    ...times,
    timeToFirstTokenMs: times.timeToFirstTokenMs ?? millis("time_to_first_token"),
    userId: textOf(field("external_user")),
    tags: [],
    isInfraFailure: field("finish_reason") === "error"
  }, unusable)
}
