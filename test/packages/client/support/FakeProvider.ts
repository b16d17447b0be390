// A provider that speaks OpenAI's chat completions and responses, and Anthropic's messages. What it does is set per
// model: it answers, or fails with a status, or waits; it keeps what it was asked.
import { createServer, type ServerResponse } from "node:http"

/**
 * How a model behaves; `answer` unless set. `slow` waits {@link slowMs} before its first part, and 100 between parts. `half`
 * sends half of a whole answer and breaks, `stuck` sends it and waits, `late` breaks a stream after its last part. `tool`
 * calls the first tool of a request that has no result of one yet. A refusal has a status and what the body says of the
 * error.
 */
export type Behaviour = "answer" | "slow" | "silent" | "broken" | "half" | "stuck" | "late" | "tool" | number | Refusal

/** An answer other than 2xx. */
export interface Refusal {
  readonly status: number
  readonly error: { readonly message: string; readonly type: string; readonly code?: string; readonly param?: string }
}

type Body = Readonly<Record<string, unknown>>

export interface Asked {
  readonly path: string
  readonly model: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Body
}

export interface FakeProvider {
  /** Behind this come `/v1/chat/completions`, `/v1/responses` and `/v1/messages`. */
  readonly url: string
  readonly asked: Array<Asked>
  readonly set: (model: string, behaviour: Behaviour) => void
  /** What the model says instead of {@link textOf}. */
  readonly say: (model: string, text: string) => void
  /** Every model answers again, and nothing was asked. */
  readonly reset: () => void
  readonly close: () => void
}

/** What every answer is said to have taken. */
export const usage = { input: 1_200, cached: 1_000, output: 300, reasoning: 120 } as const

/** The headers of every answer: the limits that are left, and the request's id, as providers name them. */
const answerHeaders = {
  "x-request-id": "req_1", "request-id": "req_1", "openai-processing-ms": "7", "x-ratelimit-remaining-requests": "41",
  "anthropic-ratelimit-requests-remaining": "41"
} as const

/** The text of a model's answer; a stream has it in parts of one word. */
export const textOf = (model: string): string => `hello from ${model}`

const pause = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))

interface Format {
  readonly whole: (model: string, body: Body, text: string) => object
  /** Events of a stream: their type, or null for unnamed ones, and their data. */
  readonly parts: (model: string, body: Body, text: string) => ReadonlyArray<readonly [string | null, object | string]>
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*/g) ?? []

const chatUsage = {
  prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.reasoning }
}

let chats = 0

/** An id per answer: agents take a message with the id of an earlier one in its stead. */
const chatId = (): string => `chatcmpl_${++chats}`

/** Makes the chunks of an answer: where their usage was asked for, all but the last say that they have none. */
const chunkOf = (model: string, isUsageAsked: boolean) => {
  const id = chatId()
  const none = isUsageAsked ? { usage: null } : {}
  return (fields: object) => [null, { id, object: "chat.completion.chunk", created: 1, model, ...none, ...fields }] as const
}

const chat: Format = {
  whole: (model, _, text) => ({
    id: chatId(), object: "chat.completion", created: 1, model, usage: chatUsage,
    choices: [{ index: 0, message: { role: "assistant", content: text, refusal: null }, finish_reason: "stop", logprobs: null }]
  }),
  parts: (model, body, text) => {
    const isUsageAsked = Object(body["stream_options"]).include_usage === true
    const chunk = chunkOf(model, isUsageAsked)
    return [
      ...wordsOf(text).map((content) => chunk({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] })),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      ...(isUsageAsked ? [chunk({ choices: [], usage: chatUsage })] : []),
      [null, "[DONE]"]
    ]
  }
}

/** What a model says before it calls a tool: no answer. */
const before = "Let me see."

