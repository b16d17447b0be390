// You learn how an agent of Mastra takes the model that Sextant names, turn by turn, and how a check of the answer
// becomes its verdict.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { Mastra } from "@mastra/core"
import { Agent } from "@mastra/core/agent"
import { createTool } from "@mastra/core/tools"
import { routed } from "sextant-client/ai-sdk"
import { z } from "zod"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const provider = createOpenAICompatible({
  name: "openai", baseURL: OPENAI_BASE_URL ?? "https://api.openai.com/v1", apiKey: OPENAI_API_KEY, includeUsage: true
})
const [defaultModelId, ...others] = MODELS.split(",")

const model = routed({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400), defaultModelId,
  models: Object.fromEntries([defaultModelId, ...others].map((id) => [id, provider(id)]))
})

const clock = createTool({
  id: "clock",
  description: "The time in a time zone, such as Europe/Rome",
  inputSchema: z.object({ timeZone: z.string() }),
  execute: async ({ timeZone }) => new Date().toLocaleTimeString("en-GB", { timeZone })
})

const { greeter } = new Mastra({
  logger: false,
  agents: {
    greeter: new Agent({ id: "greeter", name: "Greeter", instructions: "Greet the user.", model, tools: { clock } })
  }
}).listAgents()

for (const prompt of ["Say hello to the morning shift in Rome", "Say hello to the night shift in Lima"]) {
  const providerOptions = { sextant: { request: { namespace: "greetings" } } }
  const { steps, text } = await greeter.generate(prompt, { providerOptions })
  for (const { providerMetadata: { sextant } } of steps) {
    console.log(`${sextant.source} ${sextant.modelId}: ${text}`)
    // The check is the verdict; without a decision, `score` does nothing.
    model.sextant.score(sextant.recommendationId, /hello/i.test(text), "gate")
  }
}
await model.sextant.flush()
console.log(`reports lost: ${model.sextant.dropped()}`)
