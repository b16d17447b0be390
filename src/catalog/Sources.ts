/** Parsers of the public sources of prices and facts: OpenRouter, LiteLLM and models.dev. */
import { Option, Predicate, Record, Schema } from "effect"
import type { StatedFacts } from "../domain/model/Facts.ts"
import { CacheWriteRatio, type ListPrices, type PriceTier } from "../domain/model/Model.ts"
import { Day } from "../domain/Time.ts"
import { CostPerMtok, Size } from "../domain/Units.ts"

export const sourceNames = ["models.dev", "openrouter", "litellm"] as const
export type SourceName = (typeof sourceNames)[number]

/** One model in a public source. Prices are in USD per million tokens; null where the source has none. */
export interface PriceRow extends Pick<ListPrices, "cacheWritePriceRatio"> {
  readonly inputCostPerMtok: number
  readonly outputCostPerMtok: number
  readonly cacheReadCostPerMtok: number | null
  /** Prices of calls with much input, the smallest first; absent where the source has none. */
  readonly priceTiers?: ReadonlyArray<PriceTier>
  readonly contextWindow: number | null
  readonly maxOutputTokens: number | null
  /** What the source says that the model can do, and until when. */
  readonly facts: StatedFacts
}

/** The rows of one source, by its own names; a Map, so that `__proto__` is a name like any other. */
export type PriceRows = ReadonlyMap<string, PriceRow>

const DecimalText = Schema.String.check(Schema.isPattern(/^\d{1,6}(\.\d{1,20})?([eE]-?\d{1,2})?$/))

const decodeCost = Schema.decodeUnknownOption(CostPerMtok)
const decodeSize = Schema.decodeUnknownOption(Size)
const decodeRatio = Schema.decodeUnknownOption(CacheWriteRatio)
const decodeText = Schema.decodeUnknownOption(DecimalText)

type ReadCost = (value: unknown) => Option.Option<number>

const perMtok: ReadCost = (value) => decodeCost(value)

/** Twelve digits are kept: 2.5e-7 · 1e6 is 0.25, not 0.24999999999999997. */
const rounded = (value: number): number => Number(value.toPrecision(12))

const perToken: ReadCost = (value) =>
  typeof value === "number" ? decodeCost(rounded(value * 1e6)) : Option.none()

const perTokenText: ReadCost = (value) => Option.flatMap(decodeText(value), (text) => perToken(Number(text)))

const field = (value: unknown, key: string): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

const entries = (value: unknown): ReadonlyArray<[string, unknown]> =>
  Predicate.isObject(value) && !Array.isArray(value) ? Object.entries(value) : []

const isText = Schema.is(Schema.NonEmptyArray(Schema.String))
const isDay = Schema.is(Day)

/** The stated ones of some truths. */
const truths = (values: { readonly [Name in keyof StatedFacts]: unknown }): StatedFacts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "boolean"))

/** Facts of a list of all kinds of input, in which `file` stands for documents. */
const inputs = (kinds: unknown, file: string): StatedFacts =>
  isText(kinds)
    ? {
      supportsImages: kinds.includes("image"), supportsAudio: kinds.includes("audio"),
      supportsFiles: kinds.includes(file)
    }
    : {}

/**
 * Facts of a list of parameters that a router takes for a model. One that is missing says nothing of the
 * model, and `response_format` alone promises JSON, not a schema.
 */
const parameters = (names: unknown): StatedFacts => {
  const takes = (name: string) => isText(names) && names.includes(name) ? true : null
  return truths({
    supportsTools: takes("tools"), supportsStructuredOutput: takes("structured_outputs"),
    supportsReasoning: takes("reasoning")
  })
}

/** A tier as a source states it. */
interface StatedTier {
  readonly above: number
  readonly input: unknown
  readonly output: unknown
  readonly cacheRead: unknown
}

