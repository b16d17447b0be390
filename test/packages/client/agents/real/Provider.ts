// A provider of models for the coding agents: Anthropic's messages, OpenAI's chat completions and responses, Gemini's
// generateContent, streamed or not. The newest word `scenario:<name>` of a request picks the answers, step by step.
import { createServer, type ServerResponse } from "node:http"
import { zstdDecompressSync, gunzipSync } from "node:zlib"

/** One answer: words, or a call of the first of these tools that the request offers. */
export type Step = { readonly say: string } | { readonly call: Readonly<Record<string, Readonly<Record<string, unknown>>>> }

/** Answers by the model that is asked. */
export type Scenario = (model: string) => ReadonlyArray<Step>

export interface Request {
  readonly model: string
  readonly effort: string | null
  readonly scenario: string | null
}

export interface Provider {
  readonly url: string
  readonly requests: Array<Request>
  readonly close: () => void
}

interface Turn {
  readonly isModel: boolean
  readonly text: string
}

/** A request in the words of its API, as far as a scenario needs it. */
interface Asked {
  readonly model: string
  readonly effort: string | null
  readonly isStream: boolean
  readonly turns: ReadonlyArray<Turn>
  readonly tools: ReadonlyArray<{ readonly name: string; readonly namespace?: string }>
}

type Fields = Record<string, any>

const textOf = (content: unknown): string =>
  typeof content === "string" ? content
  : Array.isArray(content) ? content.map((part) => typeof part?.text === "string" ? part.text : "").join("\n") : ""

let count = 0
const id = (kind: string): string => `${kind}_${Date.now().toString(36)}${count++}`

/** Tokens of an answer: most of the input comes from the cache. */
const tokensOf = (bytes: number) => {
  const input = Math.ceil(bytes / 4)
  return { input, cached: Math.floor(input * 0.6), write: Math.floor(input * 0.1), output: 12 }
}

interface Answer {
  readonly say: string | null
  readonly tool: { readonly name: string; readonly namespace?: string; readonly input: Fields } | null
}

const stepOf = ({ model, tools, turns }: Asked, scenarios: Readonly<Record<string, Scenario>>) => {
  let [from, name]: [number, string | null] = [-1, null]
  for (const [at, { isModel, text }] of turns.entries()) {
    const found = [...text.matchAll(/scenario:([a-z-]+)/g)].at(-1)?.[1]
    if (!isModel && found !== undefined) [from, name] = [at, found]
  }
  const steps = scenarios[name ?? ""]?.(model) ?? [{ say: "Plain answer." }]
  const step = steps[Math.min(turns.slice(from + 1).filter(({ isModel }) => isModel).length, steps.length - 1)]
  if (step === undefined || "say" in step) return { name, answer: { say: step?.say ?? "Done.", tool: null } }
  const tool = tools.find((one) => one.name in step.call)
  return tool === undefined
    ? { name, answer: { say: `no tool ${Object.keys(step.call)} in ${tools.map((one) => one.name)}`, tool: null } }
    : { name, answer: { say: null, tool: { ...tool, input: step.call[tool.name] ?? {} } } }
}

type Api = {
  readonly read: (body: Fields, path: string) => Asked
  readonly write: (asked: Asked, answer: Answer, bytes: number, send: Send) => void
}

interface Send {
  readonly json: (value: unknown) => void
  readonly event: (value: Fields, name?: string) => void
  readonly end: (last?: string) => void
}

