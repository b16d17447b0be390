/* Finds prompts in OpenTelemetry: in attributes or events of spans, or in log records. */
import type { FoundPrompt } from "../labels/PromptTable.ts"
import { eventNameOf, promptsOfAgent } from "./AgentRecords.ts"
import {
  type Attributes, attributesOf, listOf, logsPath, membersOf, plainOf, spanKey
} from "./OtlpValue.ts"
import { promptOf } from "./Prompt.ts"
import type { ReadPrompts } from "./Read.ts"
import { isRow, type Row, textOf } from "./Values.ts"

/** Events of a span that contain its prompt, in the conventions 1.37 and later, and in 1.27. */
const promptEvents: ReadonlySet<unknown> = new Set([
  "gen_ai.client.inference.operation.details", "gen_ai.content.prompt"
])

/** The event for a user's message in the conventions 1.28 to 1.36. */
const userMessage = "gen_ai.user.message"

/** Attributes that contain messages. */
const messageNames = ["gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages"] as const

/** Some SDKs write prompts into log records to keep the contents out of spans. */
const promptsOfSdk = (record: Row): ReadonlyArray<FoundPrompt> => {
  const attributes = attributesOf(record)
  const name = eventNameOf(record, attributes)
  if ((name !== userMessage && !promptEvents.has(name)) || textOf(record.spanId) === null) return []
  const body = plainOf(record.body)
  const said = (): unknown => isRow(body) ? body[messageNames[0]] ?? body[messageNames[1]] : undefined
  const text = name === userMessage
    ? promptOf({ role: "user", content: isRow(body) ? body.content : body ?? attributes.get("content") })
    : promptOf(attributes.get(...messageNames)) ?? promptOf(said())
  return text === null ? [] : [{ key: spanKey(record.traceId, record.spanId), text }]
}

export const promptsOfRecord = (record: Row): ReadonlyArray<FoundPrompt> =>
  [...promptsOfSdk(record), ...promptsOfAgent(record)]

export const readOtelPrompts: ReadPrompts = (row) =>
  membersOf(row, logsPath).flatMap(({ one }) => promptsOfRecord(one))

/** Returns the user's last message in OpenLLMetry's numbered attributes. */
const numberedPrompt = (attributes: Attributes): string | null => {
  let last: string | null = null
  for (let i = 0; attributes.has(`gen_ai.prompt.${i}.role`); i++) {
    if (attributes.get(`gen_ai.prompt.${i}.role`) !== "user") continue
    last = promptOf(attributes.get(`gen_ai.prompt.${i}.content`)) ?? last
  }
  return last
}

/** Returns the prompt in a span's attributes or events; null if they have no prompt. */
export const promptOfSpan = (span: Row, attributes: Attributes): string | null => {
  const own = promptOf(attributes.get(...messageNames)) ?? numberedPrompt(attributes)
  if (own !== null) return own
  // The user's last message in the history's events is the prompt.
  return listOf(span.events).filter(isRow).reduce((last: string | null, event) => {
    const of = attributesOf(event)
    const found = event.name === userMessage
      ? promptOf(of.get("content", "gen_ai.event.content"))
      : promptEvents.has(event.name) ? promptOf(of.get(...messageNames)) : null
    return found ?? last
  }, null)
}
