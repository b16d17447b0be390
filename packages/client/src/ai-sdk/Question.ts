/* Makes the question about a call from its prompt and the caller's `providerOptions.sextant`. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions, TaskInput } from "../index.ts"
import type { CallOptions, Message } from "./Shapes.ts"

/** `providerOptions.sextant`: options of the question, and fields of the task in wire format. */
export interface RoutedCallOptions extends Omit<ChooseOptions, "parameters" | "signal"> {
  readonly task?: Partial<TaskInput>
}

export interface Question<Id extends string> {
  readonly task: TaskInput
  readonly options: ChooseOptions<Id>
  /** The model that called the tool whose result ends the prompt; undefined if unknown or not allowed. */
  readonly incumbent: Id | undefined
}

interface Read {
  readonly type?: unknown
  readonly text?: unknown
  readonly mediaType?: unknown
  readonly toolCallId?: unknown
}

const partsOf = ({ content }: Message): ReadonlyArray<Read> =>
  Array.isArray(content) ? content : [{ type: "text", text: content }]

/** A file is written as its media type, because a task may not be empty. */
const taskOf = (prompt: ReadonlyArray<Message>): string =>
  partsOf(prompt.findLast(({ role }) => role === "user") ?? prompt.at(-1) ?? { role: "", content: "" })
    .map(({ mediaType, text }) => typeof text === "string" ? text : `[${mediaType}]`).join("\n")

const answeredCall = (prompt: ReadonlyArray<Message>): unknown => {
  const last = prompt.at(-1)
  if (last?.role !== "tool") return undefined
  return partsOf(last).findLast(({ toolCallId }) => toolCallId)?.toolCallId
}

/**
 * If the prompt ends with a tool's result, the model that called the tool, if known, is the only candidate. A
 * model may refuse parts that another model wrote, such as reasoning signatures.
 */
export const questionOf = <Id extends string>(
  parameters: CallOptions,
  callers: ReadonlyMap<unknown, Id>
): Question<Id> => {
  const { abortSignal, maxOutputTokens, prompt, providerOptions, responseFormat, tools } = parameters
  const said: RoutedCallOptions = Object(providerOptions?.["sextant"])
  const { models, request, task, ...own } = said
  const allowed = models as ReadonlyArray<Id> | undefined
  const caller = callers.get(answeredCall(prompt))
  const incumbent = caller !== undefined && allowed?.includes(caller) !== false ? caller : undefined
  // With a single candidate there is nothing to choose, so the abilities that the call needs are not sent.
  const inferred = incumbent === undefined
    ? inferredOf(prompt.map(({ content }) => content), tools, !!responseFormat?.schema, maxOutputTokens)
    : undefined
  return {
    incumbent,
    task: { task: taskOf(prompt), expected_input_tokens: estimatedTokens(prompt, tools), ...task },
    options: {
      ...own,
      models: incumbent === undefined ? allowed : [incumbent],
      signal: abortSignal,
      parameters,
      request: { incumbent_model_id: incumbent, inferred_requirements: inferred, ...request }
    }
  }
}