/** The tiers with valid prices, the smallest first. */
const tiersOf = (read: ReadCost, stated: ReadonlyArray<StatedTier>): Pick<PriceRow, "priceTiers"> => {
  const tiers = stated.flatMap(({ above, cacheRead, input, output }): ReadonlyArray<PriceTier> => {
    const [inputPrice, outputPrice] = [read(input), read(output)]
    if (Option.isNone(inputPrice) || Option.isNone(outputPrice)) return []
    return [{
      aboveInputTokens: above, inputCostPerMtok: inputPrice.value, outputCostPerMtok: outputPrice.value,
      cacheReadCostPerMtok: Option.getOrNull(read(cacheRead))
    }]
  })
  return tiers.length === 0
    ? {}
    : { priceTiers: tiers.sort((a, b) => a.aboveInputTokens - b.aboveInputTokens) }
}

/** Ratios of the prices that can be meant. */
const writeRatiosOf = (
  read: ReadCost,
  input: number,
  stated: { readonly usual: unknown; readonly hour: unknown }
): Pick<PriceRow, "cacheWritePriceRatio"> => {
  const ratios = Record.getSomes(Record.map(stated, (price) =>
    Option.flatMap(read(price), (usd) => decodeRatio(rounded(usd / input)))))
  return Record.isEmptyRecord(ratios) ? {} : { cacheWritePriceRatio: ratios }
}

/** A row without a valid price is dropped, because the rest is doubtful too; a bad size becomes null. */
const rowOf = (read: ReadCost, row: {
  readonly input: unknown
  readonly output: unknown
  readonly cacheRead: unknown
  readonly cacheWrite: { readonly usual: unknown; readonly hour: unknown }
  readonly tiers?: ReadonlyArray<StatedTier>
  readonly contextWindow: unknown
  readonly maxOutput: unknown
  readonly facts: StatedFacts
}): PriceRow | null => {
  const input = read(row.input)
  const output = read(row.output)
  const cacheRead = Predicate.isNullish(row.cacheRead) ? Option.some(null) : read(row.cacheRead)
  if (Option.isNone(input) || Option.isNone(output) || Option.isNone(cacheRead)) return null
  return {
    inputCostPerMtok: input.value,
    outputCostPerMtok: output.value,
    cacheReadCostPerMtok: cacheRead.value,
    ...writeRatiosOf(read, input.value, row.cacheWrite),
    ...tiersOf(read, row.tiers ?? []),
    contextWindow: Option.getOrNull(decodeSize(row.contextWindow)),
    maxOutputTokens: Option.getOrNull(decodeSize(row.maxOutput)),
    facts: row.facts
  }
}

const collect = (rows: ReadonlyArray<readonly [string, PriceRow | null]>): PriceRows => {
  const kept = new Map<string, PriceRow>()
  // Thousands of rows state the same few sets of facts, each of which is held once.
  const sets = new Map<string, StatedFacts>()
  for (const [name, row] of rows) {
    if (row === null || kept.has(name)) continue
    const key = JSON.stringify(row.facts)
    const facts = sets.get(key) ?? row.facts
    sets.set(key, facts)
    kept.set(name, { ...row, facts })
  }
  return kept
}

/**
 * models.dev: provider -> models -> `cost` (USD per million) and `limit`. Names are `provider/model`, because
 * the bare id also appears under resellers with prices of their own.
 */
const modelsDev = (body: unknown): PriceRows =>
  collect(
    entries(body).flatMap(([provider, value]) =>
      entries(field(value, "models")).map(([id, model]) => {
        const cost = field(model, "cost")
        const limit = field(model, "limit")
        const above = field(cost, "context_over_200k")
        return [`${provider}/${id}`, rowOf(perMtok, {
          input: field(cost, "input"),
          output: field(cost, "output"),
          cacheRead: field(cost, "cache_read"),
          cacheWrite: { usual: field(cost, "cache_write"), hour: null },
          tiers: above === undefined ? [] : [{
            above: 200_000, input: field(above, "input"), output: field(above, "output"),
            cacheRead: field(above, "cache_read")
          }],
          contextWindow: field(limit, "context"),
          maxOutput: field(limit, "output"),
          facts: {
            ...inputs(field(field(model, "modalities"), "input"), "pdf"),
            ...truths({
              supportsTools: field(model, "tool_call"),
              supportsStructuredOutput: field(model, "structured_output"),
              supportsReasoning: field(model, "reasoning")
            })
          }
        })] as const
      })
    )
  )

