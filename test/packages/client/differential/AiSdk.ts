// What programs do with the AI SDK, on a routed model.
import { beforeAll } from "@effect/vitest"
import { routed } from "../../../../packages/client/src/ai-sdk/index.ts"
import { collected, declareTable, failure, type Loose, settings, type Table } from "../support/Differential.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import { task as prompt } from "../support/Faults.ts"
import { onNewestVersion } from "../support/Peers.ts"
import { keeping, type Stage } from "../support/Stage.ts"

interface Subject {
  /** The modules `ai` and `zod`. */
  readonly ai: Loose
  readonly z: Loose
  readonly model: Loose
  readonly provider: FakeProvider
}

/** Options of all calls: errors that come in a stream are not logged. */
const calls = { prompt, maxRetries: 0, onError: () => {} }

const generate = ({ ai, model }: Subject, over: object = {}): Loose => ai.generateText({ ...calls, model, ...over })
const stream = ({ ai, model }: Subject, over: object = {}): Loose => ai.streamText({ ...calls, model, ...over })

/** The parts of a stream, and all that is known at its end. */
const streamed = async (result: Loose): Promise<unknown> => {
  const parts = await collected(result.fullStream)
  const fields = ["text", "usage", "finishReason", "response", "request", "warnings", "providerMetadata"]
  return [parts, await Promise.all(fields.map((field) => failure(result[field])))]
}

const weather = ({ ai, z }: Subject) => ({
  tools: {
    weather: ai.tool({ description: "w", inputSchema: z.object({ city: z.string().optional() }), execute: () => ({ celsius: 20 }) })
  },
  stopWhen: ai.isStepCount(5)
})
const unexecuted = ({ ai, z }: Subject) => ({ tools: { ask: ai.tool({ inputSchema: z.object({}) }) } })

const answersJson = ({ ai, provider, z }: Subject) => {
  provider.say("dear", "{\"a\": 1, \"b\": \"two words\"}")
  return { output: ai.Output.object({ schema: z.object({ a: z.number(), b: z.string() }) }) }
}

const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])

