/*
 * The question to the service about a call: its task, its size, and the caller's `providerOptions.sextant`.
 */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import type { ChooseOptions, RequestFields, TaskInput } from "../index.ts"
import type { CallOptions, Message } from "./Shapes.ts"

/** `providerOptions.sextant` of a call. Every field may be left out. */
export interface RoutedCallOptions {
  /** Turns of one conversation: the service knows which model holds its warm prompt cache. */
  readonly conversationId?: string
  /** Your name of the task: reports join the attempts at it. */
  readonly taskId?: string
  /** The models that may run this call, of the caller's; the default model runs on a failure anyway. */
  readonly models?: ReadonlyArray<string>
  /** How long this call waits for the service, in ms > 0. */
  readonly deadlineMs?: number
  /** The task in words, instead of the last message of the user. */
  readonly task?: string
  /** Kind of task; classified from the text when left out. */
  readonly taskType?: NonNullable<TaskInput["task_type"]>
  /** Whether the task is a call, as by default, or a whole run of an agent. */
  readonly unit?: NonNullable<TaskInput["unit"]>
  /** Difficulty; classified from the text when left out. */
  readonly difficulty?: NonNullable<TaskInput["difficulty"]>
  /** Environment of the task, such as `lang:python`. */
  readonly tags?: ReadonlyArray<string>
  /** The part of the account that recalls and learns on its own. */
  readonly namespace?: string
  /** An actor within the account. */
  readonly userId?: string
  /** From 0, the cheapest acceptable model, to 10, the best at any cost. */
  readonly costQualityTradeoff?: number
  /** Further fields of the request, as they are on the wire; these win. */
  readonly request?: RequestFields
}

export interface Question<Id extends string> {
  readonly task: TaskInput
  readonly options: ChooseOptions<Id>
  /** The model that goes on without the service: the one whose tool call is being answered. */
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

/** The text of the user's last message; a file is its media type: a message of files is no empty task. */
const taskOf = (prompt: ReadonlyArray<Message>): string =>
  partsOf(prompt.findLast(({ role }) => role === "user") ?? prompt.at(-1) ?? { role: "", content: "" })
    .map(({ mediaType, text }) => typeof text === "string" ? text : `[${mediaType}]`).join("\n")

/** The tool call that the prompt's last message answers. */
const answeredCall = (prompt: ReadonlyArray<Message>): unknown => {
  const last = prompt.at(-1)
  if (last?.role !== "tool") return undefined
  return partsOf(last).findLast(({ toolCallId }) => toolCallId)?.toolCallId
}

const given = <A extends object>(fields: A): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A>

/**
 * The question about a call. In the middle of a tool loop, the model that called the tool is the only
 * candidate, because other models refuse the parts that it left in the prompt, such as reasoning signatures.
 *
 * @param callers the models that made tool calls, by the call's id
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
