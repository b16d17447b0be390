/* The models of the catalog, with their prices, priors and offerings. */
import { Schema } from "effect"
import { Effort } from "./Effort.ts"
import { ModelFacts, Region } from "./Facts.ts"
import { Identifier } from "../text/Text.ts"
import { Day, Moment } from "../Time.ts"
import { Figure, Price, Share } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

/** The key of a capability in runs of agents, beside the keys of task types. */
export const runCapability = "agent_run"

/** Returns a model's capabilities at task types; if none is known, its capability in runs of agents. */
export const ofTaskTypes = (capabilities: Readonly<Record<string, number>>): ReadonlyArray<number> => {
  const { [runCapability]: ofRuns, ...byType } = capabilities
  const known = Object.values(byType)
  return known.length > 0 || ofRuns === undefined ? known : [ofRuns]
}

const CapabilityByTaskType = Schema.Record(Schema.String, Share).annotate({
  identifier: "CapabilityByTaskType",
  description: "Probability of success at a task of medium difficulty, by task type. The key `agent_run` "
    + "means success in runs of agents."
})

const CapabilityPriors = Schema.Record(Schema.String, Share).annotate({
  identifier: "CapabilityPriors",
  description: "Probability of success at a task of medium difficulty: `overall`, the mean over task types."
})

const EffortLevel = wire({
  effort: described(Effort, "The level's name, as its provider writes it."),
  verbosity: described(Figure, "Output tokens at this effort, relative to the model without a level."),
  capabilityByTaskType: described(
    Schema.optionalKey(CapabilityByTaskType),
    "Declared priors at this effort. Default: the model's, adjusted by benchmarks of the effort."
  ),
  inputCostPerMtok: described(
    Schema.optionalKey(Price), "Price of a million input tokens, in US dollars. Default: the model's."
  ),
  outputCostPerMtok: described(
    Schema.optionalKey(Price), "Price of a million output tokens, in US dollars. Default: the model's."
  )
}, {
  identifier: "EffortLevel",
  description: "A level of reasoning effort, with its differences from the model."
})
export type EffortLevel = typeof EffortLevel.Type

export const Offering = wire({
  offeringId: described(Identifier, "The id by which you call and name the offering."),
  provider: described(Identifier, "The provider."),
  dataRegions: described(Schema.Array(Region), "All regions or data zones that may process a request."),
  inputCostPerMtok: described(Price, "Price of input, in US dollars per million tokens."),
  outputCostPerMtok: described(Price, "Price of output, in US dollars per million tokens."),
  cacheReadCostPerMtok: described(
    Schema.NullOr(Price), "Price of input read from a cache; null when not known."
  ),
  source: described(Schema.String, "The source."),
  asOf: described(Schema.NullOr(Day), "Day on which the source was read; null if unknown.")
}, {
  identifier: "Offering",
  description: "A model at one provider, in its own regions and at its own prices."
})

export const PriceTier = wire({
  aboveInputTokens: described(
    Schema.Int, "Size of input above which these prices apply, to all tokens of the call."
  ),
  inputCostPerMtok: described(Price, "Price of input, in US dollars per million tokens."),
  outputCostPerMtok: described(Price, "Price of output, in US dollars per million tokens."),
  cacheReadCostPerMtok: described(nullable(Price), "Price of input read from a cache; null when not known.")
}, { identifier: "PriceTier", description: "Prices of calls with much input." })
export type PriceTier = typeof PriceTier.Type

/** Price of cache writes divided by the input price; the range excludes feeds' 0, 0.4 and 24. Chosen. */
export const CacheWriteRatio = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

export const CacheWritePriceRatio = wire({
  usual: described(Schema.optionalKey(CacheWriteRatio), "Ratio if the cache keeps the input for the usual "
    + "time."),
  hour: described(Schema.optionalKey(CacheWriteRatio), "Ratio if the cache keeps the input for an hour.")
}, {
  identifier: "CacheWritePriceRatio",
  description: "Prices of input written to a cache, as multiples of the price of input."
})

/** A service tier's price divided by the usual price; 0 if the tier is prepaid. Chosen. */
export const ServiceTierRatio = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

export const isTierName = (text: string): boolean => /^[a-z][a-z0-9_-]{0,31}$/.test(text)

const serviceTiersMax = 16

const ServiceTierRatios = Schema.Record(Schema.String, ServiceTierRatio).annotate({
  description: "Prices by service tier (`batch`, `flex`, `priority`), as multiples of the usual."
}).check(
  // A filter refuses wrong tier names, which a schema of the record's keys would silently drop.
  Schema.makeFilter((ratios: object) => {
    const tiers = Object.keys(ratios)
    return (tiers.length <= serviceTiersMax && tiers.every(isTierName))
      || `Expected at most ${serviceTiersMax} service tiers in lower case, such as flex`
  })
).annotate({ identifier: "ServiceTierRatios" })

/** Highest accepted fee of a call or a search, USD. Chosen. */
export const Fee = Price.check(Schema.isLessThanOrEqualTo(10))