const features: Table<Subject> = {
  "a text": (given) => generate(given),
  "a text that is tried again": (given) => generate(given, { maxRetries: 1 }),
  "a stream": (given) => streamed(stream(given)),
  "a stream with raw chunks": (given) => streamed(stream(given, { include: { rawChunks: true }, includeRawChunks: true })),
  "a smooth stream": async (given) => collected(
    stream(given, { experimental_transform: given.ai.smoothStream({ delayInMs: null }) }).textStream
  ),
  "a text with files and a system prompt": (given) =>
    generate(given, {
      prompt: undefined, instructions: "be kind",
      messages: [{ role: "user", content: [{ type: "text", text: prompt }, { type: "file", data: png, mediaType: "image/png" }] }]
    }),
  "a loop of tools": (given) => generate(given, weather(given)),
  "a streamed loop of tools": (given) => streamed(stream(given, weather(given))),
  "a tool that the program runs": (given) => generate(given, unexecuted(given)),
  "a tool that is required": (given) =>
    generate(given, {
      ...weather(given), prepareStep: ({ stepNumber }: Loose) => ({ toolChoice: stepNumber === 0 ? "required" : "auto" })
    }),
  "an object": async (given) => {
    const { output, ...rest } = await generate(given, answersJson(given))
    return [output, rest]
  },
  "an object that does not fit": {
    run: (given) => generate(given, { ...answersJson(given), output: given.ai.Output.choice({ options: ["no"] }) }),
    // Another model may make it fit: the service names the next attempts, three at most, here of the only model.
    routed: ({ asked, result }) => {
      const attempts = result.name === "AI_NoObjectGeneratedError" ? [...asked, ...asked, ...asked] : asked
      return { result: namedAsRouted(result), asked: attempts }
    }
  },
  "a streamed object": async (given) => {
    const result = stream(given, answersJson(given))
    return [await collected(result.partialOutputStream), await failure(result.output)]
  },
  "an agent with tools": async (given) => {
    const agent = new given.ai.ToolLoopAgent({ model: given.model, instructions: "be kind", maxRetries: 0, ...weather(given) })
    return agent.generate({ prompt })
  },
  "an agent's stream with tools": async (given) => {
    const agent = new given.ai.ToolLoopAgent({ model: given.model, maxRetries: 0, ...weather(given), onError: () => {} })
    return streamed(await agent.stream({ prompt }))
  },
  "a streamed message of a page with tools": async (given) =>
    stream(given, weather(given)).toUIMessageStreamResponse({ sendReasoning: true, generateMessageId: () => "m" }).text(),
  "a model with middleware": (given) => {
    const middleware = given.ai.defaultSettingsMiddleware({ settings: { temperature: 0.3, maxOutputTokens: 9 } })
    return generate({ ...given, model: given.ai.wrapLanguageModel({ model: given.model, middleware }) })
  },
  "a streamed model with middleware": (given) => {
    const middleware = given.ai.extractReasoningMiddleware({ tagName: "think" })
    given.provider.say("dear", "<think>why </think>so be it")
    return streamed(stream({ ...given, model: given.ai.wrapLanguageModel({ model: given.model, middleware }) }))
  },
  "a model of a registry": (given) => {
    const own = given.ai.customProvider({ languageModels: { own: given.model } })
    return generate({ ...given, model: given.ai.createProviderRegistry({ own }).languageModel("own:own") })
  },
  "headers and settings of a call": (given) =>
    generate(given, {
      headers: { "x-of-call": "1", "user-agent": "program" }, seed: 1, stopSequences: ["a"], topP: 0.1, topK: 3, temperature: 0.5,
      presencePenalty: 1, frequencyPenalty: 1, maxOutputTokens: 50, providerOptions: { fake: { user: "u", reasoningEffort: "low" } }
    }),
  "headers of a stream": (given) => streamed(stream(given, { headers: { "x-of-call": "1" } })),
  "callbacks of a call with tools": async (given) => {
    const heard: Array<unknown> = []
    await failure(generate(given, {
      ...weather(given), onStepFinish: (step: unknown) => void heard.push(step), onFinish: (end: unknown) => void heard.push(end)
    }))
    return heard
  }
}

/** How the program sees a routed model named, wherever it sees the name of its own beside its provider's. */
export const namedAsRouted = (seen: Loose): Loose => {
  if (Array.isArray(seen)) return seen.map(namedAsRouted)
  if (typeof seen !== "object" || seen === null) return seen
  const names = Object.entries(seen).map(([name, one]) => {
    if (one === "fake.chat" && /^(provider|modelProvider)$/.test(name)) return [name, "sextant"]
    return [name, name === "modelId" && (seen.provider ?? seen.modelProvider) === "fake.chat" ? "sextant/auto" : namedAsRouted(one)]
  })
  return Object.fromEntries(names)
}

export const declareAiSdk = (stage: Stage): void =>
  onNewestVersion("ai-sdk", ({ load }) => {
    const keep = keeping()
    let modules: Loose
    beforeAll(async () => {
      const [ai, { z }, { createOpenAICompatible }] = await Promise.all(
        ["ai", "zod", "@ai-sdk/openai-compatible"].map((name) => load<Loose>(name))
      )
      modules = { ai, z, createOpenAICompatible }
      // Warnings are compared, not logged.
      Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false)
    })
    const subject = (wrap: (model: Loose) => Loose): Subject => {
      const { createOpenAICompatible, ...rest } = modules
      const compatible = createOpenAICompatible({
        name: "fake", baseURL: `${stage.provider.url}/v1`, apiKey: "any", includeUsage: true, supportsStructuredOutputs: true,
        headers: { "x-of-program": "0" }
      })
      return { ...rest, provider: stage.provider, model: wrap(compatible("dear")) }
    }
    declareTable(stage, { features, named: namedAsRouted }, {
      direct: () => subject((model) => model),
      routed: () => subject((dear) => keep(routed({ ...stage.service, ...settings, models: { dear } })))
    })
  })
