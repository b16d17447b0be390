// A provider that speaks OpenAI's chat completions and responses, and Anthropic's messages. What it does is set per
// model: it answers, or fails with a status, or waits; it keeps what it was asked.
import { createServer, type ServerResponse } from "node:http"

/**
 * How a model behaves; `answer` unless set. `slow` waits 400 ms before its first part, and 100 between parts. `half`
 * sends half of a whole answer and breaks, `stuck` sends it and waits, `late` breaks a stream after its last part. `tool`
 * calls the first tool of a request that has no result of one yet; as a stream in a chat alone. A refusal has a status and
 * what the body says of the error.
 */
export type Behaviour = "answer" | "slow" | "silent" | "broken" | "half" | "stuck" | "late" | "tool" | number | Refusal

/** An answer other than 2xx. */
export interface Refusal {
  readonly status: number
  readonly error: { readonly message: string; readonly type: string; readonly code?: string; readonly param?: string }
}

export interface Asked {
  readonly path: string
  readonly model: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface FakeProvider {
  /** Behind this come `/v1/chat/completions`, `/v1/responses` and `/v1/messages`. */
  readonly url: string
  readonly asked: Array<Asked>
  readonly set: (model: string, behaviour: Behaviour) => void
  /** What a whole answer of the model says instead of {@link textOf}. */
  readonly say: (model: string, text: string) => void
  /** Every model answers again, and nothing was asked. */
  readonly reset: () => void
  readonly close: () => void
}

/** What every answer is said to have taken. */
export const usage = { input: 1_200, cached: 1_000, output: 300, reasoning: 120 } as const

/** The text of a model's answer; a stream has it in three parts. */
export const textOf = (model: string): string => `hello from ${model}`

const pause = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))

interface Format {
  readonly whole: (model: string, body: Readonly<Record<string, unknown>>) => object
  /** Events of a stream: their type, or null for unnamed ones, and their data. */
  readonly parts: (model: string, body: Readonly<Record<string, unknown>>) => ReadonlyArray<readonly [string | null, object | string]>
}

const words = (model: string): ReadonlyArray<string> => ["hello ", "from ", model]

const chatUsage = {
  prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.reasoning }
}

let chats = 0

/** An id per answer: agents take a message with the id of an earlier one in its stead. */
const chatId = (): string => `chatcmpl_${++chats}`

const chat: Format = {
  whole: (model) => ({
    id: chatId(), object: "chat.completion", created: 1, model, usage: chatUsage,
    choices: [{ index: 0, message: { role: "assistant", content: textOf(model), refusal: null }, finish_reason: "stop", logprobs: null }]
  }),
  parts: (model, body) => {
    const id = chatId()
    const chunk = (fields: object) => [null, { id, object: "chat.completion.chunk", created: 1, model, ...fields }] as const
    const options = body["stream_options"] as { readonly include_usage?: boolean } | undefined
    return [
      ...words(model).map((content) => chunk({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] })),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      ...(options?.include_usage === true ? [chunk({ choices: [], usage: chatUsage })] : []),
      [null, "[DONE]"]
    ]
  }
}

/** What a model says before it calls a tool: no answer. */
const before = "Let me see."

/** A chat whose model calls the first tool with no arguments. */
const toolCall: Format = {
  whole: (model, body) => {
    const [tool] = body["tools"] as ReadonlyArray<{ readonly function: { readonly name: string } }>
    const call = { index: 0, id: "call_1", type: "function", function: { name: tool?.function.name, arguments: "{}" } }
    const message = { role: "assistant", content: before, refusal: null, tool_calls: [call] }
    return { ...chat.whole(model, body), choices: [{ index: 0, message, finish_reason: "tool_calls", logprobs: null }] }
  },
  parts: (model, body) => {
    const { choices: [choice] } = toolCall.whole(model, body) as { readonly choices: ReadonlyArray<{ readonly message: object }> }
    const id = chatId()
    const chunk = (fields: object) => [null, { id, object: "chat.completion.chunk", created: 1, model, ...fields }] as const
    return [
      chunk({ choices: [{ index: 0, delta: choice?.message, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
      chunk({ choices: [], usage: chatUsage }),
      [null, "[DONE]"]
    ]
  }
}

/** Whether the request hands in what a tool said. */
const isAnswered = ({ input, messages }: Readonly<Record<string, unknown>>): boolean =>
  /"role":"tool"|"type":"(function_call_output|tool_result)"/.test(JSON.stringify(messages ?? input))

const responseOf = (model: string, status: string) => ({
  id: "resp_1", object: "response", created_at: 1, status, model, error: null, incomplete_details: null,
  instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1, tools: [], tool_choice: "auto",
  output: status === "completed"
    ? [{ id: "msg_1", type: "message", role: "assistant", status, content: [{ type: "output_text", text: textOf(model), annotations: [] }] }]
    : [],
  usage: status === "completed"
    ? {
      input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output,
      input_tokens_details: { cached_tokens: usage.cached }, output_tokens_details: { reasoning_tokens: usage.reasoning }
    }
    : null
})

const responses: Format = {
  whole: (model) => responseOf(model, "completed"),
  parts: (model) => {
    const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] }
    const at = { item_id: "msg_1", output_index: 0, content_index: 0 }
    const events: ReadonlyArray<readonly [string, object]> = [
      ["response.created", { response: responseOf(model, "in_progress") }],
      ["response.output_item.added", { output_index: 0, item }],
      ["response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } }],
      ...words(model).map((delta) => ["response.output_text.delta", { ...at, delta, logprobs: [] }] as const),
      ["response.output_text.done", { ...at, text: textOf(model), logprobs: [] }],
      ["response.content_part.done", { ...at, part: { type: "output_text", text: textOf(model), annotations: [] } }],
      ["response.output_item.done", { output_index: 0, item: responseOf(model, "completed").output[0] }],
      ["response.completed", { response: responseOf(model, "completed") }]
    ]
    return events.map(([type, fields], i) => [type, { type, sequence_number: i, ...fields }])
  }
}

const messageUsage = {
  input_tokens: usage.input - usage.cached - 50, cache_read_input_tokens: usage.cached, cache_creation_input_tokens: 50,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 }, output_tokens: usage.output
}

const messageOf = (model: string, content: ReadonlyArray<object>) => ({
  id: "msg_1", type: "message", role: "assistant", model, content, stop_sequence: null,
  stop_reason: content.length > 0 ? "end_turn" : null, usage: { ...messageUsage, output_tokens: content.length > 0 ? usage.output : 1 }
})

const messages: Format = {
  whole: (model) => messageOf(model, [{ type: "text", text: textOf(model), citations: null }]),
  parts: (model) => {
    const events: ReadonlyArray<readonly [string, object]> = [
      ["message_start", { message: messageOf(model, []) }],
      ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
      ...words(model).map((text) => ["content_block_delta", { index: 0, delta: { type: "text_delta", text } }] as const),
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: usage.output } }],
      ["message_stop", {}]
    ]
    return events.map(([type, fields]) => [type, { type, ...fields }])
  }
}