const anthropic: Api = {
  read: (body) => ({
    model: body["model"], effort: body["output_config"]?.effort ?? null, isStream: body["stream"] === true,
    turns: body["messages"].map((one: Fields) => ({ isModel: one["role"] === "assistant", text: textOf(one["content"]) })),
    tools: (body["tools"] ?? []).map((tool: Fields) => ({ name: tool["name"] }))
  }),
  write: ({ isStream, model }, { say, tool }, bytes, { end, event, json }) => {
    const { cached, input, output, write } = tokensOf(bytes)
    const usage = {
      input_tokens: input - cached - write, cache_creation_input_tokens: write, cache_read_input_tokens: cached, output_tokens: output
    }
    const block = tool === null ? { type: "text", text: say } : { type: "tool_use", id: id("toolu"), name: tool.name, input: tool.input }
    const message = {
      id: id("msg"), type: "message", role: "assistant", model, content: [block], stop_sequence: null, usage,
      stop_reason: tool === null ? "end_turn" : "tool_use"
    }
    if (!isStream) return json(message)
    const send = (type: string, fields: Fields) => event({ type, ...fields }, type)
    send("message_start", { message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } })
    send("content_block_start", { index: 0, content_block: tool === null ? { type: "text", text: "" } : { ...block, input: {} } })
    send("content_block_delta", {
      index: 0,
      delta: tool === null ? { type: "text_delta", text: say } : { type: "input_json_delta", partial_json: JSON.stringify(tool.input) }
    })
    send("content_block_stop", { index: 0 })
    send("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: output } })
    send("message_stop", {})
    end()
  }
}

const chat: Api = {
  read: (body) => ({
    model: body["model"], effort: body["reasoning_effort"] ?? null, isStream: body["stream"] === true,
    turns: body["messages"].filter((one: Fields) => !["system", "developer"].includes(one["role"]))
      .map((one: Fields) => ({ isModel: one["role"] === "assistant", text: one["role"] === "tool" ? "" : textOf(one["content"]) })),
    tools: (body["tools"] ?? []).map((tool: Fields) => ({ name: tool["function"]?.name }))
  }),
  write: ({ isStream, model }, { say, tool }, bytes, { end, event, json }) => {
    const { cached, input, output } = tokensOf(bytes)
    const usage = {
      prompt_tokens: input, completion_tokens: output, total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached }, completion_tokens_details: { reasoning_tokens: 3 }
    }
    const calls = tool === null ? {} : {
      tool_calls: [{ index: 0, id: id("call"), type: "function", function: { name: tool.name, arguments: JSON.stringify(tool.input) } }]
    }
    const base = { id: id("chatcmpl"), created: 1, model }
    const message = { role: "assistant", content: say ?? "", ...calls }
    const finish_reason = tool === null ? "stop" : "tool_calls"
    if (!isStream) return json({ ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage })
    event({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta: message, finish_reason: null }] })
    event({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason }], usage })
    end("data: [DONE]\n\n")
  }
}

/** Tools stand in the request, in a namespace of it, or in an item of the input. */
const responseTools = (tools: ReadonlyArray<Fields>): ReadonlyArray<{ name: string; namespace?: string }> =>
  tools.flatMap((tool) =>
    tool["type"] === "namespace"
      ? tool["tools"].map((inner: Fields) => ({ name: inner["name"], namespace: tool["name"] }))
      : [{ name: tool["name"] ?? tool["type"] }])

