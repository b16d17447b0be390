// Each feature of the newest SDKs, direct and routed: the program gets the same, and the provider is asked the same.
import { assert, beforeAll, it } from "@effect/vitest"
import { withSextant as withAnthropic } from "../../../packages/client/src/anthropic/index.ts"
import { withSextant as withOpenAi } from "../../../packages/client/src/openai/index.ts"
import type { Behaviour } from "./support/FakeProvider.ts"
import { task } from "./support/Faults.ts"
import { onNewestVersion } from "./support/Peers.ts"
import type { RealService } from "./support/RealService.ts"
import { keeping, type Stage, staged } from "./support/Stage.ts"

/** A value of an SDK, whose types differ between versions: the tests compare what comes of it. */
type Loose = any

type Case = (client: Loose, model: string) => Promise<unknown>

const collected = async (parts: AsyncIterable<unknown>): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for await (const part of parts) all.push(part)
  return all
}

/** What a program can see of an error. */
const failure = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work
  } catch (error) {
    const { code, message, name, status } = error as Error & { readonly code?: unknown; readonly status?: unknown }
    return { name, constructor: (error as object).constructor.name, code, message, status }
  }
}

/** Bytes of a stream, as the SDK passes them on. */
const bytesOf = async (work: Loose): Promise<string> => (await work.asResponse()).text()

const messages = [{ role: "user", content: task }]
const parameters = { type: "object", properties: { city: { type: "string" } }, required: [] }
const chatTool = { type: "function", function: { name: "weather", parameters, parse: JSON.parse, function: () => "20" } }
const usageAsked = { stream_options: { include_usage: true } }
const jsonSchema = { type: "json_schema", json_schema: { name: "s", schema: { type: "object", properties: {} } } }

const chat = (client: Loose): Loose => client.chat.completions
const create = (client: Loose, model: string, over: object = {}, options?: object): Loose =>
  chat(client).create({ model, messages, ...over }, options)
const respond = (client: Loose, model: string, over: object = {}): Loose =>
  client.responses.create({ model, input: task, ...over })

const ofOpenAi: Readonly<Record<string, Case>> = {
  "a chat": (client, model) => create(client, model),
  "a chat with its response": async (client, model) => {
    const { data, response } = await create(client, model).withResponse()
    return [data, response.status]
  },
  "a chat's bytes": (client, model) => bytesOf(create(client, model)),
  "a stream with usage": async (client, model) => collected(await create(client, model, { stream: true, ...usageAsked })),
  "a stream's bytes": (client, model) => bytesOf(create(client, model, { stream: true, ...usageAsked })),
  "a stream that is read twice": async (client, model) => {
    const [one, other] = (await create(client, model, { stream: true, ...usageAsked })).tee()
    return [await collected(one), await collected(other)]
  },
  "the stream helper": async (client, model) => {
    const parts: Array<unknown> = []
    const stream = chat(client).stream({ model, messages, ...usageAsked })
    stream.on("content", (part: unknown) => void parts.push(part))
    return [await stream.finalContent(), parts, await stream.finalChatCompletion(), await stream.totalUsage()]
  },
  "a parsed chat that does not parse": (client, model) =>
    failure(chat(client).parse({ model, messages, response_format: { ...jsonSchema, $parseRaw: JSON.parse } })),
  "the tool runner": async (client, model) => {
    const runner = chat(client).runTools({ model, messages, tools: [chatTool] })
    return [await runner.finalContent(), runner["messages"]]
  },
  "a chat with tools of the program's": (client, model) => create(client, model, { tools: [{ type: "function", function: { name: "weather", parameters } }] }),
  "a response": (client, model) => respond(client, model),
  "a streamed response": async (client, model) => collected(await respond(client, model, { stream: true })),
  "the response helper": async (client, model) => {
    const stream = client.responses.stream({ model, input: task })
    const types = (await collected(stream)).map((event) => Object(event).type)
    return [types, await stream.finalResponse()]
  },
  "a response with a tool": (client, model) => respond(client, model, { tools: [{ type: "function", name: "weather", parameters, strict: false }] }),
  "options of a client": (client, model) => create(client.withOptions({ timeout: 5_000 }), model),
  "a post by hand": (client, model) => client.post("/chat/completions", { body: { model, messages } })
}

