// What programs do with agents of LangChain, with the router as a middleware.
import { beforeAll } from "@effect/vitest"
import { sextantRouter } from "../../../../packages/client/src/langchain/index.ts"
import { collected, declareTable, failure, type Loose, settings, type Table } from "../support/Differential.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import { task } from "../support/Faults.ts"
import { onNewestVersion } from "../support/Peers.ts"
import { keeping, type Stage } from "../support/Stage.ts"

interface Subject {
  /** The modules `langchain`, `@langchain/langgraph` and `zod`. */
  readonly lang: Loose
  readonly graph: Loose
  readonly z: Loose
  readonly provider: FakeProvider
  readonly modelOf: (over?: object) => Loose
  /** The router for this model, or a middleware that does nothing: LangChain wraps errors of any in one of its own. */
  readonly routerOf: (model: Loose) => object
}

const input = { messages: [{ role: "user", content: task }] }

/** An agent with a tool, and what a feature gives it. */
const agentOf = ({ lang, modelOf, routerOf, z }: Subject, { middleware = [], model = modelOf(), ...over }: Loose = {}): Loose => {
  const weather = lang.tool(() => "20", { name: "weather", description: "w", schema: z.object({ city: z.string().optional() }) })
  return lang.createAgent({ model, tools: [weather], middleware: [routerOf(model), ...middleware], ...over })
}

/** What an agent with these middlewares yields. */
const layered = (given: Subject, middlewares: (given: Subject) => ReadonlyArray<object>): Promise<unknown> =>
  agentOf(given, { middleware: middlewares(given) }).invoke(input)

const streamedAs = (streamMode: string, over?: object) => async (given: Subject) =>
  collected(await agentOf(given, over).stream(input, { streamMode }))

const answersJson = ({ provider, z }: Subject): Loose => {
  provider.say("dear", "{\"a\": 1}")
  return z.object({ a: z.number() })
}

const features: Table<Subject> = {
  "an agent with tools": (given) => agentOf(given).invoke(input),
  "an agent without any": (given) => agentOf(given, { tools: [], systemPrompt: "be kind" }).invoke(input),
  "a stream of values, with tools": streamedAs("values"),
  "a stream of updates, with tools": streamedAs("updates"),
  "a stream of messages, with tools": async (given) =>
    collected(await agentOf(given, { model: given.modelOf({ streaming: true }) }).stream(input, { streamMode: "messages" })),
  "a stream of events, with tools": async (given) =>
    (await collected(agentOf(given).streamEvents(input, { version: "v2" })) as ReadonlyArray<Loose>)
      .map(({ data, event, name }) => /model|tool/.test(event) ? [event, name, data] : [event, name]),
  "callbacks, with tools": async (given) => {
    const heard: Array<unknown> = []
    const note = (name: string) => (...said: ReadonlyArray<unknown>) =>
      void heard.push([name, said.filter((one) => Object(one) === one)])
    const names = ["ChatModelStart", "LLMNewToken", "LLMEnd", "LLMError", "ToolStart", "ToolEnd"]
    const callbacks = [Object.fromEntries(names.map((name) => [`handle${name}`, note(name)]))]
    return [await failure(agentOf(given).invoke(input, { callbacks })), heard]
  },
  "a structured answer of a tool": (given) => {
    const place = { title: "place", type: "object", properties: { city: { type: "string" } } }
    return agentOf(given, { tools: [], responseFormat: given.lang.toolStrategy(place) }).invoke(input)
  },
  "a structured answer of the provider": (given) =>
    agentOf(given, { tools: [], responseFormat: given.lang.providerStrategy(answersJson(given)) }).invoke(input),
  "a tool that a person approves": async (given) => {
    const { Command, MemorySaver } = given.graph
    const asking = given.lang.humanInTheLoopMiddleware({ interruptOn: { weather: true } })
    const agent = agentOf(given, { checkpointer: new MemorySaver(), middleware: [asking] })
    const config = { configurable: { thread_id: "t" } }
    const first = await agent.invoke(input, config)
    const resumed = new Command({ resume: { decisions: [{ type: "approve" }] } })
    return first.__interrupt__ === undefined ? first : [first, await agent.invoke(resumed, config)]
  },
  "two turns of a memory": async (given) => {
    const agent = agentOf(given, { checkpointer: new given.graph.MemorySaver() })
    const config = { configurable: { thread_id: "t" } }
    await agent.invoke(input, config)
    return agent.invoke({ messages: [{ role: "user", content: "And then?" }] }, config)
  },
  "middleware that prompts": (given) =>
    layered(given, ({ lang }) => [lang.dynamicSystemPromptMiddleware(() => "be kind"), lang.todoListMiddleware()]),
  "middleware that tries again": (given) =>
    layered(given, ({ lang }) => [lang.modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 1, jitter: false })]),
  "middleware that falls back": (given) =>
    layered(given, ({ lang, modelOf }) => [lang.modelFallbackMiddleware(modelOf({ model: "spare" }))]),
  "a limit of calls, with tools": (given) => layered(given, ({ lang }) => [lang.modelCallLimitMiddleware({ runLimit: 1 })]),
  "the responses of a model, with tools": (given) =>
    agentOf(given, { model: given.modelOf({ useResponsesApi: true }) }).invoke(input),
  "settings and headers of a model": (given) => {
    const defaultHeaders = { "x-of-program": "0", "user-agent": "program" }
    const configuration = { baseURL: `${given.provider.url}/v1`, defaultHeaders }
    return agentOf(given, { model: given.modelOf({ temperature: 0.2, configuration, __includeRawResponse: true }) }).invoke(input)
  },
  "settings and headers of a call": (given) => {
    const wrapModelCall = (request: Loose, handler: Loose) =>
      handler({ ...request, modelSettings: { headers: { "x-of-call": "1" }, temperature: 0.3 } })
    return layered(given, ({ lang }) => [lang.createMiddleware({ name: "Settings", wrapModelCall })])
  },
  "an agent in a graph": (given) => {
    const { END, MessagesAnnotation, START, StateGraph } = given.graph
    const around = new StateGraph(MessagesAnnotation).addNode("a", agentOf(given).graph)
    return around.addEdge(START, "a").addEdge("a", END).compile().invoke(input)
  }
}

export const declareLangChain = (stage: Stage): void =>
  onNewestVersion("langchain", ({ load }) => {
    const keep = keeping()
    let modules: Loose
    beforeAll(async () => {
      const [lang, graph, { z }, { ChatOpenAI }] = await Promise.all(
        ["langchain", "@langchain/langgraph", "zod", "@langchain/openai"].map((name) => load<Loose>(name))
      )
      modules = { lang, graph, z, ChatOpenAI }
    })
    const subject = (routerOf: Subject["routerOf"]): Subject => {
      const { ChatOpenAI, ...rest } = modules
      const configuration = { baseURL: `${stage.provider.url}/v1` }
      const modelOf = (over: object = {}) =>
        new ChatOpenAI({ model: "dear", apiKey: "any", maxRetries: 0, configuration, ...over })
      return { ...rest, provider: stage.provider, modelOf, routerOf }
    }
    declareTable(stage, { features }, {
      direct: () => subject(() => modules.lang.createMiddleware({
        name: "SextantRouter", wrapModelCall: (request: Loose, handler: Loose) => handler(request)
      })),
      routed: () => subject((dear) => keep(sextantRouter({ ...stage.service, ...settings, models: { dear } })))
    })
  })
