// You learn how a model that Sextant names goes into the AI SDK like any other, and how a person's + or - becomes the
// verdict: a chat in the terminal, which reads messages from its arguments or its input.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { streamText } from "ai"
import { randomUUID } from "node:crypto"
import { createInterface } from "node:readline"
import { routed } from "sextant-client/ai-sdk"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const provider = createOpenAICompatible({
  name: "openai", baseURL: OPENAI_BASE_URL ?? "https://api.openai.com/v1", apiKey: OPENAI_API_KEY, includeUsage: true
})
const [defaultModelId, ...others] = MODELS.split(",")

const model = routed({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400), defaultModelId,
  models: Object.fromEntries([defaultModelId, ...others].map((id) => [id, provider(id)]))
})

const conversationId = randomUUID()
const messages = []
let lastId = null

const answer = async (content) => {
  messages.push({ role: "user", content })
  const result = streamText({ model, messages, providerOptions: { sextant: { conversationId } } })
  let text = ""
  for await (const delta of result.textStream) {
    process.stdout.write(delta)
    text += delta
  }
  messages.push({ role: "assistant", content: text })
  const { modelId, reason, recommendationId, source } = (await result.providerMetadata).sextant
  lastId = recommendationId
  console.log(`\n  (${modelId}, named by the ${source}${reason === null ? "" : `: ${reason}`})`)
}

const given = process.argv.slice(2)
for await (const line of given.length > 0 ? given : createInterface({ input: process.stdin })) {
  if (line === "+" || line === "-") {
    console.log(model.sextant.score(lastId, line === "+", "human") ? "  (thank you)" : "  (nothing to score)")
  } else await answer(line)
}
await model.sextant.flush()
console.log(`reports lost: ${model.sextant.dropped()}`)
