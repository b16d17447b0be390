/* Makes the lines that put Sextant into a program, valid as TypeScript and JavaScript. */
import type { CatalogModel } from "./Proposal.ts"
import { type Binding, type Provider, providers } from "./Providers.ts"

/** SDKs in the order of preference. */
export const sdks = ["ai-sdk", "openai", "anthropic", "langchain", "core"] as const
export type Sdk = typeof sdks[number]

const packageOf: Readonly<Record<Sdk, string | null>> = {
  "ai-sdk": "ai", openai: "openai", anthropic: "@anthropic-ai/sdk", langchain: "langchain", core: null
}

export interface Code {
  readonly sdk: Sdk
  readonly install: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
}

interface Bound {
  readonly model: CatalogModel
  readonly binding: Binding
}

const bindingOf = (sdk: Sdk, { aiSdk, langchain }: Provider): Binding | undefined =>
  sdk === "ai-sdk" ? aiSdk : sdk === "langchain" ? langchain : undefined

const bound = (sdk: Sdk, models: ReadonlyArray<CatalogModel>): ReadonlyArray<Bound> =>
  models.flatMap((model) => {
    const provider = providers.find(({ name }) => name === model.provider)
    const binding = provider === undefined ? undefined : bindingOf(sdk, provider)
    return binding === undefined ? [] : [{ model, binding }]
  })

export const runnable = (sdk: Sdk, models: ReadonlyArray<CatalogModel>): ReadonlyArray<CatalogModel> => {
  if (sdk === "core") return models
  if (sdk === "openai" || sdk === "anthropic") return models.filter(({ provider }) => provider === sdk)
  return bound(sdk, models).map(({ model }) => model)
}

/** Returns the first installed SDK that can run at least one of the models; `core` if there is none. */
export const sdkOf = (packages: ReadonlySet<string>, models: ReadonlyArray<CatalogModel>): Sdk =>
  sdks.find((sdk) => {
    const name = packageOf[sdk]
    return (name === null || packages.has(name)) && runnable(sdk, models).length > 0
  }) ?? "core"

/** Quotes a text without terminal control characters, because it may come from the service. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const connection = (url: string): string =>
  `  baseUrl: process.env.SEXTANT_URL ?? ${quoted(url)}, apiKey: process.env.SEXTANT_KEY ?? "",`

const listOf = (models: ReadonlyArray<CatalogModel>, defaultId: string): string => {
  const ids = models.map(({ model_id }) => quoted(model_id)).join(", ")
  return `  models: [${ids}], defaultModelId: ${quoted(defaultId)}`
}

const recordOf = (all: ReadonlyArray<Bound>, make: (one: Bound) => string, defaultId: string): string => {
  const entries = all.map((one) => `${quoted(one.model.model_id)}: ${make(one)}`).join(", ")
  return `  models: { ${entries} }, defaultModelId: ${quoted(defaultId)}`
}

const importsOf = (all: ReadonlyArray<Bound>): ReadonlyArray<string> =>
  [...new Set(all.map(({ binding }) => `import { ${binding.name} } from ${quoted(binding.package)}`))]

/** `client` is the npm source of the Sextant client. */
export const codeOf = (
  sdk: Sdk,
  models: ReadonlyArray<CatalogModel>,
  defaultId: string,
  url: string,
  client: string
): Code => {
  const all = bound(sdk, models)
  const install = [client, ...new Set(all.map(({ binding }) => binding.package))]
  const idOf = ({ model }: Bound): string => quoted(model.model_id)
  switch (sdk) {
    case "ai-sdk":
      return { sdk, install, lines: [
        ...importsOf(all), "import { generateText } from \"ai\"",
        "import { routed } from \"sextant-client/ai-sdk\"",
        "const model = routed({", connection(url),
        recordOf(all, (one) => `${one.binding.name}(${idOf(one)})`, defaultId), "})",
        "const { text } = await generateText({ model, prompt })"
      ] }
    case "langchain":
      return { sdk, install, lines: [
        ...importsOf(all), "import { createAgent } from \"langchain\"",
        "import { sextantRouter } from \"sextant-client/langchain\"",
        "const router = sextantRouter({", connection(url),
        recordOf(all, (one) => `new ${one.binding.name}({ model: ${idOf(one)} })`, defaultId), "})",
        "const agent = createAgent({ model, tools, middleware: [router] })"
      ] }
    case "openai":
      return { sdk, install, lines: [
        "import OpenAI from \"openai\"", "import { withSextant } from \"sextant-client/openai\"",
        "const client = withSextant(new OpenAI(), {",
        connection(url), listOf(models, defaultId), "})",
        "const answer = await client.chat.completions.create({ model: \"sextant/auto\", messages })"
      ] }
    case "anthropic":
      return { sdk, install, lines: [
        "import Anthropic from \"@anthropic-ai/sdk\"",
        "import { withSextant } from \"sextant-client/anthropic\"",
        "const client = withSextant(new Anthropic(), {",
        connection(url), listOf(models, defaultId), "})",
        "const answer = await client.messages.create({ model: \"sextant/auto\", max_tokens: 1024, messages })"
      ] }
    case "core":
      return { sdk, install, lines: [
        "import { createSextant } from \"sextant-client\"", "const sextant = createSextant({",
        connection(url),
        listOf(models, defaultId), "})",
        "const answer = await (await sextant.choose(prompt)).run((model) => callYourModel(model, prompt))"
      ] }
  }
}
