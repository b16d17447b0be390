// What programs do with OpenAI's SDK.
import { task } from "../support/Faults.ts"
import { collected, failure, type Loose, type Table } from "../support/Differential.ts"
import { bytesOf, type Client } from "./Sdk.ts"

const messages = [{ role: "user", content: task }]
const parameters = { type: "object", properties: { city: { type: "string" } }, required: [] }
const chatTool = { type: "function", function: { name: "weather", parameters, parse: JSON.parse, function: () => "20" } }
const usageAsked = { stream_options: { include_usage: true } }
const jsonSchema = { type: "json_schema", json_schema: { name: "s", schema: { type: "object", properties: {} } } }
const ownTool = { type: "function", function: { name: "weather", parameters } }
const responseTool = { type: "function", name: "weather", parameters, strict: false }

/** A request whose body asks for the usage too. */
const askingForUsage = ({ body, headers, ...rest }: Loose): Loose => {
  const asking = { ...body, ...usageAsked }
  return { ...rest, body: asking, headers: { ...headers, "content-length": `${JSON.stringify(asking).length}` } }
}

const chat = ({ client }: Client): Loose => client.chat.completions
const create = (given: Client, over: object = {}, options?: object): Loose =>
  chat(given).create({ model: given.model, messages, ...over }, options)
const respond = ({ client, model }: Client, over: object = {}, options?: object): Loose =>
  client.responses.create({ model, input: task, ...over }, options)

export const openAi: Table<Client> = {
  "a chat": (given) => create(given),
  "a chat with its response": (given) => create(given).withResponse(),
  "a chat's bytes": (given) => bytesOf(create(given)),
  "a stream with usage": async (given) => collected(await create(given, { stream: true, ...usageAsked })),
  "a stream with its response": async (given) => {
    const { data, ...rest } = await create(given, { stream: true, ...usageAsked }).withResponse()
    return [rest, await failure(collected(data))]
  },
  "a stream that does not ask for its usage": {
    run: async (given) => collected(await create(given, { stream: true })),
    // The adapter asks the provider in its stead, and the program does not see it.
    routed: ({ asked, result }) => ({ result, asked: asked.map(askingForUsage) })
  },
  "a stream's bytes": (given) => bytesOf(create(given, { stream: true, ...usageAsked })),
  "a stream that is handed on": async (given) =>
    new Response((await create(given, { stream: true, ...usageAsked })).toReadableStream()).text(),
  "a stream that is read twice": async (given) => {
    const [one, other] = (await create(given, { stream: true, ...usageAsked })).tee()
    return Promise.all([failure(collected(one)), failure(collected(other))])
  },
  "the stream helper": async (given) => {
    const parts: Array<unknown> = []
    const stream = chat(given).stream({ model: given.model, messages, ...usageAsked })
    stream.on("content", (part: unknown) => void parts.push(part))
    return [await stream.finalContent(), parts, await stream.finalChatCompletion(), await stream.totalUsage()]
  },
  "a parsed chat that does not parse": (given) =>
    chat(given).parse({ model: given.model, messages, response_format: { ...jsonSchema, $parseRaw: JSON.parse } }),
  "the tool runner": async (given) => {
    const runner = chat(given).runTools({ model: given.model, messages, tools: [chatTool] })
    return [await runner.finalContent(), runner["messages"]]
  },
  "the tool runner's stream": async (given) => {
    const runner = chat(given).runTools({ model: given.model, messages, tools: [chatTool], stream: true, ...usageAsked })
    return [await runner.finalContent(), runner["messages"]]
  },
  "a chat with tools of the program's": (given) => create(given, { tools: [ownTool] }),
  "a streamed chat with tools of the program's": async (given) =>
    collected(await create(given, { tools: [ownTool], stream: true, ...usageAsked })),
  "a response": (given) => respond(given),
  "a response with its response": (given) => respond(given).withResponse(),
  "a streamed response": async (given) => collected(await respond(given, { stream: true })),
  "the stream helper of responses": async ({ client, model }) => {
    const stream = client.responses.stream({ model, input: task })
    const types = (await collected(stream)).map((event) => Object(event).type)
    return [types, await stream.finalResponse()]
  },
  "a response with a tool": (given) => respond(given, { tools: [responseTool] }),
  "a streamed response with a tool": async (given) =>
    collected(await respond(given, { tools: [responseTool], stream: true })),
  "options of a client": ({ client, model }) =>
    create({ client: client.withOptions({ timeout: 5_000, defaultHeaders: { "x-of-client": "1" } }), model }),
  "options of a request": (given) =>
    create(given, {}, { headers: { "x-of-request": "2", "user-agent": "program" }, query: { q: "1" }, idempotencyKey: "k" }),
  "options of a response": (given) => respond(given, {}, { headers: { "x-of-request": "2" }, timeout: 5_000 }),
  "a post by hand": ({ client, model }) => client.post("/chat/completions", { body: { model, messages } })
}
