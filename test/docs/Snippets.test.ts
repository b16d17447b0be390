// The programs in TypeScript of all pages compile as they stand, with the client's types and those of the frameworks.
import { assert, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { complaintsOf } from "../packages/client/support/Compiled.ts"
import { peersFolder } from "../packages/client/support/Peers.ts"

const root = join(import.meta.dirname, "../..")
const pages = globSync(["README.md", "docs/**/*.md", "packages/client/README.md"], { cwd: root }).sort()

/** The newest versions of the frameworks, as far as they are installed. */
const folders = ["ai-sdk/7.0.173", "openai/7.59.0", "anthropic/1.14.0", "langchain/1.5"].map((name) => join(peersFolder, name))
const areInstalled = folders.every((folder) => existsSync(join(folder, "node_modules")))

/** What a reader has: a key, a task, calls of providers, and what the programs before made on the same page. */
const reader = `import type { Choice, Sextant, Usage } from "sextant-client"
export interface Reader {
  readonly apiKey: string
  readonly prompt: string
  readonly task: string
  readonly recommendationId: string
  readonly thread_id: string
  readonly messages: Array<{ role: "user"; content: string }>
  readonly choice: Choice
  readonly sextant: Sextant
  readonly models: readonly ["gpt-5.4-mini", "gpt-5.5"]
  readonly generate: (model: string, prompt: string) => Promise<{ readonly usage: Usage }>
  readonly stream: (model: string, prompt: string) => Promise<AsyncIterable<{ readonly text?: string; readonly usage?: Usage }>>
  readonly callYourProvider: (model: string, task: string) => Promise<string>
  readonly passesTests: (answer: unknown) => boolean
  readonly passesTheTests: (answer: unknown) => Promise<boolean>
}`

/** The same of a reader who has the frameworks. */
const frameworks = `import type { SpanProcessor } from "@opentelemetry/sdk-trace-node"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { createAgent } from "langchain"
import type { Routed } from "sextant-client/ai-sdk"
import type { SextantRouter } from "sextant-client/langchain"
import type { Reader as Core } from "./core.ts"
export interface Reader extends Core {
  readonly model: Routed<"gpt-5.4-mini", LanguageModelV4>
  readonly result: ReturnType<typeof import("ai").streamText>
  readonly tools: []
  readonly agent: ReturnType<typeof createAgent>
  readonly router: SextantRouter<"gpt-5.4-mini">
  readonly exporting: SpanProcessor
}`

/** Packages of providers that are not installed; others of their kind stand for them. */
const providers = ["openai", "anthropic"].map((name) => `declare module "@ai-sdk/${name}" {
  import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible"
  export const ${name}: OpenAICompatibleProvider
}`).join("\n") + `
declare module "@langchain/anthropic" {
  export { ChatOpenAI as ChatAnthropic } from "@langchain/openai"
}`

/** The programs of a page, by page and line, and whether each is about an adapter, whose framework it needs. */
const snippets = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8")
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ 1: code = "", index }) => {
    const before = text.slice(0, index)
    const section = before.split(/\n##+ /).at(-1)?.split("\n")[0] ?? ""
    const isAdapter = /AI SDK|LangChain|OpenAI|OpenTelemetry/.test(section) || code.includes("sextant-client/")
    const name = `${page.replaceAll("/", "_")}_${before.split("\n").length}.ts`
    return { name, isAdapter, code }
  })
})

/** The program between its imports and a reader's names, which it may declare anew. */
const programOf = (code: string, given: string): string => {
  const names = [...given.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name)
  const isImport = (line: string): boolean => line.startsWith("import ")
  const lines = code.split("\n")
  return [
    `import type { Reader } from "./reader.ts"`, ...lines.filter(isImport),
    `export const program = async ({ ${names.join(", ")} }: Reader) => { {`, ...lines.filter((line) => !isImport(line)), "} }"
  ].join("\n")
}

const programsOf = (isAdapter: boolean, given: string) =>
  Object.fromEntries(snippets.filter((one) => one.isAdapter === isAdapter).map(({ code, name }) => [name, programOf(code, given)]))

it("The programs of the client itself compile", () => {
  const programs = programsOf(false, reader)
  assert.isAbove(Object.keys(programs).length, 5)
  assert.strictEqual(complaintsOf({ "reader.ts": reader, ...programs }, []), "")
})

it.skipIf(!areInstalled)("The programs of the adapters compile with the frameworks' types", () => {
  const programs = programsOf(true, reader + frameworks)
  assert.isAbove(Object.keys(programs).length, 8)
  const support = { "core.ts": reader, "reader.ts": frameworks, "providers.d.ts": providers }
  assert.strictEqual(complaintsOf({ ...support, ...programs }, folders), "")
})
