/* Makes the question about an agent's model call: task, step, size and conversation. */
import { inferredOf } from "../adapters/Needs.ts"
import { estimatedTokens } from "../adapters/Tokens.ts"
import { attempt } from "../ForeignValues.ts"
import type { ChooseOptions, TaskInput } from "../index.ts"
import type { Message, ModelRequestLike } from "./Shapes.ts"

/** Facts that replace values from the messages. */
export interface RouterQuestion<Id extends string> extends ChooseOptions<Id> {
  readonly task?: Partial<TaskInput>
}

interface Runtime {
  readonly signal?: AbortSignal
  readonly configurable?: { readonly thread_id?: string }
  readonly context?: { readonly thread_id?: string }
}

const isHuman = ({ type }: Message): boolean => type === "human"

export const turnOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<Message> => {
  const all = messages as ReadonlyArray<Message>
  return all.slice(all.findLastIndex(isHuman) + 1)
}

/** Returns a message's text, or else its parts' types, because a task may not be empty. */
const textOf = ({ content, text }: Message): string =>
  typeof text === "string" && text !== "" ? text
    : Array.isArray(content) ? content.map((part) => `[${Object(part).type}]`).join("\n")
    : String(content ?? "")

/** In LangChain 1.0 and 1.1, a middleware finds the thread's id only in LangChain's async storage. */
const ambientConfig = (): Runtime => {
  const storage = Reflect.get(globalThis, Symbol.for("ls:tracing_async_local_storage"))
  return Object(storage?.getStore()?.extra?.[Symbol.for("lc:child_config")])
}

interface Read extends Pick<ChooseOptions, "conversationId" | "parameters" | "request" | "signal"> {
  readonly task: TaskInput
}

const read = ({ messages, modelSettings, runtime, systemPrompt, tools }: ModelRequestLike): Read => {
  const all = messages as ReadonlyArray<Message>
  const at = all.findLastIndex(isHuman)
  const { configurable, context, signal }: Runtime = Object(runtime)
  return {
    task: {
      task: textOf(all[at] ?? all[0] ?? {}),
      expected_input_tokens: estimatedTokens(all.map(textOf), systemPrompt),
      tags: [`step:${turnOf(all).filter(({ type }) => type === "ai").length}`]
    },
    // Without a thread id, the user's message marks the conversation, so one run is one conversation.
    conversationId: configurable?.thread_id ?? context?.thread_id ?? ambientConfig().configurable?.thread_id
      ?? all[at]?.id,
    request: { inferred_requirements: inferredOf(all.map(({ content }) => content), tools, false) },
    parameters: Object(modelSettings),
    signal
  }
}

/** If reading the call throws, the task is empty. If `ask` throws, the question has no facts from `ask`. */
export const questionOf = <Id extends string>(
  request: ModelRequestLike,
  ask: ((request: ModelRequestLike) => RouterQuestion<Id>) | undefined
): { readonly task: TaskInput; readonly options: ChooseOptions<Id> } => {
  const { request: seen, task, ...own } = attempt(
    (): Read => read(request), { task: { task: "" } }
  )
  const { task: said, ...asked } = attempt((): RouterQuestion<Id> => ({ ...ask?.(request) }), {})
  return {
    task: { ...task, ...said },
    options: { ...own, ...asked, request: { ...seen, ...asked.request } }
  }
}
