/* Reads a request to a provider: whether it is to be routed, its task, and its conversation. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions } from "../Request.ts"
import type { InferredRequirements } from "../Wire.ts"

/** The model name that asks Sextant to choose. */
const autoModel = "sextant/auto"

/** Options of one choice that a model's name can carry; see {@link auto}. */
export type AutoOptions<Id extends string = string> = Omit<ChooseOptions<Id>, "signal">

/**
 * The model `sextant/auto` with options of this choice, such as its `conversationId`: a name that passes
 * through any code that takes one.
 */
export const auto = <Id extends string>(options: AutoOptions<Id> = {}): string => {
  const text = JSON.stringify(options)
  return text === "{}" ? autoModel : `${autoModel}?${text}`
}

const isAuto = (model: unknown): model is string =>
  typeof model === "string" && (model === autoModel || model.startsWith(`${autoModel}?`))

/** The options that a model's name carries. Throws a `TypeError` if they cannot be read. */
export const optionsOf = <Id extends string>(model: string): AutoOptions<Id> => {
  if (model === autoModel) return {}
  try {
    return Object(JSON.parse(model.slice(autoModel.length + 1)))
  } catch (cause) {
    throw new TypeError(`${model} is not a model: use auto()`, { cause })
  }
}

/** The body of a request to generate, as both providers have it. */
export interface Body {
  readonly model?: unknown
  readonly messages?: unknown
  /** A text, or messages, in the API of responses. */
  readonly input?: unknown
  readonly conversation?: unknown
  /** Text before the messages, in the APIs of responses and of messages. */
  readonly instructions?: unknown
  readonly system?: unknown
  readonly tools?: unknown
  /** Most tokens of an answer: in chat completions, in responses, and in messages and older completions. */
  readonly max_completion_tokens?: unknown
  readonly max_output_tokens?: unknown
  readonly max_tokens?: unknown
  /** The fields for a schema: in chat completions, in responses, and two in messages. */
  readonly response_format?: unknown
  readonly text?: unknown
  readonly output_format?: unknown
  readonly output_config?: unknown
}

/** How deep a model is looked for: it is at most `requests[0].params.model`. */
const depthMax = 4

/** Whether a request names our model, itself or in a part such as a batch's requests. */
export const namesAuto = (body: unknown, depth: number = depthMax): boolean => {
  if (typeof body === "string") return depth === depthMax && body.includes(autoModel)
  if (typeof body !== "object" || body === null || depth === 0) return false
  if (body instanceof FormData) return isAuto(body.get("model"))
  // Lists of texts or numbers, which can be long, name no model.
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

/** The last text of the user, and so no tool's result; files alone are no empty task. */
export const taskOf = (body: Body): string =>
  typeof body.input === "string"
    ? body.input
    : messagesOf(body).map(textOf).findLast((text) => text !== "") ?? "[file]"

/** Tokens of the whole prompt without its files, estimated, count. */
export const tokensOf = ({ input, instructions, messages, system, tools }: Body): number | undefined =>
  estimatedTokens(input, instructions, messages, system, tools)

/** The schema that an answer has to fit; undefined without one. */
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

/** The id of the call of a tool whose result the request hands in; undefined if it hands in none. */
export const answeredToolId = (body: Body): unknown => {
  const { call_id, content, tool_call_id } = Object(listOf(body).at(-1))
  const ids = Array.isArray(content) ? content.map((part) => Object(part).tool_use_id) : []
  return tool_call_id ?? call_id ?? ids.find((id) => id !== undefined)
}

const begun = new WeakMap<object, string>()

/**
 * The id of the conversation. Without one in the request, requests whose first user message is the same
 * object are one conversation, as in a loop of tools or a growing chat.
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