/** OpenRouter: `data[]` with `pricing` in USD per token, written as decimal text. */
const openRouter = (body: unknown): PriceRows => {
  const data = field(body, "data")
  return collect((Array.isArray(data) ? data : []).flatMap((model: unknown) => {
    const id = field(model, "id")
    if (typeof id !== "string") return []
    const pricing = field(model, "pricing")
    return [[id, rowOf(perTokenText, {
      input: field(pricing, "prompt"),
      output: field(pricing, "completion"),
      cacheRead: field(pricing, "input_cache_read"),
      cacheWrite: { usual: field(pricing, "input_cache_write"), hour: null },
      contextWindow: field(model, "context_length"),
      maxOutput: field(field(model, "top_provider"), "max_completion_tokens"),
      facts: {
        ...inputs(field(field(model, "architecture"), "input_modalities"), "file"),
        ...parameters(field(model, "supported_parameters"))
      }
    })] as const]
  }))
}

/** How LiteLLM names a price of input above so many thousand tokens. */
const aboveThousands = /^input_cost_per_token_above_(\d{1,4})k_tokens$/

const liteLlmTiers = (model: unknown): ReadonlyArray<StatedTier> =>
  entries(model).flatMap(([name, input]) => {
    const [, thousands] = aboveThousands.exec(name) ?? []
    if (thousands === undefined) return []
    const above = (price: string) => field(model, `${price}_above_${thousands}k_tokens`)
    return [{
      above: Number(thousands) * 1_000, input, output: above("output_cost_per_token"),
      cacheRead: above("cache_read_input_token_cost")
    }]
  })

/** LiteLLM: name -> prices in USD per token, as numbers, and a truth for each thing it can do. */
const liteLlm = (body: unknown): PriceRows =>
  collect(entries(body).map(([name, model]) => {
    const retiresOn = field(model, "deprecation_date")
    return [name, rowOf(perToken, {
      input: field(model, "input_cost_per_token"),
      output: field(model, "output_cost_per_token"),
      cacheRead: field(model, "cache_read_input_token_cost"),
      cacheWrite: {
        usual: field(model, "cache_creation_input_token_cost"),
        hour: field(model, "cache_creation_input_token_cost_above_1hr")
      },
      tiers: liteLlmTiers(model),
      contextWindow: field(model, "max_input_tokens"),
      maxOutput: field(model, "max_output_tokens"),
      facts: {
        ...truths({
          supportsImages: field(model, "supports_vision"),
          supportsAudio: field(model, "supports_audio_input"),
          supportsFiles: field(model, "supports_pdf_input"),
          supportsTools: field(model, "supports_function_calling"),
          supportsStructuredOutput: field(model, "supports_response_schema"),
          supportsReasoning: field(model, "supports_reasoning")
        }),
        ...(isDay(retiresOn) ? { retiresOn } : {})
      }
    })] as const
  }))

/** The valid rows of a body already parsed as JSON; total, and empty for a body of another shape. */
export const parsers: { readonly [Name in SourceName]: (body: unknown) => PriceRows } = {
  "models.dev": modelsDev,
  openrouter: openRouter,
  litellm: liteLlm
}

export const sourceUrls: { readonly [Name in SourceName]: string } = {
  "models.dev": "https://models.dev/api.json",
  openrouter: "https://openrouter.ai/api/v1/models",
  litellm: "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
}
