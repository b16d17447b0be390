/* Reads LiteLLM's spend logs: rows of `LiteLLM_SpendLogs` of LiteLLM 1.50 to 1.80, from PostgreSQL or `GET
   /spend/logs`. */
import { calledBy } from "./CalledVariant.ts"
import { promptOf } from "./Prompt.ts"
import {
  callDateOf, callOf, isLeftOut, type ReadRow, type RowContent, rowIdOf, without
} from "./Read.ts"
import { detail, firstOf, knownCost, serviceTierOf, webSearchesOf } from "./RequestBody.ts"
import { tokensIn } from "./Tokens.ts"
import {
  countOf, dateOf, isRow, isSet, millisBetween, millisOf, parsedOf, type Row, tagsOf, textOf,
  type UnusableFields, usdOf
} from "./Values.ts"

/** Call types of models that chat. */
const chat = /completion|responses|anthropic_messages|generate_content/

/** LiteLLM logs a response's tokens and cost again for each later action, such as `aget_responses`. */
const again = /(?:get|list|delete|cancel)_/

/** Types of calls that LiteLLM forwards unchanged, and the paths of the providers' APIs that chat. */
const handedOn = /pass_?through/
const chatPath = new RegExp(
  "/(?:chat/completions|completions|messages|responses|chat|converse(?:-stream)?"
  + "|invoke(?:-with-response-stream)?)/?(?:\\?|$)|:(?:streamG|g)enerateContent|:(?:streamR|r)awPredict"
)

/** Returns true for a tag that LiteLLM adds by itself. */
const isAdded = (tag: string): boolean => tag.startsWith("User-Agent:")

/**
 * `usage_object` is the provider's usage (LiteLLM 1.60 and later). `additional_usage_values` is the part of
 * the usage for which LiteLLM's spend log has no column.
 */
const usageOf = (metadata: unknown): Row => {
  if (!isRow(metadata)) return {}
  const usage = [metadata.usage_object, metadata.additional_usage_values].filter(isRow)
  return Object.assign({}, ...usage)
}

const tokensOf = (row: Row, modelId: string, usage: Row, unusable: UnusableFields) => {
  const count = (value: unknown, name: string) => countOf(value, name, unusable)
  const { completion_tokens_details: outputDetails, prompt_tokens_details: inputDetails } = usage
  const read = usage.cache_read_input_tokens ?? detail(inputDetails, "cached_tokens")
  const written = usage.cache_creation_input_tokens ?? detail(inputDetails, "cache_creation_tokens")
  return tokensIn("litellm", {
    input: count(row.prompt_tokens, "prompt_tokens"),
    cacheRead: count(read, "cached_tokens"),
    cacheWrite: count(written, "cache_creation_tokens"),
    output: count(row.completion_tokens, "completion_tokens"),
    reasoning: count(detail(outputDetails, "reasoning_tokens"), "reasoning_tokens"),
    total: count(row.total_tokens, "total_tokens")
  }, modelId)
}

const promptIn = (row: Row, body: unknown): string | null => promptOf(row.messages) ?? promptOf(body)

/** Returns null if the answer was not streamed: LiteLLM then writes the call's end as the first token's. */
const firstTokenOf = (row: Row, at: Date, endedAt: Date | null): number | null => {
  const firstAt = dateOf(row.completionStartTime)
  return firstAt?.getTime() === endedAt?.getTime() ? null : millisBetween(at, firstAt)
}

const isAnswered = (row: Row): boolean =>
  Number(textOf(row.completion_tokens)) > 0 && promptIn(row, parsedOf(row.proxy_server_request)) !== null

/**
 * Returns the reason why a row is no chat; null for a chat. A forwarded call is a chat if its path is a
 * chat's or, without a path, if it has a prompt and an answer.
 */
const notChatOf = (row: Row): RowContent | null => {
  const callType = textOf(row.call_type) ?? "completion"
  if (handedOn.test(callType)) {
    const path = textOf(row.api_base)
    const isChat = path === null ? isAnswered(row) : chatPath.test(path)
    return isChat ? null : without("pass_through", (path ?? callType).slice(-40))
  }
  if (!chat.test(callType)) return without("not_chat", callType)
  return again.test(callType) ? without("not_a_call", callType) : null
}

export const readLiteLlmRow: ReadRow = (row, context) => {
  const notChat = notChatOf(row)
  if (notChat !== null) return notChat
  if (isSet(row.cache_hit)) return without("cache_hit")
  // `model_group` is the name that callers use for a group of deployments.
  const modelId = textOf(firstOf(row, "model", "model_group"))
  if (modelId === null) return without("no_model")
  const at = callDateOf(row.startTime, context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const metadata = parsedOf(row.metadata)
  const body = parsedOf(row.proxy_server_request)
  const usage = usageOf(metadata)
  const tokens = tokensOf(row, modelId, usage, unusable)
  const endedAt = dateOf(row.endTime)
  return callOf({
    id: rowIdOf(row.request_id, context),
    at,
    prompt: promptIn(row, body),
    ...calledBy(modelId, body),
    ...tokens,
    serviceTier: serviceTierOf(usage) ?? serviceTierOf(body),
    webSearches: webSearchesOf(usage, unusable),
    costUsd: knownCost(usdOf(row.spend, "spend", unusable), tokens.outputTokens),
    // LiteLLM 1.80 and later writes the duration.
    latencyMs: millisOf(row.request_duration_ms, "request_duration_ms", unusable)
      ?? millisBetween(at, endedAt),
    timeToFirstTokenMs: firstTokenOf(row, at, endedAt),
    userId: textOf(row.end_user),
    tags: tagsOf(row.request_tags).filter((tag) => !isAdded(tag)),
    isInfraFailure: row.status === "failure" || detail(metadata, "status") === "failure"
  }, unusable)
}
