// What programs do with Anthropic's SDK.
import { task } from "../support/Faults.ts"
import { collected, failure, type Loose, type Table } from "../support/Differential.ts"
import { bytesOf, type Client } from "./Sdk.ts"

const messages = [{ role: "user", content: task }]
const tool = { name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } }, required: [] } }
const runTool = { type: "custom", ...tool, run: () => "20", parse: (input: unknown) => input }

const bodyOf = ({ model }: Client, over: object = {}) => ({ model, max_tokens: 100, messages, ...over })
const create = (given: Client, over: object = {}, options?: object): Loose =>
  given.client.messages.create(bodyOf(given, over), options)

export const anthropic: Table<Client> = {
  "a message": (given) => create(given),
  "a message with its response": (given) => create(given).withResponse(),
  "a message's bytes": (given) => bytesOf(create(given)),
  "a stream": async (given) => collected(await create(given, { stream: true })),
  "a stream with its response": async (given) => {
    const { data, ...rest } = await create(given, { stream: true }).withResponse()
    return [rest, await failure(collected(data))]
  },
  "a stream's bytes": (given) => bytesOf(create(given, { stream: true })),
  "the stream helper": async (given) => {
    const stream = given.client.messages.stream(bodyOf(given))
    const events = await collected(stream)
    return [events, await stream.finalMessage(), await stream.finalText(), stream.request_id]
  },
  "the stream helper with its response": async (given) => {
    const { data, ...rest } = await given.client.messages.stream(bodyOf(given)).withResponse()
    return [rest, await failure(data.finalMessage())]
  },
  "a message with a system prompt that is cached": (given) =>
    create(given, { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }] }),
  "a message with tools of the program's": (given) => create(given, { tools: [tool] }),
  "a stream with tools of the program's": async (given) => collected(await create(given, { tools: [tool], stream: true })),
  "a beta message": (given) => given.client.beta.messages.create(bodyOf(given, { betas: ["x", "y"] })),
  "the beta tool runner": (given) => given.client.beta.messages.toolRunner(bodyOf(given, { tools: [runTool] })),
  "the beta tool runner's stream": async (given) => {
    const all: Array<unknown> = []
    for await (const stream of given.client.beta.messages.toolRunner(bodyOf(given, { tools: [runTool], stream: true }))) {
      all.push(await stream.finalMessage())
    }
    return all
  },
  "options of a client": ({ client, model }) =>
    create({ client: client.withOptions({ timeout: 5_000, defaultHeaders: { "x-of-client": "1" } }), model }),
  "options of a request": (given) =>
    create(given, {}, { headers: { "x-of-request": "2", "anthropic-beta": "z" }, query: { q: "1" } }),
  "a post by hand": (given) => given.client.post("/v1/messages", { body: bodyOf(given) })
}
