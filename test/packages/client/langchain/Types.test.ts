// The types of the router fit those of LangChain itself: a program with both compiles, and a wrong one does not.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onEachVersion } from "../support/Peers.ts"

const root = join(import.meta.dirname, "../../../..")

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
    it("compiles, and does not with a default or a model that is missing", { timeout: 120_000 }, () => {
      const directory = mkdtempSync(join(tmpdir(), "sextant-client-langchain-"))
      try {
        writeFileSync(join(directory, "program.ts"), program)
        writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({
          extends: join(root, "packages/client/tsconfig.json"),
          compilerOptions: {
            rootDir: "/", noEmit: true, declaration: false, isolatedDeclarations: false, module: "esnext",
            moduleResolution: "bundler", skipLibCheck: true,
            paths: {
              "sextant-client/langchain": [join(root, "packages/client/src/langchain/index.ts")],
              "*": [join(folder, "node_modules/*")]
            }
          },
          include: ["program.ts"]
        }))
        const output = execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", directory], { encoding: "utf8" })
        assert.strictEqual(output, "")
      } catch (error) {
        assert.fail(String(Object(error).stdout ?? error))
      } finally {
        rmSync(directory, { recursive: true, force: true })
      }
    })
  })
})