/** A whole answer that calls the first tool, of the formats that are no chat. */
const called = (format: Format, call: (name: string) => object): Format => ({
  ...format,
  whole: (model, body) => {
    const [tool] = body["tools"] as ReadonlyArray<{ readonly name?: string }>
    return { ...format.whole(model, body), ...call(tool?.name ?? "") }
  }
})

const messageCall = called(messages, (name) => ({
  content: [{ type: "text", text: before, citations: null }, { type: "tool_use", id: "call_1", name, input: {} }],
  stop_reason: "tool_use"
}))

const responseCall = called(responses, (name) => ({
  output: [{
    id: "msg_1", type: "message", role: "assistant", status: "completed",
    content: [{ type: "output_text", text: before, annotations: [] }]
  }, { id: "fc_1", type: "function_call", call_id: "call_1", name, arguments: "{}", status: "completed" }]
}))

const formatOf = (path: string, behaviour: Behaviour, body: Readonly<Record<string, unknown>>): Format => {
  const isCall = behaviour === "tool" && !isAnswered(body)
  if (path.includes("/messages")) return isCall ? messageCall : messages
  if (path.includes("/responses")) return isCall ? responseCall : responses
  return isCall ? toolCall : chat
}

const stream = async (
  response: ServerResponse,
  parts: ReturnType<Format["parts"]>,
  behaviour: Behaviour
): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const [i, [type, data]] of parts.entries()) {
    await pause(behaviour !== "slow" ? 5 : i === 0 ? 400 : 100)
    if (behaviour === "broken" && i === 2) return void response.destroy()
    response.write(`${type === null ? "" : `event: ${type}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)
  }
  if (behaviour === "late") return void response.write("\n", () => setTimeout(() => response.destroy(), 20))
  response.end()
}

/** Starts the provider on a free port. */
export const startFakeProvider = async (): Promise<FakeProvider> => {
  const asked: Array<Asked> = []
  const behaviours = new Map<string, Behaviour>()
  const replies = new Map<string, string>()
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) text += chunk
    const body = JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>
    const model = String(body["model"])
    const path = request.url ?? "/"
    asked.push({ path, model, body })
    const behaviour = behaviours.get(model) ?? "answer"
    if (behaviour === "silent") return
    if (typeof behaviour === "object") {
      response.writeHead(behaviour.status, { "content-type": "application/json" })
      return void response.end(JSON.stringify({ type: "error", error: behaviour.error }))
    }
    if (typeof behaviour === "number") {
      // An SDK that retries does so at once; older ones take 0 for no header.
      response.writeHead(behaviour, { "content-type": "application/json", "retry-after": "0", "retry-after-ms": "1" })
      return void response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: `status ${behaviour}` } }))
    }
    if (body["stream"] === true) return stream(response, formatOf(path, behaviour, body).parts(model, body), behaviour)
    if (behaviour === "broken") return void request.socket.destroy()
    if (behaviour === "slow") await pause(400)
    const answer = JSON.stringify(formatOf(path, behaviour, body).whole(model, body))
    const said = [textOf(model), replies.get(model) ?? textOf(model)].map((words) => JSON.stringify(words))
    response.writeHead(200, { "content-type": "application/json" })
    if (behaviour !== "half" && behaviour !== "stuck") return void response.end(answer.replaceAll(said[0] ?? "", () => said[1] ?? ""))
    response.write(answer.slice(0, answer.length / 2), () => behaviour === "half" && setTimeout(() => response.destroy(), 20))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`,
    asked,
    set: (model, behaviour) => void behaviours.set(model, behaviour),
    say: (model, text) => void replies.set(model, text),
    reset: () => {
      behaviours.clear()
      replies.clear()
      asked.length = 0
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
