/** Parsers of the public sources of prices and facts: models.dev, OpenRouter and LiteLLM. */
import { Option, Schema } from "effect"
import type { StatedFacts } from "../domain/model/Facts.ts"
import { Day } from "../domain/Time.ts"
import {
  collect, decodeSize, decodeText, entries, field, perMtok, perToken, perTokenText, type PriceRows, rowOf,
  type StatedExtras, type StatedServiceTier, type StatedTier
} from "./PriceRows.ts"

export const sourceNames = ["models.dev", "openrouter", "litellm"] as const
export type SourceName = (typeof sourceNames)[number]

const isText = Schema.is(Schema.NonEmptyArray(Schema.String))
const isDay = Schema.is(Day)

const truths = (values: { readonly [Name in keyof StatedFacts]: unknown }): StatedFacts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "boolean"))

/** `file` is the source's word for a document as input, such as `pdf`. */
const inputs = (kinds: unknown, file: string): StatedFacts =>
  isText(kinds)
    ? {
      supportsImages: kinds.includes("image"), supportsAudio: kinds.includes("audio"),
      supportsFiles: kinds.includes(file)
    }
    : {}

/**
 * A parameter that a source does not list may be supported all the same. `response_format` is not read,
 * because it promises JSON but no schema.
 */
const parameters = (names: unknown): StatedFacts => {
  const takes = (name: string) => isText(names) && names.includes(name) ? true : null
  return truths({
    supportsTools: takes("tools"), supportsStructuredOutput: takes("structured_outputs"),
    supportsReasoning: takes("reasoning")
  })
}

/** Reads `tiers`, or else the older `context_over_200k`, whose real limit may differ from 200,000 tokens. */
const modelsDevTiers = (cost: unknown): ReadonlyArray<StatedTier> => {
  const tiers = field(cost, "tiers")
  const above = field(cost, "context_over_200k")
  const older = above === undefined ? [] : [{ above: 200_000, prices: above }]
  const stated = !Array.isArray(tiers) ? older : tiers.flatMap((prices: unknown) => {
    const size = decodeSize(field(field(prices, "tier"), "size"))
    return Option.isNone(size) ? [] : [{ above: size.value, prices }]
  })
  return stated.map(({ above, prices }) => ({
    above, input: field(prices, "input"), output: field(prices, "output"),
    cacheRead: field(prices, "cache_read")
  }))
}

/** A request chooses a mode by `service_tier` or `speed`. */
const modelsDevModes = (model: unknown): ReadonlyArray<StatedServiceTier> =>
  entries(field(field(model, "experimental"), "modes")).map(([, mode]) => {
    const cost = field(mode, "cost")
    const body = field(field(mode, "provider"), "body")
    return {
      serviceTier: field(body, "service_tier") ?? field(body, "speed"),
      input: field(cost, "input"), output: field(cost, "output")
    }
  })

/**
 * Reads models.dev: provider -> models -> `cost` (USD per million tokens) and `limit`. Names are
 * `provider/model`, because resellers use the same model id with other prices.
 */
const modelsDev = (body: unknown): PriceRows =>
  collect(
    entries(body).flatMap(([provider, value]) =>
      entries(field(value, "models")).map(([id, model]) => {
        const cost = field(model, "cost")
        const limit = field(model, "limit")
        return [`${provider}/${id}`, rowOf(perMtok, {
          input: field(cost, "input"),
          output: field(cost, "output"),
          cacheRead: field(cost, "cache_read"),
          cacheWrite: { usual: field(cost, "cache_write"), hour: null },
          tiers: modelsDevTiers(cost),
          extras: { serviceTiers: modelsDevModes(model) },
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

const feeText = (value: unknown): number | undefined =>
  Option.getOrUndefined(Option.map(decodeText(value), Number))

/** Reads OpenRouter: `data[]` with `pricing` in USD per token, call or search, as decimal texts. */
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
      cacheWrite: {
        usual: field(pricing, "input_cache_write"), hour: field(pricing, "input_cache_write_1h")
      },
      extras: {
        requestUsd: feeText(field(pricing, "request")), searchUsd: feeText(field(pricing, "web_search"))
      },
      contextWindow: field(model, "context_length"),
      maxOutput: field(field(model, "top_provider"), "max_completion_tokens"),
      facts: {
        ...inputs(field(field(model, "architecture"), "input_modalities"), "file"),
        ...parameters(field(model, "supported_parameters"))
      }
    })] as const]
  }))
}

/** Matches LiteLLM's field for the input price of calls with more than some thousand tokens. */
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

/** Service tiers by the ending of the names of LiteLLM's prices. */
const tierSuffixes = {
  batches: "batch", fast: "fast", flex: "flex", priority: "priority", ultrafast: "ultrafast"
}

/** Returns the fee of a web search, USD. Google's fee counts only if it is charged per query. */
const liteLlmSearchUsd = (model: unknown): unknown => {
  const isGoogles = /^(?:gemini|vertex_ai)/.test(String(field(model, "litellm_provider")))
  return isGoogles && field(model, "web_search_billing_unit") !== "per_query"
    ? undefined
    : field(field(model, "search_context_cost_per_query"), "search_context_size_medium")
}

const liteLlmExtras = (model: unknown): StatedExtras => ({
  serviceTiers: Object.entries(tierSuffixes).map(([suffix, serviceTier]) => ({
    serviceTier,
    input: field(model, `input_cost_per_token_${suffix}`),
    output: field(model, `output_cost_per_token_${suffix}`)
  })),
  requestUsd: field(model, "input_cost_per_request"),
  searchUsd: liteLlmSearchUsd(model)
})

/** Reads LiteLLM: name -> prices in USD per token, as numbers, and a boolean for each ability. */
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
      extras: liteLlmExtras(model),
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

/** The parsers never throw. A body that does not have the source's form gives no rows. */
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