const message = (model: string, over: object = {}) => ({ model, max_tokens: 100, messages, ...over })
const tools = [{ name: "weather", input_schema: parameters }]

const ofAnthropic: Readonly<Record<string, Case>> = {
  "a message": (client, model) => client.messages.create(message(model)),
  "a message with its response": async (client, model) => {
    const { data, response } = await client.messages.create(message(model)).withResponse()
    return [data, response.status]
  },
  "a message's bytes": (client, model) => bytesOf(client.messages.create(message(model))),
  "a stream": async (client, model) => collected(await client.messages.create(message(model, { stream: true }))),
  "a stream's bytes": (client, model) => bytesOf(client.messages.create(message(model, { stream: true }))),
  "the stream helper": async (client, model) => {
    const stream = client.messages.stream(message(model))
    const events = await collected(stream)
    return [events, await stream.finalMessage(), await stream.finalText()]
  },
  "a message with a system prompt that is cached": (client, model) =>
    client.messages.create(message(model, { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }] })),
  "a message with tools of the program's": (client, model) => client.messages.create(message(model, { tools })),
  "a beta message": (client, model) => client.beta.messages.create(message(model, { betas: ["x"] })),
  "the beta tool runner": (client, model) =>
    client.beta.messages.toolRunner(
      message(model, { tools: [{ type: "custom", ...tools[0], run: () => "20", parse: (input: unknown) => input }] })
    ),
  "a post by hand": (client, model) => client.post("/v1/messages", { body: message(model) })
}

/** How the provider's only model behaves. */
const behaviours: ReadonlyArray<Behaviour> = ["answer", "tool", 400, 500, "half"]

/** A result as data: without what the adapter adds, and without the ids that the provider counts. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, each) => key === "sextant" ? undefined : each).replace(/chatcmpl_\d+/g, "chatcmpl"))

/** Declares every case under every behaviour. */
const declare = (
  stage: Stage,
  cases: Readonly<Record<string, Case>>,
  { direct, routed }: { readonly direct: () => Loose; readonly routed: () => Loose }
): void => {
  const seen = async (run: Case, client: Loose, model: string, behaviour: Behaviour) => {
    stage.provider.reset()
    stage.provider.set("dear", behaviour)
    const result = plain(await failure(run(client, model)))
    return { result, asked: plain(stage.provider.asked) }
  }
  for (const behaviour of behaviours) {
    for (const [name, run] of Object.entries(cases)) {
      // The provider calls a tool of the request.
      if (behaviour === "tool" && !name.includes("tool")) continue
      it(`${name} is the same direct and routed, where the model's answer is: ${behaviour}`, async () =>
        assert.deepStrictEqual(
          await seen(run, routed(), "sextant/auto", behaviour), await seen(run, direct(), "dear", behaviour)
        ))
    }
  }
}

/** One model, which is the default: what differs is the way alone. */
const settings = { models: ["dear"], defaultModelId: "dear", deadlineMs: 10_000, coolDownMs: 1 } as const

/** An SDK: what its package makes a client of at a provider's URL, and the adapter that routes it. */
interface Sdk {
  readonly adapter: string
  readonly name: string
  readonly make: (module: Loose, options: object, url: string) => Loose
  readonly wrap: (client: Loose, options: typeof settings & RealService) => Loose
}

const declareSdk = ({ adapter, make, name, wrap }: Sdk, cases: Readonly<Record<string, Case>>): void =>
  onNewestVersion(adapter, ({ load }) => {
    const stage = staged()
    const keep = keeping()
    let module: Loose
    beforeAll(async () => {
      module = await load<Loose>(name)
    })
    const direct = (): Loose => make(module, { apiKey: "any", maxRetries: 1 }, stage.provider.url)
    const routed = (): Loose => keep(wrap(direct(), { ...stage.service, ...settings }))
    declare(stage, cases, { direct, routed })
  })

declareSdk({
  adapter: "openai", name: "openai", wrap: withOpenAi,
  make: ({ OpenAI }, options, url) => new OpenAI({ ...options, baseURL: `${url}/v1` })
}, ofOpenAi)

declareSdk({
  adapter: "anthropic", name: "@anthropic-ai/sdk", wrap: withAnthropic,
  make: ({ Anthropic }, options, url) => new Anthropic({ ...options, baseURL: url })
}, ofAnthropic)
