// What programs do with agents of Mastra, on a routed model of the AI SDK.
import { beforeAll } from "@effect/vitest"
import { routed } from "../../../../packages/client/src/ai-sdk/index.ts"
import { collected, declareTable, failure, type Loose, settings, type Table } from "../support/Differential.ts"
import type { FakeProvider } from "../support/FakeProvider.ts"
import { task } from "../support/Faults.ts"
import { onNewestVersion } from "../support/Peers.ts"
import { keeping, type Stage } from "../support/Stage.ts"
import { namedAsRouted } from "./AiSdk.ts"

interface Subject {
  readonly z: Loose
  readonly provider: FakeProvider
  readonly agentOf: (over?: object) => Loose
  readonly tools: object
}

const modelSettings = { maxRetries: 0 }

const generate = (given: Subject, options: object = {}, over?: object): Loose =>
  given.agentOf(over).generate(task, { modelSettings, ...options })
const stream = async (given: Subject, options: object = {}, over?: object): Promise<unknown> => {
  const result = await given.agentOf(over).stream(task, { modelSettings, ...options })
  const parts = await collected(result.fullStream)
  const fields = ["text", "usage", "finishReason", "response", "request", "steps", "toolCalls", "object"]
  return [parts, await Promise.all(fields.map((field) => failure(result[field])))]
}

const structured = ({ provider, z }: Subject) => {
  provider.say("dear", "{\"a\": 1}")
  return { structuredOutput: { schema: z.object({ a: z.number() }) } }
}
const headers = { "x-of-call": "1" }

const features: Table<Subject> = {
  "an answer": (given) => generate(given),
  "a stream": (given) => stream(given),
  "a loop of tools": (given) => generate(given, {}, { tools: given.tools }),
  "a streamed loop of tools": (given) => stream(given, {}, { tools: given.tools }),
  "a structured answer": (given) => generate(given, structured(given)),
  "a streamed structured answer": (given) => stream(given, structured(given)),
  "settings and headers of a call": (given) =>
    generate(given, { modelSettings: { ...modelSettings, headers, temperature: 0.3, maxOutputTokens: 50, topP: 0.1 } }),
  "headers of a stream": (given) => stream(given, { modelSettings: { ...modelSettings, headers } }),
  "options of the provider": (given) => generate(given, { providerOptions: { fake: { user: "u" } }, toolChoice: "none" })
}

export const declareMastra = (stage: Stage): void =>
  onNewestVersion("mastra", ({ load }) => {
    const keep = keeping()
    let modules: Loose
    beforeAll(async () => {
      const names = ["@mastra/core/agent", "@mastra/core/mastra", "@mastra/core/tools", "zod", "@ai-sdk/openai-compatible"]
      modules = Object.assign({}, ...await Promise.all(names.map((name) => load<Loose>(name))))
    })
    const subject = (wrap: (model: Loose) => Loose): Subject => {
      const { Agent, Mastra, createOpenAICompatible, createTool, z } = modules
      const compatible = createOpenAICompatible({
        name: "fake", baseURL: `${stage.provider.url}/v1`, apiKey: "any", includeUsage: true, supportsStructuredOutputs: true,
        headers: { "x-of-program": "0" }
      })
      const weather = createTool({
        id: "weather", description: "w", inputSchema: z.object({ city: z.string().optional() }), execute: async () => 20
      })
      const model = wrap(compatible("dear"))
      const agentOf = (over: object = {}) => {
        const a = new Agent({ id: "a", name: "a", instructions: "Be brief", model, ...over })
        // Without this it logs every outage that these tests make.
        return new Mastra({ agents: { a }, logger: false }).getAgent("a")
      }
      return { z, provider: stage.provider, agentOf, tools: { weather } }
    }
    declareTable(stage, { features, named: namedAsRouted }, {
      direct: () => subject((model) => model),
      routed: () => subject((dear) => keep(routed({ ...stage.service, ...settings, models: { dear } })))
    })
  })