/** A chat whose model calls the first tool with no arguments. */
const toolCall: Format = {
  whole: (model, body, text) => {
    const [tool] = body["tools"] as ReadonlyArray<{ readonly function: { readonly name: string } }>
    const call = { index: 0, id: "call_1", type: "function", function: { name: tool?.function.name, arguments: "{}" } }
    const message = { role: "assistant", content: before, refusal: null, tool_calls: [call] }
    return { ...chat.whole(model, body, text), choices: [{ index: 0, message, finish_reason: "tool_calls", logprobs: null }] }
  },
  parts: (model, body, text) => {
    const { choices: [choice] } = toolCall.whole(model, body, text) as { readonly choices: ReadonlyArray<{ readonly message: object }> }
    const chunk = chunkOf(model, true)
    return [
      chunk({ choices: [{ index: 0, delta: choice?.message, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
      chunk({ choices: [], usage: chatUsage }),
      [null, "[DONE]"]
    ]
  }
}

/** Whether the request hands in what a tool said. */
const isAnswered = ({ input, messages }: Body): boolean =>
  /"role":"tool"|"type":"(function_call_output|tool_result)"/.test(JSON.stringify(messages ?? input))

/** An item of a response that is a text, and the events of its stream. */
const textItem = (text: string) => ({
  id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }]
})

/** An item of a response that calls a tool. */
const callItem = (name: unknown) =>
  ({ id: "fc_1", type: "function_call", call_id: "call_1", name, arguments: "{}", status: "completed" })

type Item = ReturnType<typeof textItem> | ReturnType<typeof callItem>

const responseOf = (model: string, output: ReadonlyArray<Item>) => ({
  id: "resp_1", object: "response", created_at: 1, status: output[0] ? "completed" : "in_progress", model, error: null,
  incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1, tools: [],
  tool_choice: "auto", output,
  usage: output[0]
    ? {
      input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output,
      input_tokens_details: { cached_tokens: usage.cached }, output_tokens_details: { reasoning_tokens: usage.reasoning }
    }
    : null
})

type Events = ReadonlyArray<readonly [string, object]>

const eventsOfItem = (item: Item, output_index: number): Events => {
  const at = { item_id: item.id, output_index }
  const done = ["response.output_item.done", { output_index, item }] as const
  if ("arguments" in item) {
    return [
      ["response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } }],
      ["response.function_call_arguments.delta", { ...at, delta: item.arguments }],
      ["response.function_call_arguments.done", { ...at, arguments: item.arguments, name: item.name }],
      done
    ]
  }
  const inContent = { ...at, content_index: 0 }
  return item.content.flatMap((part) => [
    ["response.output_item.added", { output_index, item: { ...item, content: [], status: "in_progress" } }],
    ["response.content_part.added", { ...inContent, part: { ...part, text: "" } }],
    ...wordsOf(part.text).map((delta) => ["response.output_text.delta", { ...inContent, delta, logprobs: [] }] as const),
    ["response.output_text.done", { ...inContent, text: part.text }],
    ["response.content_part.done", { ...inContent, part }],
    done
  ])
}

/** The format of responses with these items. */
const responsesOf = (itemsOf: (body: Body, text: string) => ReadonlyArray<Item>): Format => ({
  whole: (model, body, text) => responseOf(model, itemsOf(body, text)),
  parts: (model, body, text) => {
    const items = itemsOf(body, text)
    const events: Events = [
      ["response.created", { response: responseOf(model, []) }],
      ...items.flatMap(eventsOfItem),
      ["response.completed", { response: responseOf(model, items) }]
    ]
    return events.map(([type, fields], i) => [type, { type, sequence_number: i, ...fields }])
  }
})

const messageUsage = {
  input_tokens: usage.input - usage.cached - 50, cache_read_input_tokens: usage.cached, cache_creation_input_tokens: 50,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 }, output_tokens: usage.output,
  service_tier: "standard", server_tool_use: { web_search_requests: 0 }
}

/** A block of a message: a text, or the call of a tool. */
type Block = { readonly type: string } & Readonly<Record<string, unknown>>

const stopOf = (blocks: ReadonlyArray<Block>): string | null =>
  blocks[0] === undefined ? null : blocks.at(-1)?.type === "tool_use" ? "tool_use" : "end_turn"

const messageOf = (model: string, content: ReadonlyArray<Block>) => ({
  id: "msg_1", type: "message", role: "assistant", model, content, stop_sequence: null,
  stop_reason: stopOf(content), usage: { ...messageUsage, output_tokens: content.length > 0 ? usage.output : 1 }
})

const eventsOfBlock = (block: Block, index: number): Events => {
  const { text, type } = block
  const [begun, deltas] = typeof text === "string"
    ? [{ type, text: "" }, wordsOf(text).map((word) => ({ type: "text_delta", text: word }))]
    : [block, [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }]]
  return [
    ["content_block_start", { index, content_block: begun }],
    ...deltas.map((delta) => ["content_block_delta", { index, delta }] as const),
    ["content_block_stop", { index }]
  ]
}

/** The format of messages with these blocks. */
const messagesOf = (blocksOf: (body: Body, text: string) => ReadonlyArray<Block>): Format => ({
  whole: (model, body, text) => messageOf(model, blocksOf(body, text)),
  parts: (model, body, text) => {
    const blocks = blocksOf(body, text)
    const events: Events = [
      ["message_start", { message: messageOf(model, []) }],
      ...blocks.flatMap(eventsOfBlock),
      ["message_delta", { delta: { stop_reason: stopOf(blocks), stop_sequence: null }, usage: { output_tokens: usage.output } }],
      ["message_stop", {}]
    ]
    return events.map(([type, fields]) => [type, { type, ...fields }])
  }
})

/** The name of a request's first tool. */
const toolOf = ({ tools }: Body): unknown => Object((tools as ReadonlyArray<unknown> | undefined)?.[0]).name

const textBlock = (text: string): Block => ({ type: "text", text, citations: null })

const responses = responsesOf((_, text) => [textItem(text)])
const responseCall = responsesOf((body) => [textItem(before), callItem(toolOf(body))])
const messages = messagesOf((_, text) => [textBlock(text)])
const messageCall = messagesOf((body) =>
  [textBlock(before), { type: "tool_use", id: "call_1", name: toolOf(body), input: {} }])

const formatOf = (path: string, behaviour: Behaviour, body: Body): Format => {
  const isCall = behaviour === "tool" && !isAnswered(body)
  if (path.includes("/messages")) return isCall ? messageCall : messages
  if (path.includes("/responses")) return isCall ? responseCall : responses
  return isCall ? toolCall : chat
}

const stream = async (
  response: ServerResponse,
  parts: ReturnType<Format["parts"]>,
  behaviour: Behaviour,
  paceMs: number
): Promise<void> => {
  response.writeHead(200, { ...answerHeaders, "content-type": "text/event-stream" })
  for (const [i, [type, data]] of parts.entries()) {
    await pause(behaviour !== "slow" ? paceMs : i === 0 ? slowMs : 100)
    if (behaviour === "broken" && i === 2) return void response.destroy()
    response.write(`${type === null ? "" : `event: ${type}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)
  }
  if (behaviour === "late") return void response.write("\n", () => setTimeout(() => response.destroy(), 4 * paceMs))
  response.end()
}

/** How long a slow model takes to its answer, or to its stream's first part, in ms. */
export const slowMs = 200

/** Starts the provider on a free port; `paceMs` is how long each part of a stream takes. */
export const startFakeProvider = async (paceMs = 5): Promise<FakeProvider> => {
  const asked: Array<Asked> = []
  const behaviours = new Map<string, Behaviour>()
  const replies = new Map<string, string>()
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) text += chunk
    const body = JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>
    const model = String(body["model"])
    const path = request.url ?? "/"
    asked.push({ path, model, headers: request.headers, body })
    const behaviour = behaviours.get(model) ?? "answer"
    if (behaviour === "silent") return
    if (typeof behaviour === "object") {
      response.writeHead(behaviour.status, { ...answerHeaders, "content-type": "application/json" })
      return void response.end(JSON.stringify({ type: "error", error: behaviour.error }))
    }
    if (typeof behaviour === "number") {
      // An SDK that retries does so at once; older ones take 0 for no header.
      response.writeHead(behaviour, {
        ...answerHeaders, "content-type": "application/json", "retry-after": "0", "retry-after-ms": "1"
      })
      return void response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: `status ${behaviour}` } }))
    }
    const format = formatOf(path, behaviour, body)
    const said = replies.get(model) ?? textOf(model)
    if (body["stream"] === true) return stream(response, format.parts(model, body, said), behaviour, paceMs)
    if (behaviour === "broken") return void request.socket.destroy()
    if (behaviour === "slow") await pause(slowMs)
    const answer = JSON.stringify(format.whole(model, body, said))
    response.writeHead(200, { ...answerHeaders, "content-type": "application/json" })
    if (behaviour !== "half" && behaviour !== "stuck") return void response.end(answer)
    response.write(answer.slice(0, answer.length / 2), () => behaviour === "half" && setTimeout(() => response.destroy(), 4 * paceMs))
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
