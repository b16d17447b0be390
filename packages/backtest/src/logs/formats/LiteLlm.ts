/*
 * Reads LiteLLM's spend logs: rows of the table `LiteLLM_SpendLogs`, as `schema.prisma` of LiteLLM 1.50 to
 * 1.80 has it, exported from PostgreSQL or from `GET /spend/logs`.
 */
import { promptOf } from "./Prompt.ts"
import { callDateOf, callOf, isLeftOut, type ReadRow, rowIdOf, without } from "./Read.ts"
import { effortOf, firstOf, inputWithCached, knownCost } from "./RequestBody.ts"
import {
  countOf, dateOf, isRow, isSet, millisBetween, millisOf, parsedOf, type Row, tagsOf, textOf, type Unusable,
  usdOf
} from "./Values.ts"

/** Call types of chat models, each also with an `a` before it; a failure may have none. */
const chat = /completion|responses|anthropic_messages|generate_content/

/** Tags that LiteLLM adds by itself to every call. */
const isAdded = (tag: string): boolean => tag.startsWith("User-Agent:")

/**
 * Counts that have no column. `usage_object` is the provider's usage (1.60 and later),
 * `additional_usage_values` what of it is no column (earlier ones too).
 */
const usageOf = (metadata: unknown): Row => {
  if (!isRow(metadata)) return {}
  const usage = [metadata.usage_object, metadata.additional_usage_values].filter(isRow)
  return Object.assign({}, ...usage)
}

const detail = (details: unknown, name: string): unknown => isRow(details) ? details[name] : undefined

const tokensOf = (row: Row, metadata: unknown, unusable: Unusable) => {
  const usage = usageOf(metadata)
  const read = usage.cache_read_input_tokens ?? detail(usage.prompt_tokens_details, "cached_tokens")
  const cached = countOf(read, "cached_tokens", unusable)
  const reasoning = detail(usage.completion_tokens_details, "reasoning_tokens")
  return {
    inputTokens: inputWithCached(countOf(row.prompt_tokens, "prompt_tokens", unusable), cached),
    cachedInputTokens: cached,
    outputTokens: countOf(row.completion_tokens, "completion_tokens", unusable),
    reasoningTokens: countOf(reasoning, "reasoning_tokens", unusable)
  }
}

/** Without streaming LiteLLM writes the end of the call as the time of its first token. */
const firstTokenOf = (row: Row, at: Date, endedAt: Date | null): number | null => {
  const firstAt = dateOf(row.completionStartTime)
  return firstAt?.getTime() === endedAt?.getTime() ? null : millisBetween(at, firstAt)
}

export const readLiteLlmRow: ReadRow = (row, context) => {
  const callType = textOf(row.call_type)
  if (callType !== null && !chat.test(callType)) return without("not_chat", callType)
  if (isSet(row.cache_hit)) return without("cache_hit")
  // `model_group` is the name under which callers ask for one of several deployments.
  const modelId = textOf(firstOf(row, "model", "model_group"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(row.startTime, context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: Unusable = []
  const metadata = parsedOf(row.metadata)
  const body = parsedOf(row.proxy_server_request)
  const tokens = tokensOf(row, metadata, unusable)
  const endedAt = dateOf(row.endTime)
  return callOf({
    id: rowIdOf(row.request_id, context),
    at,
    prompt: promptOf(row.messages) ?? promptOf(body),
    modelId,
    effort: effortOf(body),
    ...tokens,
    costUsd: knownCost(usdOf(row.spend, "spend", unusable), tokens.outputTokens),
    // Since 1.80.
    latencyMs: millisOf(row.request_duration_ms, "request_duration_ms", unusable)
      ?? millisBetween(at, endedAt),
    timeToFirstTokenMs: firstTokenOf(row, at, endedAt),
    userId: textOf(row.end_user),
    tags: tagsOf(row.request_tags).filter((tag) => !isAdded(tag)),
    isInfraFailure: row.status === "failure" || detail(metadata, "status") === "failure"
  }, unusable)
}
