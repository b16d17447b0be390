/* Models of the catalog, and the answer that lists them. */
import { Schema } from "effect"
import { TaskType } from "./Task.ts"
import { Identifier } from "./text/Text.ts"
import { Figure, Price, Share, Usd } from "./Units.ts"
import { nullable, wire } from "./Wire.ts"

/** Probability that a model succeeds at a medium task, by task type. */
const CapabilityByTaskType = Schema.Record(Schema.String, Share)

/** One model of the catalog. Prices are in USD per million tokens. */
export const ModelCard = wire({
  modelId: Identifier,
  provider: Identifier,
  displayName: Schema.String,
  inputCostPerMtok: Price,
  outputCostPerMtok: Price,
  cacheReadCostPerMtok: Schema.NullOr(Price),
  supportsPromptCaching: Schema.Boolean,
  contextWindow: Schema.Int,
  maxOutputTokens: Schema.NullOr(Schema.Int),
  /** Mean over task types; null when no outside fact is known. */
  capabilityPriors: Schema.NullOr(Schema.Record(Schema.String, Share)),
  capabilityByTaskType: CapabilityByTaskType,
  /** How many outcomes the priors weigh as, mean over task types; 0 without priors. */
  capabilityEffectiveN: Figure,
  costSource: Schema.String,
  costFetchedAt: Schema.NullOr(Schema.String),
  costStale: Schema.Boolean,
  /**
   * `benchmark`, `benchmark-thin`, `family+price`, `price+date`, `catalog_file` or `none`; of a model that an
   * account declares also `declared`, `base_model` (of the one that it names) or `family` (by its id).
   */
  capabilitySource: Schema.String,
  /** Day on which the benchmarks behind the priors were read; null when unknown. */
  capabilityAsOf: nullable(Schema.String),
  /** Output tokens relative to the typical model on the same task; 1 when unknown. */
  verbosity: Figure,
  aliases: Schema.Array(Schema.String)
}).annotate({ identifier: "ModelCard" })
export type ModelCard = typeof ModelCard.Type

/** The catalog as one recommendation reads it. */
export interface CatalogSnapshot {
  readonly models: ReadonlyArray<ModelCard>
  /** Hash of the rows. */
  readonly version: string
  readonly refreshedAt: Date
  readonly stale: boolean
  /** Where prices come from, for `/v1/health`: `bundled`, `file` or the public sources' names. */
  readonly costSource: string
  /** Ids of the models that the account has added; absent in the catalog that all accounts share. */
  readonly ownModelIds?: ReadonlySet<string>
  /** The catalog that an account's lies over; absent in the one that all accounts share. */
  readonly shared?: CatalogSnapshot
}

export const ModelsQuery = {
  provider: Schema.optionalKey(Schema.String),
  task_type: Schema.optionalKey(TaskType),
  max_cost: Schema.optionalKey(Usd),
  include_stale: Schema.optionalKey(Schema.Boolean)
}

export const ModelsResponse = wire({
  models: Schema.Array(ModelCard),
  catalogVersion: Schema.String,
  refreshedAt: Schema.String,
  stale: Schema.Boolean
}).annotate({ identifier: "ModelsResponse" })
export type ModelsResponse = typeof ModelsResponse.Type
