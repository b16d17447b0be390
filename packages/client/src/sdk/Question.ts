/* Reads a request to a provider: whether it is routed, its task, and its conversation. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions } from "../Request.ts"
import type { InferredRequirements } from "../Wire.ts"

/** The model name that asks Sextant to choose. */
const autoModel = "sextant/auto"

/** Options of one choice that a model's name can carry; see {@link auto}. */
export type AutoOptions<Id extends string = string> = Omit<ChooseOptions<Id>, "signal">

/**
 * The model name `sextant/auto` with options of this choice, such as a `conversationId`. Any code that takes
 * a model's name can pass it on.
 */
export const auto = <Id extends string>(options: AutoOptions<Id> = {}): string => {
  const text = JSON.stringify(options)
  return text === "{}" ? autoModel : `${autoModel}?${text}`
}

const isAuto = (model: unknown): model is string =>
  typeof model === "string" && (model === autoModel || model.startsWith(`${autoModel}?`))

/** The options in a model's name. Throws a `TypeError` if they cannot be read. */
export const optionsOf = <Id extends string>(model: string): AutoOptions<Id> => {
  if (model === autoModel) return {}
  try {
    return Object(JSON.parse(model.slice(autoModel.length + 1)))
  } catch (cause) {
    throw new TypeError(`${model} is not a model: use auto()`, { cause })
  }
}

/** The body of a request for an answer, with the fields of both providers. */
export interface Body {
  readonly model?: unknown
  readonly messages?: unknown
  /** A text or messages, in the API of responses. */
  readonly input?: unknown
  readonly conversation?: unknown
  /** The text before the messages, in the APIs of responses and of messages. */
  readonly instructions?: unknown
  readonly system?: unknown
  readonly tools?: unknown
  /** The limit of answer tokens: in chat completions, in responses, and in messages and older completions. */
  readonly max_completion_tokens?: unknown
  readonly max_output_tokens?: unknown
  readonly max_tokens?: unknown
  /** The fields with a schema: in chat completions, in responses, and two in messages. */
  readonly response_format?: unknown
  readonly text?: unknown
  readonly output_format?: unknown
  readonly output_config?: unknown
}

/** The search depth for a model's name: the deepest is `requests[0].params.model`. */
const depthMax = 4

/** Whether a request names `sextant/auto`, itself or in a part such as a batch's requests. */
export const namesAuto = (body: unknown, depth: number = depthMax): boolean => {
  if (typeof body === "string") return depth === depthMax && body.includes(autoModel)
  if (typeof body !== "object" || body === null || depth === 0) return false
  if (body instanceof FormData) return isAuto(body.get("model"))
  // Lists of texts or numbers can be long, and name no model.
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

/**
 * The user's last text, which is never a tool's result. For files alone it is `[file]`, because a task may
 * not be empty.
 */
export const taskOf = (body: Body): string =>
  typeof body.input === "string"
    ? body.input
    : messagesOf(body).map(textOf).findLast((text) => text !== "") ?? "[file]"

/** Estimated tokens of the whole prompt without files, count. */
export const tokensOf = ({ input, instructions, messages, system, tools }: Body): number | undefined =>
  estimatedTokens(input, instructions, messages, system, tools)

/** The schema of the answer; undefined without one. */
export const schemaOf = ({ output_config, output_format, response_format, text }: Body): unknown => {
  const formats = [response_format, Object(text).format, output_format, Object(output_config).format]
  const format = formats.map(Object).find(({ type }) => type === "json_schema")
  return format && (format.schema ?? Object(format.json_schema).schema ?? true)
}

/** The abilities that the request needs of its model; undefined if it needs only text. */
export const needsOf = (body: Body): InferredRequirements | undefined =>
  inferredOf(
    listOf(body).map((one) => Object(one).content), body.tools, schemaOf(body) !== undefined,
    body.max_completion_tokens ?? body.max_output_tokens ?? body.max_tokens
  )

/** The id of the tool call whose result is in the last message; undefined without one. */
export const answeredToolId = (body: Body): unknown => {
  const { call_id, content, tool_call_id } = Object(listOf(body).at(-1))
  const ids = Array.isArray(content) ? content.map((part) => Object(part).tool_use_id) : []
  return tool_call_id ?? call_id ?? ids.find((id) => id !== undefined)
}

const begun = new WeakMap<object, string>()

/**
 * The id of the conversation. Without an id, requests whose first user message is the same object are one
 * conversation. Tool loops and growing chats reuse this object.
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
