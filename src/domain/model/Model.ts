/* Models of the catalog. */
import { Schema } from "effect"
import { Effort } from "./Effort.ts"
import { ModelFacts, Region } from "./Facts.ts"
import { Identifier } from "../text/Text.ts"
import { Day, Moment } from "../Time.ts"
import { Figure, Price, Share } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

/** The capability of a model that is at no task type: its runs as an agent. */
export const runCapability = "agent_run"

/** The capabilities of a model at task types; {@link runCapability} where it is all that is known. */
export const ofTaskTypes = (capabilities: Readonly<Record<string, number>>): ReadonlyArray<number> => {
  const { [runCapability]: ofRuns, ...byType } = capabilities
  const known = Object.values(byType)
  return known.length > 0 || ofRuns === undefined ? known : [ofRuns]
}

/** Probability that a model succeeds at a medium task, by task type. */
const CapabilityByTaskType = Schema.Record(Schema.String, Share).annotate({
  identifier: "CapabilityByTaskType",
  description: "Probability of success at a task of medium difficulty, by task type; `agent_run`: of a task "
    + "done in a `run` of an agent, where such runs were measured."
})

/** One entry, `overall`. */
const CapabilityPriors = Schema.Record(Schema.String, Share).annotate({
  identifier: "CapabilityPriors",
  description: "Probability of success at a task of medium difficulty: `overall` is the mean over task types."
})

/** One level of reasoning effort of a model, as far as it differs from the model. */
const EffortLevel = wire({
  effort: described(Effort, "The level's name, as its provider writes it."),
  verbosity: described(Figure, "Output tokens at this effort, relative to the model called without one."),
  capabilityByTaskType: described(
    Schema.optionalKey(CapabilityByTaskType),
    "Declared priors at this effort; when left out, the model's, moved by what benchmarks know of the effort."
  ),
  inputCostPerMtok: described(
    Schema.optionalKey(Price), "Price of a million input tokens, in US dollars; when left out, the model's."
  ),
  outputCostPerMtok: described(
    Schema.optionalKey(Price), "Price of a million output tokens, in US dollars; when left out, the model's."
  )
}, {
  identifier: "EffortLevel",
  description: "A level of reasoning effort: what differs from the model when it is called with it."
})
export type EffortLevel = typeof EffortLevel.Type

/** A model as one provider serves it in regions of its own. */
export const Offering = wire({
  offeringId: described(Identifier, "The id by which it is called and named."),
  provider: described(Identifier, "Who serves it."),
  dataRegions: described(Schema.Array(Region), "All regions or data zones where a request may be processed."),
  inputCostPerMtok: described(Price, "Price of input, in US dollars per million tokens."),
  outputCostPerMtok: described(Price, "Price of output, in US dollars per million tokens."),
  cacheReadCostPerMtok: described(
    Schema.NullOr(Price), "Price of input read from a cache; null when not known."
  ),
  source: described(Schema.String, "Who says so."),
  asOf: described(Schema.NullOr(Day), "Day on which the source was read; null where it has none.")
}, {
  identifier: "Offering",
  description: "A model as one provider serves it in regions of its own, at its prices."
})

/** Prices of a call whose input is above a size: they hold for all of its tokens. */
export const PriceTier = wire({
  aboveInputTokens: described(Schema.Int, "Tokens of input above which these prices hold for all tokens."),
  inputCostPerMtok: described(Price, "Price of input, in US dollars per million tokens."),
  outputCostPerMtok: described(Price, "Price of output, in US dollars per million tokens."),
  cacheReadCostPerMtok: described(nullable(Price), "Price of input read from a cache; null when not known.")
}, {
  identifier: "PriceTier",
  description: "Prices of a call with much input."
})
export type PriceTier = typeof PriceTier.Type

/** At least what any input costs. Chosen: feeds have a few ratios of 0, 0.4 and 24, at which none sells. */
export const CacheWriteRatio = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

/** Prices of input that is written to a cache, times the price of input. */
export const CacheWritePriceRatio = wire({
  usual: described(Schema.optionalKey(CacheWriteRatio), "When the cache keeps it as is usual."),
  hour: described(Schema.optionalKey(CacheWriteRatio), "When the cache keeps it for an hour.")
}, {
  identifier: "CacheWritePriceRatio",
  description: "Prices of input that is written to a cache, relative to the price of input."
})

/** Price of all tokens beside the usual. Chosen: feeds have 0.5 to 6, and an owner may have paid already. */
export const ServiceTierRatio = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

/** Whether a text is a service tier as its price is declared: in lower case. */
export const isTierName = (text: string): boolean => /^[a-z][a-z0-9_-]{0,31}$/.test(text)

/** Most service tiers of one model, count. Chosen: providers have up to four. */
const serviceTiersMax = 16

const ServiceTierRatios = Schema.Record(Schema.String, ServiceTierRatio).annotate({
  description: "Prices of all tokens by service tier (`batch`, `flex`, `priority`), relative to the usual."
}).check(
  // On the whole record: a check on its keys would drop a wrong one in silence.
  Schema.makeFilter((ratios: object) => {
    const tiers = Object.keys(ratios)
    return (tiers.length <= serviceTiersMax && tiers.every(isTierName))
      || `Expected at most ${serviceTiersMax} service tiers in lower case, such as flex`
  })
).annotate({ identifier: "ServiceTierRatios" })