const responses: Api = {
  read: (body) => {
    const items: ReadonlyArray<Fields> = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : body["input"]
    return {
      model: body["model"], effort: body["reasoning"]?.effort ?? null, isStream: body["stream"] === true,
      turns: items.map((item) => ({
        isModel: item["role"] === "assistant" || /_call$/.test(item["type"] ?? ""),
        text: item["role"] === "user" ? textOf(item["content"]) : ""
      })),
      tools: responseTools([...body["tools"] ?? [], ...items.flatMap((item) => item["type"] === "additional_tools" ? item["tools"] : [])])
    }
  },
  write: ({ isStream, model }, { say, tool }, bytes, { end, event, json }) => {
    const { cached, input, output } = tokensOf(bytes)
    const item = tool === null
      ? { type: "message", id: id("msg"), status: "completed", role: "assistant", content: [{ type: "output_text", text: say, annotations: [] }] }
      : {
        type: "function_call", id: id("fc"), call_id: id("call"), name: tool.name, arguments: JSON.stringify(tool.input),
        status: "completed", ...(tool.namespace === undefined ? {} : { namespace: tool.namespace })
      }
    const response = {
      id: id("resp"), object: "response", created_at: 1, status: "completed", model, output: [item], error: null,
      usage: {
        input_tokens: input, input_tokens_details: { cached_tokens: cached }, output_tokens: output,
        output_tokens_details: { reasoning_tokens: 3 }, total_tokens: input + output
      }
    }
    if (!isStream) return json(response)
    const send = (type: string, fields: Fields) => event({ type, sequence_number: count++, ...fields }, type)
    send("response.created", { response: { ...response, status: "in_progress", output: [], usage: null } })
    send("response.output_item.added", { output_index: 0, item: tool === null ? { ...item, content: [] } : { ...item, arguments: "" } })
    if (tool === null) send("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta: say })
    send("response.output_item.done", { output_index: 0, item })
    send("response.completed", { response })
    end()
  }
}

const gemini: Api = {
  read: (body, path) => ({
    model: /models\/([^:]+)/.exec(path)?.[1] ?? "", effort: null, isStream: path.includes(":stream"),
    turns: (body["contents"] ?? []).map((one: Fields) => ({
      isModel: one["role"] === "model",
      text: one["parts"].some((part: Fields) => "functionResponse" in part) ? "" : textOf(one["parts"])
    })),
    tools: (body["tools"] ?? []).flatMap((tool: Fields) => (tool["functionDeclarations"] ?? []).map((one: Fields) => ({ name: one["name"] })))
  }),
  write: ({ isStream, model }, { say, tool }, bytes, { end, event, json }) => {
    const { cached, input, output } = tokensOf(bytes)
    const answer = {
      candidates: [{
        content: { role: "model", parts: [tool === null ? { text: say } : { functionCall: { id: id("call"), name: tool.name, args: tool.input } }] },
        finishReason: "STOP", index: 0
      }],
      usageMetadata: {
        promptTokenCount: input, candidatesTokenCount: output, cachedContentTokenCount: cached, thoughtsTokenCount: 3,
        totalTokenCount: input + output + 3
      },
      modelVersion: model, responseId: id("resp")
    }
    if (!isStream) return json(answer)
    event(answer)
    end()
  }
}

const apiOf = (path: string): Api | null =>
  path.endsWith("/messages") ? anthropic
  : path.endsWith("/chat/completions") ? chat
  : path.endsWith("/responses") ? responses
  : /:(stream)?generateContent$/i.test(path) ? gemini : null

const senderOf = (response: ServerResponse): Send => {
  const begin = (type: string) => response.headersSent || response.writeHead(200, { "content-type": type })
  return {
    json: (value) => {
      begin("application/json")
      response.end(JSON.stringify(value))
    },
    event: (value, name) => {
      begin("text/event-stream")
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`)
    },
    end: (last = "") => response.end(last)
  }
}

export const startProvider = async (scenarios: Readonly<Record<string, Scenario>>): Promise<Provider> => {
  const requests: Array<Request> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const whole = Buffer.concat(chunks)
    const encoding = request.headers["content-encoding"]
    const bytes = encoding === "gzip" ? gunzipSync(whole) : encoding === "zstd" ? zstdDecompressSync(whole) : whole
    const { pathname } = new URL(request.url ?? "/", "http://provider")
    const api = apiOf(pathname)
    if (api === null || request.method !== "POST") return response.writeHead(404, { "content-type": "application/json" }).end("{}")
    const asked = api.read(JSON.parse(bytes.toString("utf8")), pathname)
    const { answer, name } = stepOf(asked, scenarios)
    requests.push({ model: asked.model, effort: asked.effort, scenario: name })
    api.write(asked, answer, bytes.length, senderOf(response))
  })
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 404 Not Found\r\n\r\n"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`,
    requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
