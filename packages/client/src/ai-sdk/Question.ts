/* Makes the question about a call from its prompt and the caller's `providerOptions.sextant`. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions, RequestFields, TaskInput } from "../index.ts"
import type { CallOptions, Message } from "./Shapes.ts"

/** `providerOptions.sextant` of a call. Every field is optional. */
export interface RoutedCallOptions {
  /** The conversation, so that the service knows which model holds a warm prompt cache. */
  readonly conversationId?: string
  /** Your name of the task. Reports with one name are attempts at one task. */
  readonly taskId?: string
  /** The caller's models that may run this call. After a failure the default may run as well. */
  readonly models?: ReadonlyArray<string>
  /** Longest wait for the service, in ms > 0. */
  readonly deadlineMs?: number
  /** The task in words; by default the user's last message. */
  readonly task?: string
  /** Kind of task; by default classified from the text. */
  readonly taskType?: NonNullable<TaskInput["task_type"]>
  /** Whether the task is one call, as by default, or a whole run of an agent. */
  readonly unit?: NonNullable<TaskInput["unit"]>
  /** Difficulty; by default classified from the text. */
  readonly difficulty?: NonNullable<TaskInput["difficulty"]>
  /** Environment of the task, such as `lang:python`. */
  readonly tags?: ReadonlyArray<string>
  /** A part of the account with a memory of its own. */
  readonly namespace?: string
  /** An actor within the account. */
  readonly userId?: string
  /** From 0, the cheapest acceptable model, to 10, the best at any cost. */
  readonly costQualityTradeoff?: number
  /** Further fields of the request in wire format. They replace the other fields. */
  readonly request?: RequestFields
}

export interface Question<Id extends string> {
  readonly task: TaskInput
  readonly options: ChooseOptions<Id>
  /** The model of the tool call that is being answered. It runs even without the service. */
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

/** The text of the user's last message. A file is its media type, because a task may not be empty. */
const taskOf = (prompt: ReadonlyArray<Message>): string =>
  partsOf(prompt.findLast(({ role }) => role === "user") ?? prompt.at(-1) ?? { role: "", content: "" })
    .map(({ mediaType, text }) => typeof text === "string" ? text : `[${mediaType}]`).join("\n")

/** The id of the tool call that the last message answers. */
const answeredCall = (prompt: ReadonlyArray<Message>): unknown => {
  const last = prompt.at(-1)
  if (last?.role !== "tool") return undefined
  return partsOf(last).findLast(({ toolCallId }) => toolCallId)?.toolCallId
}

const given = <A extends object>(fields: A): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A>

/**
 * The question about a call. In a tool loop the model that called the tool is the only candidate. Other
 * models refuse its parts of the prompt, such as reasoning signatures.
 *
 * @param callers the models by the ids of their tool calls
 */
export const questionOf = <Id extends string>(
  parameters: CallOptions,
  callers: ReadonlyMap<unknown, Id>
): Question<Id> => {
  const { abortSignal, maxOutputTokens, prompt, providerOptions, responseFormat, tools } = parameters
  const said = Object(providerOptions?.["sextant"]) as RoutedCallOptions
  const allowed = said.models as ReadonlyArray<Id> | undefined
  const tokens = estimatedTokens(prompt, tools)
  const caller = callers.get(answeredCall(prompt))
  const incumbent = caller !== undefined && allowed?.includes(caller) !== false ? caller : undefined
  // A single candidate leaves nothing to choose.
  const inferred = incumbent === undefined
    ? inferredOf(prompt.map(({ content }) => content), tools, !!responseFormat?.schema, maxOutputTokens)
    : undefined
  return {
    incumbent,
    task: {
      task: said.task ?? taskOf(prompt),
      expected_input_tokens: tokens,
      task_type: said.taskType,
      unit: said.unit,
      difficulty: said.difficulty,
      tags: said.tags
    },
    options: {
      conversationId: said.conversationId,
      taskId: said.taskId,
      models: incumbent === undefined ? allowed : [incumbent],
      signal: abortSignal,
      deadlineMs: said.deadlineMs,
      parameters,
      request: {
        ...given({
          namespace: said.namespace,
          user_id: said.userId,
          cost_quality_tradeoff: said.costQualityTradeoff,
          incumbent_model_id: incumbent,
          inferred_requirements: inferred
        }),
        ...said.request
      }
    }
  }
}