/** The highest fee of a call or of a search, USD. Chosen: a hundred times what any provider takes. */
export const Fee = Price.check(Schema.isLessThanOrEqualTo(10))

/** What a call costs that is no price of a token at the usual tier. */
export const ExtraPrices = wire({
  serviceTierRatio: described(
    Schema.optionalKey(ServiceTierRatios),
    "Prices of all tokens by service tier, relative to the usual; absent where no source states one."
  ),
  requestUsd: described(Schema.optionalKey(Fee), "Fee of each call, in US dollars; absent without one."),
  searchUsd: described(
    Schema.optionalKey(Fee),
    "Fee of each web search that the provider runs, in US dollars; absent where no source states it."
  )
}, {
  identifier: "ExtraPrices",
  description: "Prices of service tiers, and fees of calls and of web searches."
})
export type ExtraPrices = typeof ExtraPrices.Type

/** One model of the catalog. Prices are in USD per million tokens. */
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
    "Prices of calls with much input, the smallest first; absent where one price holds for all."
  ),
  cacheWritePriceRatio: described(
    Schema.optionalKey(CacheWritePriceRatio),
    "Prices of input written to a cache, relative to that of input; absent where no source states them."
  ),
  extraPrices: described(
    Schema.optionalKey(ExtraPrices),
    "Prices of service tiers, and fees of calls and web searches; absent where no source states any."
  ),
  supportsPromptCaching: described(Schema.Boolean, "Whether the provider caches prompts of this model."),
  contextWindow: described(Schema.Int, "Context window, in tokens."),
  maxOutputTokens: described(
    Schema.NullOr(Schema.Int), "Most output tokens of one call; null when not known."
  ),
  capabilityPriors: described(
    Schema.NullOr(CapabilityPriors),
    "Mean of `capability_by_task_type` over task types; null when no outside fact is known."
  ),
  capabilityByTaskType: described(
    CapabilityByTaskType, "Probability that the model succeeds at a task of medium difficulty, by task type."
  ),
  costSource: described(Schema.String, "Where the prices come from."),
  costFetchedAt: described(
    Schema.NullOr(Moment), "When the prices were read, ISO 8601; null when not known."
  ),
  costStale: described(Schema.Boolean, "Whether the prices are too old to be trusted."),
  capabilitySource: described(
    Schema.String,
    "Where the priors come from: `benchmark`, `benchmark-thin`, `family+price`, `price+date`, `catalog_file` "
      + "or `none`; of a model that an account declares also `declared`, `base_model` (from its base model) "
      + "or `family` (by its id)."
  ),
  capabilityAsOf: described(
    nullable(Day), "Day on which the benchmarks behind the priors were read; null when not known."
  ),
  aliases: described(Schema.Array(Schema.String), "Other ids of the model that requests may use."),
  facts: described(
    Schema.optionalKey(ModelFacts),
    "Capabilities, regions and last day of the model, with sources; absent if nothing is known."
  ),
  offerings: described(
    Schema.optionalKey(Schema.Array(Offering)),
    "Offerings in regions of their own, of which a request with `data_regions` chooses; absent without one."
  ),
  effortLevels: described(
    Schema.optionalKey(Schema.Array(EffortLevel)),
    "Levels of reasoning effort that a request may name, as `<model_id>#<effort>`; absent where none is "
      + "known. Which of them your provider takes, only it can say."
  )
}, {
  identifier: "ModelCard",
  description: "One model of the catalog. Prices are in US dollars per million tokens."
})
export type ModelCard = typeof ModelCard.Type

/** What a model's provider asks for, USD per million tokens; null without a price of cached input. */
export type ListPrices = Pick<
  ModelCard,
  | "cacheReadCostPerMtok" | "cacheWritePriceRatio" | "extraPrices" | "inputCostPerMtok" | "outputCostPerMtok"
  | "priceTiers"
>

/** The card of a variant: its model as it is called at one level of effort. Its id is the kept one. */
export interface VariantCard extends ModelCard {
  /** The model's own card. */
  readonly ofModel: ModelCard
  /** Of its level. */
  readonly verbosity: EffortLevel["verbosity"]
}

/** The model of a variant; null for a card that is no variant's. */
export const modelOfVariant = (card: ModelCard | VariantCard): ModelCard | null =>
  "ofModel" in card ? card.ofModel : null

/**
 * Output tokens beside the model called without a level of effort, ratio; 1 for a card that is no variant's.
 */
export const verbosityOf = (card: ModelCard | VariantCard): number => "ofModel" in card ? card.verbosity : 1

/** The catalog as one recommendation reads it. */
export interface CatalogSnapshot {
  readonly models: ReadonlyArray<ModelCard>
  /** Hash of the rows. */
  readonly version: string
  readonly refreshedAt: Date
  readonly stale: boolean
  /** Where prices come from, for `/v1/health`: `bundled`, `file` or the public sources' names. */
  readonly costSource: string
  /**
   * Ids of the models that the account has added, and of the variants whose levels it declares; absent in the
   * catalog that all accounts share.
   */
  readonly ownModelIds?: ReadonlySet<string>
  /** The shared catalog under an account's; absent in the shared catalog itself. */
  readonly shared?: CatalogSnapshot
  /**
   * What a request chooses from that names no candidates: the models, each whose levels of effort the account
   * declares as its variants. Absent where that is `models`.
   */
  readonly open?: ReadonlyArray<ModelCard>
}
