// An app on the AI SDK as its author wrote it, before it knew of Sextant: it answers each line of its input with a line.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, streamText } from "ai"
import { createInterface } from "node:readline"

const provider = createOpenAICompatible({ name: "fake", baseURL: process.env.PROVIDER_URL, apiKey: "any" })
const model = provider("gpt-5-mini")

for await (const line of createInterface({ input: process.stdin })) {
  const { isStream, prompt } = JSON.parse(line)
  const answer = isStream ? streamText({ model, prompt }) : await generateText({ model, prompt })
  if (isStream) for await (const _ of answer.textStream) console.log(JSON.stringify({ delta: true }))
  console.log(JSON.stringify({ text: await answer.text, metadata: await answer.providerMetadata }))
}
