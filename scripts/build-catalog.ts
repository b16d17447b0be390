/**
 * Builds the bundled catalog from a folder with models.json and priors_compact.json:
 * `node_modules/.bin/node scripts/build-catalog.ts <folder> <target folder>`.
 *
 * Deterministic: the same input gives the same bytes. A model without a known price is left out, with a
 * printed line, so that an unknown price can never look like a price of 0.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mean } from "./bench/arena/averages.ts"

/** Fields that a card has as they are. */
const described = [
  "model_id", "provider", "display_name", "input_cost_per_mtok", "output_cost_per_mtok", "cache_read_cost_per_mtok",
  "supports_prompt_caching", "context_window", "max_output_tokens"
] as const
/** Kept for readers of the file; ModelCard drops them. */
const furthermore = ["openrouter_id", "reasoning", "release_date"] as const

type SourceModel =
  & Readonly<Record<typeof described[number] | typeof furthermore[number] | "cost_fetched_at" | "aliases", unknown>>
  & {
    readonly model_id: string
    readonly output_tokens_per_second: number | null
    readonly input_cost_per_mtok: number | null
    readonly cache_write_cost_per_mtok: number | null
  }

interface SourcePrior {
  readonly basis: string
  /** Logit of the success probability on a medium task, one per task type. */
  readonly m: ReadonlyArray<number>
}

interface Models {
  readonly as_of: string
  readonly models: ReadonlyArray<SourceModel>
}

interface Priors {
  readonly version: string
  readonly types: ReadonlyArray<string>
  readonly clamp: readonly [number, number]
  readonly models: Readonly<Record<string, SourcePrior>>
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits))

const priorsOf = (prior: SourcePrior | undefined, { types, clamp: [low, high], version }: Priors) => {
  if (prior === undefined) {
    return {
      capability_priors: null,
      capability_by_task_type: {},
      capability_source: "none",
      capability_as_of: null
    }
  }
  const probability = (logit: number): number => Math.min(high, Math.max(low, 1 / (1 + Math.exp(-logit))))
  const byType = types.map((type, index): [string, number] => {
    const logit = prior.m[index]
    if (logit === undefined) throw new Error(`no prior for ${type}`)
    return [type, round(probability(logit), 4)]
  })
  return {
    capability_priors: { overall: round(mean(byType.map(([, value]) => value)), 4) },
    capability_by_task_type: Object.fromEntries(byType),
    capability_source: prior.basis,
    capability_as_of: version
  }
}

const [source, target] = process.argv.slice(2)
if (source === undefined || target === undefined) {
  console.error("usage: build-catalog.ts <source folder> <target folder>")
  process.exit(2)
}
// The one seam: these two files are ours, and the reader of cards.json checks every row against ModelCard.
const { as_of, models } = JSON.parse(readFileSync(join(source, "models.json"), "utf8")) as Models
const priors = JSON.parse(readFileSync(join(source, "priors_compact.json"), "utf8")) as Priors

const cards = models.flatMap((model) => {
  if (model.input_cost_per_mtok === null || model.output_cost_per_mtok === null) {
    console.log(`left out, price unknown: ${model.model_id}`)
    return []
  }
  const fields = (names: ReadonlyArray<keyof SourceModel>) => Object.fromEntries(names.map((name) => [name, model[name]]))
  return [{
    model_id: model.model_id,
    ...fields(described),
    ...(model.cache_write_cost_per_mtok
      ? { cache_write_price_ratio: { usual: round(model.cache_write_cost_per_mtok / model.input_cost_per_mtok, 2) } }
      : {}),
    ...priorsOf(priors.models[model.model_id], priors),
    cost_source: "bundled",
    cost_fetched_at: model.cost_fetched_at,
    cost_stale: false,
    aliases: model.aliases,
    ...fields(furthermore),
    output_tokens_per_second: model.output_tokens_per_second && round(model.output_tokens_per_second, 1)
  }]
})
const lines = cards.toSorted((a, b) => (a.model_id < b.model_id ? -1 : 1)).map((card) => JSON.stringify(card))
writeFileSync(
  join(target, "cards.json"),
  `{\n"as_of": ${JSON.stringify(as_of)},\n"models": [\n${lines.join(",\n")}\n]\n}\n`
)
console.log(`${cards.length} models -> ${join(target, "cards.json")}`)