export const ExtraPrices = wire({
  serviceTierRatio: described(
    Schema.optionalKey(ServiceTierRatios),
    "Prices by service tier, as multiples of the usual; absent if no source states any."
  ),
  requestUsd: described(Schema.optionalKey(Fee), "Fee per call, in US dollars; absent without a fee."),
  searchUsd: described(
    Schema.optionalKey(Fee),
    "Fee per web search by the provider, in US dollars; absent if no source states it."
  )
}, {
  identifier: "ExtraPrices",
  description: "Prices of service tiers, and fees of calls and of web searches."
})
export type ExtraPrices = typeof ExtraPrices.Type

export const ModelCard = wire({
  modelId: described(Identifier, "The id by which requests and answers name the model."),
  provider: described(Identifier, "The model's provider."),
  displayName: described(Schema.String, "The model's name for people."),
  inputCostPerMtok: described(Price, "Price of input, in US dollars per million tokens."),
  outputCostPerMtok: described(Price, "Price of output, in US dollars per million tokens."),
  cacheReadCostPerMtok: described(
    Schema.NullOr(Price),
    "Price of input read from a cache, in US dollars per million tokens; null when not known."
  ),
  priceTiers: described(
    Schema.optionalKey(Schema.Array(PriceTier)),
    "Prices of calls with much input, the smallest size first; absent if one price holds for all sizes."
  ),
  cacheWritePriceRatio: described(
    Schema.optionalKey(CacheWritePriceRatio),
    "Prices of input written to a cache, as multiples of the price of input; absent if unknown."
  ),
  extraPrices: described(
    Schema.optionalKey(ExtraPrices),
    "Prices of service tiers, and fees of calls and web searches; absent if unknown."
  ),
  supportsPromptCaching: described(Schema.Boolean, "Whether the provider caches prompts of this model."),
  contextWindow: described(Schema.Int, "Context window, in tokens."),
  maxOutputTokens: described(
    Schema.NullOr(Schema.Int), "Maximum number of output tokens of one call; null when not known."
  ),
  capabilityPriors: described(
    Schema.NullOr(CapabilityPriors),
    "Mean of `capability_by_task_type` over task types; null if nothing is known."
  ),
  capabilityByTaskType: described(
    CapabilityByTaskType, "Probability that the model succeeds at a task of medium difficulty, by task type."
  ),
  costSource: described(Schema.String, "Source of the prices."),
  costFetchedAt: described(
    Schema.NullOr(Moment), "Time at which the prices were read, ISO 8601; null if unknown."
  ),
  costStale: described(Schema.Boolean, "Whether the prices are too old to be trusted."),
  capabilitySource: described(
    Schema.String,
    "Source of the priors: `benchmark`, `benchmark-thin`, `family+price`, `price+date`, `catalog_file` or "
      + "`none`. A declared model may also have `declared`, `base_model` (from its base model) or `family` "
      + "(by its id)."
  ),
  capabilityAsOf: described(nullable(Day), "Day on which the benchmarks were read; null if unknown."),
  aliases: described(Schema.Array(Schema.String), "Other ids of the model in requests."),
  facts: described(
    Schema.optionalKey(ModelFacts),
    "Capabilities, regions and last day of the model, with sources; absent if unknown."
  ),
  offerings: described(
    Schema.optionalKey(Schema.Array(Offering)),
    "Offerings in other regions, from which a request with `data_regions` chooses; absent if there are none."
  ),
  effortLevels: described(
    Schema.optionalKey(Schema.Array(EffortLevel)),
    "Levels of reasoning effort, which a request names as `<model_id>#<effort>`. Absent if no level is "
      + "known. Your provider may not accept every level."
  )
}, {
  identifier: "ModelCard",
  description: "One model of the catalog. Prices are in US dollars per million tokens."
})
export type ModelCard = typeof ModelCard.Type

/** USD per million tokens. A price of cached input is null if it is unknown. */
export type ListPrices = Pick<
  ModelCard,
  | "cacheReadCostPerMtok" | "cacheWritePriceRatio" | "extraPrices" | "inputCostPerMtok" | "outputCostPerMtok"
  | "priceTiers"
>

/** The card of a variant (a model at one level of effort), whose `modelId` is the variant's stored id. */
export interface VariantCard extends ModelCard {
  /** Output tokens at this level, relative to the model without a level. */
  readonly verbosity: EffortLevel["verbosity"]
}

/** Returns output tokens relative to the model without a level of effort; 1 for that model itself. */
export const verbosityOf = (card: ModelCard | VariantCard): number => "verbosity" in card ? card.verbosity : 1

export interface CatalogSnapshot {
  readonly models: ReadonlyArray<ModelCard>
  /** Hash of the models. */
  readonly version: string
  readonly refreshedAt: Date
  readonly stale: boolean
  /** Source of the prices, for `/v1/health`: `bundled`, `file`, or the names of public sources. */
  readonly costSource: string
  /** Ids of models and variants that the account added; absent in the shared catalog. */
  readonly ownModelIds?: ReadonlySet<string>
  /** The shared catalog behind an account's catalog; absent in the shared catalog itself. */
  readonly shared?: CatalogSnapshot
  /** The candidates of a request that names none, with variants; absent if the list equals `models`. */
  readonly open?: ReadonlyArray<ModelCard>
}
