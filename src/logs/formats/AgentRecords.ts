/* Reads the log records of Claude Code (2.1), codex (0.171) and Gemini CLI (0.61). Records of tools are never
   read, because codex writes arguments and outputs into them. */
import { besideOf, type CountedBeside, type TokenCounts } from "../../../packages/client/src/TokenCounts.ts"
import type { FoundPrompt } from "../labels/PromptTable.ts"
import { calledIn } from "./CalledVariant.ts"
import { type Attributes, attributesOf, plainOf } from "./OtlpValue.ts"
import { callDateOf, callOf, isLeftOut, type ReadContext, type RowContent, rowIdOf, without } from "./Read.ts"
import { tokensFrom } from "./Tokens.ts"
import { countOf, dateOf, millisOf, type Row, textOf, type UnusableFields, usdOf } from "./Values.ts"

interface CallRecord {
  readonly counts: { readonly [Name in keyof TokenCounts]: string }
  readonly besideOf: (modelId: string) => CountedBeside
  /** Name of the attribute with the time to the first token, ms. */
  readonly firstToken?: string
  readonly isFailure?: boolean
  /** Returns true if a record is about a call; absent if all records of the event name are about calls. */
  readonly isCall?: (attributes: Attributes) => boolean
  /** Returns true if the call answers the user's prompt, not the prompt of a subagent. */
  readonly isOfPrompt: (attributes: Attributes) => boolean
}

const claudeCode: CallRecord = {
  counts: {
    input: "input_tokens", cacheRead: "cache_read_tokens", cacheWrite: "cache_creation_tokens",
    output: "output_tokens"
  },
  besideOf: () => ({ input: true }),
  firstToken: "ttft_ms",
  isOfPrompt: (attributes) => !attributes.has("agent_id")
}

const codex: CallRecord = {
  counts: {
    input: "input_token_count", cacheRead: "cached_token_count", cacheWrite: "cache_write_token_count",
    output: "output_token_count", reasoning: "reasoning_token_count"
  },
  besideOf: () => ({}),
  // codex writes two records when a response ends, and only one of them has counts of tokens.
  isCall: (attributes) =>
    attributes.get("event.kind") === "response.completed" && attributes.has("input_token_count"),
  isOfPrompt: () => true
}

const geminiCli: CallRecord = {
  counts: {
    input: "input_token_count", cacheRead: "cached_content_token_count", output: "output_token_count",
    reasoning: "thoughts_token_count", total: "total_token_count"
  },
  besideOf,
  isOfPrompt: (attributes) => attributes.get("role") === "main"
}

const callRecords: ReadonlyMap<string, CallRecord> = new Map([
  ["claude_code.api_request", claudeCode],
  ["claude_code.api_error", { ...claudeCode, isFailure: true }],
  ["codex.sse_event", codex],
  ["gemini_cli.api_response", geminiCli],
  ["gemini_cli.api_error", { ...geminiCli, isFailure: true }]
])

const promptRecords: ReadonlySet<string> = new Set([
  "claude_code.user_prompt", "codex.user_prompt", "gemini_cli.user_prompt"
])

/** Beginnings of texts that no user wrote: placeholders for hidden prompts, and the agent's own messages. */
const noPrompt = /^(?:<REDACTED>|\[REDACTED\]|<task-notification>)/

/**
 * Returns the event's name: an attribute, or since OTLP 1.5 a field of the record. If the body is
 * `claude_code.` and the event's name, returns the body. The attribute `event.name` is read first, because
 * codex writes a line of its source code into the field `eventName`.
 */
export const eventNameOf = (record: Row, attributes: Attributes): string | null => {
  const name = textOf(attributes.get("event.name")) ?? textOf(record.eventName)
  const text = `claude_code.${name}`
  return plainOf(record.body) === text ? text : name
}

/** Returns a record's time; if it is 0, its time of observation, or else the attribute `event.timestamp`. */
const timeOf = (record: Row, attributes: Attributes): unknown =>
  [record.timeUnixNano, record.observedTimeUnixNano].find((time) => Number(textOf(time)) > 0)
    ?? attributes.get("event.timestamp")

const sessionOf = (attributes: Attributes): string | null =>
  textOf(attributes.get("session.id", "conversation.id"))

/** Returns the key of a prompt with an id; prompts without an id share one key of their session. */
const promptKey = (attributes: Attributes): string =>
  `prompt\n${sessionOf(attributes) ?? ""}\n${textOf(attributes.get("prompt.id", "prompt_id")) ?? ""}`

export const promptsOfAgent = (record: Row): ReadonlyArray<FoundPrompt> => {
  const attributes = attributesOf(record)
  if (!promptRecords.has(eventNameOf(record, attributes) ?? "")) return []
  const text = textOf(attributes.get("prompt"))
  const atMs = dateOf(timeOf(record, attributes))?.getTime() ?? 0
  return text === null || noPrompt.test(text) ? [] : [{ key: promptKey(attributes), text, atMs }]
}

/** Returns the id that Claude Code's record and span of a call share; null without a request's id. */
export const claudeCodeIdOf = (attributes: Attributes): string | null => {
  const requestId = textOf(attributes.get("request_id"))
  return requestId === null ? null : `claude-code:${requestId}`
}

/** Returns null for a record that is about anything else than a call. */
export const readAgentRecord = (
  record: Row,
  tags: ReadonlyArray<string>,
  context: ReadContext
): RowContent | null => {
  const attributes = attributesOf(record)
  const name = eventNameOf(record, attributes) ?? ""
  const kind = callRecords.get(name)
  if (kind === undefined || kind.isCall?.(attributes) === false) return null
  const modelId = textOf(attributes.get("model", "model_name"))
  if (modelId === null) return without("no_model", name)
  const ended = timeOf(record, attributes)
  const at = callDateOf(ended, context.nowMs)
  if (isLeftOut(at)) return without(at.reason, at.detail)
  const unusable: UnusableFields = []
  const { besideOf, counts, firstToken, isFailure = false, isOfPrompt } = kind
  const count = (of: string | undefined) =>
    of === undefined ? null : countOf(attributes.get(of), of, unusable)
  const found = Object.fromEntries(Object.entries(counts).map(([part, of]) => [part, count(of)]))
  const session = sessionOf(attributes)
  const ownId = [name, session, textOf(ended), found.input, found.output].join(":")
  const latencyMs = millisOf(attributes.get("duration_ms", "duration"), "duration_ms", unusable)
  return callOf({
    id: rowIdOf(claudeCodeIdOf(attributes) ?? ownId, context),
    at: new Date(at.getTime() - (latencyMs ?? 0)),
    prompt: isOfPrompt(attributes) ? context.prompts.find(promptKey(attributes), at.getTime()) : null,
    ...calledIn(modelId, attributes),
    ...tokensFrom(found, besideOf(modelId)),
    costUsd: usdOf(attributes.get("cost_usd"), "cost_usd", unusable),
    latencyMs,
    timeToFirstTokenMs: firstToken === undefined
      ? null
      : millisOf(attributes.get(firstToken), firstToken, unusable),
    userId: textOf(attributes.get("user.id")),
    sessionId: session,
    tags,
    isInfraFailure: isFailure
  }, unusable)
}
