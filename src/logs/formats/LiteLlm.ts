/*
 * Reads LiteLLM's spend logs: rows of the table `LiteLLM_SpendLogs`, as `schema.prisma` of LiteLLM 1.50 to
 * 1.80 has it, exported from PostgreSQL or from `GET /spend/logs`.
 */
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

/** Call types of chat models, each also with an `a` before it; a failure may have none. */
const chat = /completion|responses|anthropic_messages|generate_content/

/** What is done to a response that is there, logged with all its tokens and spend again: `aget_responses`. */
const again = /(?:get|list|delete|cancel)_/

/** Calls that LiteLLM hands on as they are, and the paths on which providers are asked to chat. */
const handedOn = /pass_?through/
const chatPath = new RegExp(
  "/(?:chat/completions|completions|messages|responses|chat|converse(?:-stream)?"
  + "|invoke(?:-with-response-stream)?)/?(?:\\?|$)|:(?:streamG|g)enerateContent|:(?:streamR|r)awPredict"
)

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

/** Without streaming LiteLLM writes the end of the call as the time of its first token. */
const firstTokenOf = (row: Row, at: Date, endedAt: Date | null): number | null => {
  const firstAt = dateOf(row.completionStartTime)
  return firstAt?.getTime() === endedAt?.getTime() ? null : millisBetween(at, firstAt)
}

/** Whether a row has messages, and tokens that came out. */
const isAnswered = (row: Row): boolean =>
  Number(textOf(row.completion_tokens)) > 0 && promptIn(row, parsedOf(row.proxy_server_request)) !== null

/** Why a row is no call of a chat: by its type, and by the path of one that is handed on. */
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
  // `model_group` is the name under which callers ask for one of several deployments.
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
    // Since 1.80.
    latencyMs: millisOf(row.request_duration_ms, "request_duration_ms", unusable)
      ?? millisBetween(at, endedAt),
    timeToFirstTokenMs: firstTokenOf(row, at, endedAt),
    userId: textOf(row.end_user),
    tags: tagsOf(row.request_tags).filter((tag) => !isAdded(tag)),
    isInfraFailure: row.status === "failure" || detail(metadata, "status") === "failure"
  }, unusable)
}
