// You learn how a middleware names the model of each step of a LangChain agent, with a tool, a memory and the
// framework's own fallback, and how a check of the answer becomes its verdict.
import { MemorySaver } from "@langchain/langgraph"
import { ChatOpenAI } from "@langchain/openai"
import { createAgent, modelFallbackMiddleware, tool } from "langchain"
import { randomUUID } from "node:crypto"
import { sextantRouter } from "sextant-client/langchain"
import { z } from "zod"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const [defaultModelId, ...others] = MODELS.split(",")

// The router has the next model to go on with, so a model does not retry by itself.
const chatModel = (model) =>
  new ChatOpenAI({ model, apiKey: OPENAI_API_KEY, maxRetries: 0, configuration: { baseURL: OPENAI_BASE_URL } })
const models = Object.fromEntries([defaultModelId, ...others].map((id) => [id, chatModel(id)]))

const router = sextantRouter({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400), defaultModelId, models
})

const stock = { apples: 3, pears: 12 }
const inStock = tool(({ fruit }) => String(stock[fruit] ?? 0), {
  name: "in_stock", description: "How many of a fruit are in stock", schema: z.object({ fruit: z.enum(["apples", "pears"]) })
})

const agent = createAgent({
  model: models[defaultModelId],
  tools: [inStock],
  systemPrompt: "You keep a fruit shop. Answer in one short paragraph.",
  checkpointer: new MemorySaver(),
  middleware: [modelFallbackMiddleware(models[defaultModelId]), router]
})

/** The check of an answer: one paragraph of at most 300 characters. */
const isShort = (text) => text.trim() !== "" && text.length <= 300 && !text.includes("\n\n")

const thread = { configurable: { thread_id: randomUUID() } }
for (const content of process.argv.slice(2)) {
  const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, thread)
  const last = messages.at(-1)
  const { model_id, reason, recommendation_id, source } = last.response_metadata.sextant
  const isReported = recommendation_id !== null && router.sextant.score(recommendation_id, isShort(last.text), "gate")
  console.log(last.text)
  console.log(`  (${model_id}, named by the ${source}${reason === null ? "" : `: ${reason}`}; ${
    isReported ? "its check is reported" : "nothing to score"})`)
}
await router.sextant.flush()
console.log(`reports lost: ${router.sextant.dropped()}`)
