// You learn how the OpenAI Agents SDK runs on a client for which Sextant names the model of each turn, and where the
// answer says which one it was.
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents"
import OpenAI from "openai"
import { sextantOf, withSextant } from "sextant-client/openai"
import { z } from "zod"

const { MODELS, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const models = MODELS.split(",")

const client = withSextant(new OpenAI(), {
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400),
  models, defaultModelId: models[0]
})
setDefaultOpenAIClient(client)
setTracingDisabled(true)

const level = tool({
  name: "level", description: "The level of a river, in metres", parameters: z.object({}),
  execute: async () => "3.2"
})
const agent = new Agent({ name: "Hydrologist", instructions: "Answer in one line.", model: "sextant/auto", tools: [level] })

const result = await run(agent, process.argv[2] ?? "How high is the river?")
console.log(result.finalOutput)
for (const { providerData } of result.rawResponses) {
  const { modelId, reason, source } = sextantOf(providerData)
  console.log(`  (${modelId}, named by the ${source}${reason === null ? "" : `: ${reason}`})`)
}
// The verdict of a run is about the turn that gave its answer; here a check of the answer's form.
const [last] = result.rawResponses.slice(-1)
const isOneLine = !result.finalOutput.includes("\n")
console.log(client.sextant.score(last.providerData, isOneLine, "gate") ? "  (scored)" : "  (nothing to score)")
await client.sextant.flush()
console.log(`reports lost: ${client.sextant.dropped()}`)
