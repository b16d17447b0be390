/* Reads a request to a provider: whether Sextant chooses the model, the task, and the conversation. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions } from "../Request.ts"
import type { InferredRequirements } from "../Wire.ts"

/** The model name with which a caller asks Sextant to choose the model. */
const autoModel = "sextant/auto"

export type AutoOptions<Id extends string = string> = Omit<ChooseOptions<Id>, "signal">

/** Makes a model name `sextant/auto…` that carries options of the choice, such as a `conversationId`. */
export const auto = <Id extends string>(options: AutoOptions<Id> = {}): string => {
  const text = JSON.stringify(options)
  return text === "{}" ? autoModel : `${autoModel}?${text}`
}

const isAuto = (model: unknown): model is string =>
  typeof model === "string" && (model === autoModel || model.startsWith(`${autoModel}?`))

/** Reads the options in a model name that `auto` made. Throws a `TypeError` if the options are no JSON. */
export const optionsOf = <Id extends string>(model: string): AutoOptions<Id> => {
  if (model === autoModel) return {}
  try {
    return Object(JSON.parse(model.slice(autoModel.length + 1)))
  } catch (cause) {
    throw new TypeError(`${model} is not a model: use auto()`, { cause })
  }
}

/** The body of a request for an answer, with the fields of OpenAI and Anthropic. */
export interface Body {
  readonly model?: unknown
  readonly messages?: unknown
  /** The prompt in OpenAI's responses API: a text or a list of messages. */
  readonly input?: unknown
  readonly conversation?: unknown
  /** The system prompt: `instructions` in OpenAI's responses API, `system` in Anthropic's messages API. */
  readonly instructions?: unknown
  readonly system?: unknown
  readonly tools?: unknown
  /** The maximum number of answer tokens; the field's name depends on the API. */
  readonly max_completion_tokens?: unknown
  readonly max_output_tokens?: unknown
  readonly max_tokens?: unknown
  /** The answer's JSON schema; the API decides which field holds the schema. */
  readonly response_format?: unknown
  readonly text?: unknown
  readonly output_format?: unknown
  readonly output_config?: unknown
}

/** Depth to which a request is searched for a model name, such as `requests[0].params.model`. */
const depthMax = 4

export const namesAuto = (body: unknown, depth: number = depthMax): boolean => {
  if (typeof body === "string") return depth === depthMax && body.includes(autoModel)
  if (typeof body !== "object" || body === null || depth === 0) return false
  if (body instanceof FormData) return isAuto(body.get("model"))
  // Lists of texts or numbers are not searched for a model name, because they can be long and have none.
  if (Array.isArray(body)) return Object(body[0]) === body[0] && body.some((one) => namesAuto(one, depth - 1))
  if (ArrayBuffer.isView(body)) return false
  return Object.entries(body).some(([key, value]) =>
    typeof value === "object" ? namesAuto(value, depth - 1) : key === "model" && isAuto(value)
  )
}

interface Message {
  readonly role?: unknown
  readonly content?: unknown
}

const listOf = ({ input, messages }: Body): ReadonlyArray<Message> => {
  const list = messages ?? input
  return Array.isArray(list) ? list : []
}

const messagesOf = (body: Body): ReadonlyArray<Message> =>
  listOf(body).filter((one) => Object(one).role === "user")

const textOf = ({ content }: Message): string =>
  Array.isArray(content)
    ? content.map((part) => Object(part).text).filter((text) => typeof text === "string").join("\n")
    : typeof content === "string" ? content : ""

/** Returns the user's last text, or `[file]` without a text, because a task may not be empty. */
export const taskOf = (body: Body): string =>
  typeof body.input === "string"
    ? body.input
    : messagesOf(body).map(textOf).findLast((text) => text !== "") ?? "[file]"

export const tokensOf = ({ input, instructions, messages, system, tools }: Body): number | undefined =>
  estimatedTokens(input, instructions, messages, system, tools)

/** Returns the JSON schema that the request sets for the answer; undefined if there is none. */
export const schemaOf = ({ output_config, output_format, response_format, text }: Body): unknown => {
  const formats = [response_format, Object(text).format, output_format, Object(output_config).format]
  const format = formats.map(Object).find(({ type }) => type === "json_schema")
  return format && (format.schema ?? Object(format.json_schema).schema ?? true)
}

/** Returns what a model needs for this request beyond plain text; undefined if it needs nothing. */
export const needsOf = (body: Body): InferredRequirements | undefined =>
  inferredOf(
    listOf(body).map((one) => Object(one).content), body.tools, schemaOf(body) !== undefined,
    body.max_completion_tokens ?? body.max_output_tokens ?? body.max_tokens
  )

/** Returns the id of the tool call whose result is in the last message; undefined if there is none. */
export const answeredToolId = (body: Body): unknown => {
  const { call_id, content, tool_call_id } = Object(listOf(body).at(-1))
  const ids = Array.isArray(content) ? content.map((part) => Object(part).tool_use_id) : []
  return tool_call_id ?? call_id ?? ids.find((id) => id !== undefined)
}

const begun = new WeakMap<object, string>()

/**
 * Returns the conversation's id. If a request names no conversation, the object of its first user message
 * identifies the conversation, because tool loops and growing chats reuse this object.
 */
export const conversationOf = (body: Body): string | undefined => {
  const { conversation } = body
  const named = Object(conversation).id ?? conversation
  if (typeof named === "string") return named
  const [first] = messagesOf(body)
  if (first === undefined) return undefined
  const id = begun.get(first) ?? crypto.randomUUID()
  begun.set(first, id)
  return id
}
