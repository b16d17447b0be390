// The types of the router fit those of LangChain itself: a program with both compiles, and a wrong one does not.
import { assert, describe, it } from "@effect/vitest"
import { complaintsOf } from "../support/Compiled.ts"
import { onEachVersion } from "../support/Peers.ts"

const program = `import { createAgent, createMiddleware, modelFallbackMiddleware } from "langchain"
import { ChatOpenAI } from "@langchain/openai"
import { sextantRouter } from "sextant-client/langchain"

const models = { small: new ChatOpenAI({ model: "small" }), large: new ChatOpenAI({ model: "large" }) }
const router = sextantRouter({ models, defaultModelId: "large", baseUrl: "http://localhost:8080", apiKey: "k" })
export const agent = createAgent({ model: models.large, tools: [], middleware: [modelFallbackMiddleware(models.small), router] })
export const other = createAgent({ model: models.large, tools: [], middleware: [createMiddleware(router)] })
export const answer = agent.invoke({ messages: [{ role: "user", content: "x" }] }).then(({ messages }) => messages.at(-1)?.text)
export const model: Promise<"small" | "large"> = router.sextant.choose("x").then((choice) => choice.modelId)
sextantRouter({ models, defaultModelId: "large", baseUrl: "", apiKey: "k", ask: () => ({ models: ["small"], task: { tags: ["a"] } }) })
// @ts-expect-error the framework's own types are read
createAgent({ model: 5 })
// @ts-expect-error the default is one of the models
sextantRouter({ models, defaultModelId: "gone", baseUrl: "http://localhost:8080", apiKey: "k" })
// @ts-expect-error a model is missing
sextantRouter({ models: { small: models.small, large: undefined }, defaultModelId: "small", baseUrl: "", apiKey: "k" })
// @ts-expect-error a name is no model
sextantRouter({ models: { small: "openai:small" }, defaultModelId: "small", baseUrl: "", apiKey: "k" })
`

onEachVersion("langchain", ({ folder }) => {
  describe("a program with the framework's types", () => {
    it("compiles, and does not with a default or a model that is missing", () => {
      assert.strictEqual(complaintsOf({ "program.ts": program }, [folder]), "")
    })
  })
})
