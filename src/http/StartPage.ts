/*
 * The page that a browser gets at `/`: what the service is, where the key is, and the lines that put it into
 * an SDK. It has no script, loads nothing but its icon, and never holds a key.
 */
import { createHash } from "node:crypto"
import { version } from "../domain/Version.ts"
import { style } from "./StartStyle.ts"

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The options of each SDK's client. */
const connection = (url: string): string => `  baseUrl: "${url}",
  apiKey: process.env.SEXTANT_KEY!`

interface Sdk {
  readonly name: string
  /** What is installed beside the SDK. */
  readonly install: string
  readonly code: (url: string) => string
}

const npmInstall = "npm install sextant-client"

const sdks: ReadonlyArray<Sdk> = [
  {
    name: "Any TypeScript",
    install: npmInstall,
    code: (url) => `import { createSextant } from "sextant-client"

const sextant = createSextant({
${connection(url)},
  models: ["gpt-5", "gpt-5-mini", "claude-sonnet-4-5"], defaultModelId: "gpt-5"
})
const choice = await sextant.choose(task)
const result = await choice.run((modelId) => callYourProvider(modelId, task))
choice.score(passesTests(result))`
  },
  {
    name: "AI SDK, Mastra",
    install: npmInstall,
    code: (url) => `import { routed } from "sextant-client/ai-sdk"

const model = routed({
${connection(url)},
  models: { "gpt-5": openai("gpt-5"), "gpt-5-mini": openai("gpt-5-mini") },
  defaultModelId: "gpt-5"
})
const { text } = await generateText({ model, prompt })`
  },
  {
    name: "OpenAI",
    install: npmInstall,
    code: (url) => `import { withSextant } from "sextant-client/openai"

const client = withSextant(new OpenAI(), {
${connection(url)},
  models: ["gpt-5", "gpt-5-mini"], defaultModelId: "gpt-5"
})
await client.chat.completions.create({ model: "sextant/auto", messages })`
  },
  {
    name: "Anthropic",
    install: npmInstall,
    code: (url) => `import { withSextant } from "sextant-client/anthropic"

const client = withSextant(new Anthropic(), {
${connection(url)},
  models: ["claude-sonnet-4-5", "claude-haiku-4-5"],
  defaultModelId: "claude-sonnet-4-5"
})
await client.messages.create({ model: "sextant/auto", max_tokens: 1024, messages })`
  },
  {
    name: "LangChain",
    install: npmInstall,
    code: (url) => `import { sextantRouter } from "sextant-client/langchain"

const router = sextantRouter({
${connection(url)},
  models: { "gpt-5": chatOpenAi, "claude-sonnet-4-5": chatAnthropic },
  defaultModelId: "gpt-5"
})
const agent = createAgent({ model: chatOpenAi, tools, middleware: [router] })`
  },
  {
    name: "curl",
    install: "",
    code: (url) => `curl -s ${url}/v1/recommend \\
  -H "authorization: Bearer $SEXTANT_KEY" -H 'content-type: application/json' \\
  -d '{"task":{"task":"Fix this failing unit test"},
       "constraints":{"candidate_models":
         ["gpt-5","gpt-5-mini","claude-sonnet-4-5"]}}'`
  }
]

const section = (url: string) => ({ code, install, name }: Sdk, index: number): string => `
      <details name="sdk"${index === 0 ? " open" : ""}>
        <summary>${escaped(name)}</summary>
        ${install === "" ? "" : `<p><code>${escaped(install)}</code></p>`}
        <pre><code>${escaped(code(url))}</code></pre>
      </details>`

/** The page of a service that this request reached at `url`. */
export const startPage = (url: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Sextant</title>
    <link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
    <style>${style}</style>
  </head>
  <body>
    <header>
      <h1>Sextant</h1>
      <p>This service is running. Version ${escaped(version)}.</p>
    </header>
    <main>
      <p class="lead">Sextant recommends a language model for each task, and learns from how the calls go. It
        never carries a call: your program asks, runs the model with its own provider, and reports. When
        Sextant does not answer, your program runs its default model.</p>
      <nav aria-label="Pages">
        <a href="/docs"><strong>Documentation</strong> Guides, and every operation with samples</a>
        <a href="/dashboard"><strong>Dashboard</strong> What it saved, and whether predictions came true</a>
        <a href="/openapi.json"><strong>OpenAPI</strong> The document, for generators of clients</a>
      </nav>
      <h2>Your key</h2>
      <p>The first start with the built-in database prints a key in its terminal, once. Where it is lost, or
        with a database of your own, create another on the machine of the service:</p>
      <pre><code>npm run -s sextant -- keys create --instance acme</code></pre>
      <p>Put it into the environment of your program as <code>SEXTANT_KEY</code>. It belongs on a server,
        never into a browser.</p>
      <h2>Into your program</h2>
      <p>The names of the models are those that your program already uses. Python and other stacks: see
        the <a href="/docs#tag/adapters">guide to the adapters</a>.</p>${sdks.map(section(url)).join("")}
    </main>
  </body>
</html>
`

/** Allows the page's own styles, by their hash, and its icon; nothing else is loaded, sent or framed. */
export const startPagePolicy = [
  "default-src 'none'", `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join("; ")
