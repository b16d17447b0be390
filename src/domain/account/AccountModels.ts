/* An account's models: default candidates and providers, prices, and models of its own. */
import { Schema } from "effect"
import type { Constraints } from "../Constraints.ts"
import { declaredPrices } from "../model/DeclaredPrices.ts"
import { Effort } from "../model/Effort.ts"
import { declaredFacts } from "../model/Facts.ts"
import { ModelCard, runCapability } from "../model/Model.ts"
import { ModelRestart } from "../model/ModelIdentity.ts"
import { taskTypes } from "../Task.ts"
import { listOf } from "../text/Lists.ts"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { CostPerMtok, Probability, Size } from "../Units.ts"
import { RecommendWarnings } from "../Warning.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

/** Most declared models, and most default candidates, of one account, count. Chosen. */
const modelsMax = 64
/** Most levels of effort of one declared model, count: one more than any provider has. */
const effortLevelsMax = 8

const knownTypes: ReadonlySet<string> = new Set([...taskTypes, runCapability])

/** Declared priors by task type, in an account's document or a catalog file. */
export const CapabilityByTaskType = Schema.Record(Schema.String, Probability).annotate({
  description: "Probability of success at a task of medium difficulty, by task type."
}).check(
  // The check is on the whole record, because a check on its key schema would silently drop a misspelt type.
  Schema.makeFilter((priors: object) =>
    Object.keys(priors).every((key) => knownTypes.has(key)) || `Expected only ${[...knownTypes].join(", ")}`)
).annotate({ identifier: "DeclaredCapabilities" })

/** Output tokens relative to a call without a level, in [0.01, 100]; null if not declared. */
const Verbosity = nullable(Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 100 })))

const AccountEffortLevel = wire({
  effort: described(
    Effort,
    "The level's name as its provider writes it, such as `low`. At most 32 lower-case letters, digits, "
      + "points, dashes and underscores."
  ),
  verbosity: described(
    Verbosity,
    "Output tokens at this effort, relative to the model without a level. Default: by the level's name."
  ),
  capability: described(
    nullable(Probability),
    "A declared prior at this effort. Default: the model's prior, adjusted by benchmarks of levels of this "
      + "name."
  ),
  capabilityByTaskType: described(
    defaulted(CapabilityByTaskType, {}),
    "Declared priors at this effort by task type. They override `capability`."
  ),
  inputCostPerMtok: described(
    nullable(CostPerMtok),
    "Price of a million input tokens at this effort, USD, if it differs from the model's."
  ),
  outputCostPerMtok: described(
    nullable(CostPerMtok),
    "Price of a million output tokens at this effort, USD, if it differs from the model's."
  )
}, { identifier: "AccountEffortLevel", description: "One level of reasoning effort of a declared model." })

/** The declared levels of one model. Names must differ. */
export const AccountEffortLevels = listOf(AccountEffortLevel, { max: effortLevelsMax }).check(
  Schema.makeFilter((levels: ReadonlyArray<{ readonly effort: string }>) =>
    new Set(levels.map(({ effort }) => effort)).size === levels.length || "Expected each effort once")
)

/** A model in an account's document: a new model, or changes to a catalog model. */
export const AccountModel = wire({
  modelId: described(
    Identifier,
    "The id by which you call the model. An id of the catalog changes that model, for this account only. Any "
      + "other id adds a model."
  ),
  baseModel: described(
    nullable(Identifier),
    "The catalog model behind this model, for example behind a fine-tune or a deployment. Prices, sizes and "
      + "priors that you leave out are taken from it."
  ),
  provider: described(
    nullable(Identifier),
    "The provider, as in `allowed_providers`. Required unless the base is a catalog model."
  ),
  version: described(
    nullable(Identifier),
    "The build of the model, in your own words. If version, base or provider changes, the model begins anew."
  ),
  displayName: described(nullable(Identifier), "A name for people. Default: the id."),
  inputCostPerMtok: described(
    nullable(CostPerMtok),
    "Price of a million input tokens, USD; 0 is a price. Required unless the base is a catalog model."
  ),
  outputCostPerMtok: described(
    nullable(CostPerMtok),
    "Price of a million output tokens, USD; 0 is a price. Required unless the base is a catalog model."
  ),
  cacheReadCostPerMtok: described(
    nullable(CostPerMtok), "Price of a million cached input tokens, USD. At most the input's price."
  ),
  ...declaredPrices,
  supportsPromptCaching: described(
    nullable(Schema.Boolean),
    "Whether the provider caches prompts. Default: as the base, else whether a price of cached input is "
      + "declared."
  ),
  contextWindow: described(
    nullable(Size), "Most tokens of a request and its answer. Required unless the base is a catalog model."
  ),
  maxOutputTokens: described(nullable(Size), "Most tokens of an answer; null when unknown."),
  ...declaredFacts,
  capability: described(
    nullable(Probability),
    "A declared prior: probability of success at a medium task of any type. It weighs as much as 10 "
      + "outcomes, and is limited to [0.05, 0.95]."
  ),
  capabilityByTaskType: described(
    defaulted(CapabilityByTaskType, {}),
    "Declared priors by task type. They override `capability`. The choice uses their mean over all types; "
      + "for a `run` of an agent it uses `agent_run`, else `code`."
  ),
  effortLevels: described(
    defaulted(AccountEffortLevels, []),
    "Levels of reasoning effort at which you call the model. A request without candidates then chooses among "
      + "these levels, not the model without one. A request names a level as `<model_id>#<effort>`."
  ),
  aliases: described(
    defaulted(listOf(Identifier, { max: 16 }), []),
    "Other names of the model in requests and feedback of this account."
  )
}, {
  identifier: "AccountModel",
  description: "A model in an account's document: a new model, or changes to a catalog model."
})
export type AccountModel = typeof AccountModel.Type

const fields = {
  defaultCandidates: described(
    nullable(listOf(Identifier, { min: 1, max: modelsMax })),
    "The candidates of a request that names none: ids of the catalog or of `models`. Its other constraints "
      + "still apply. Null: the whole catalog."
  ),
  defaultProviders: described(
    nullable(listOf(Identifier, { min: 1, max: modelsMax })),
    "The allowed providers of a request that names neither candidates nor providers. Null: all."
  ),
  models: described(
    defaulted(listOf(AccountModel, { max: modelsMax }), []),
    "The account's own models, and its changes to catalog models."
  )
}

/** The document that an account sets as a whole. */
export const AccountModels = wire(fields, {
  identifier: "AccountModels",
  description: "An account's models: default candidates and providers, prices, and models of its own."
})
export type AccountModels = typeof AccountModels.Type

export const noAccountModels: AccountModels = { defaultCandidates: null, defaultProviders: null, models: [] }

/** Returns whether a document declares nothing, like that of an account that never set one. */
export const isEmpty = ({ defaultCandidates, defaultProviders, models }: AccountModels): boolean =>
  defaultCandidates === null && defaultProviders === null && models.length === 0

const ResolvedModel = wire({
  model: described(
    Schema.NullOr(ModelCard),
    "The model with its resulting prices and prior. `cost_source` and `capability_source` name their origin: "
      + "`account` and `declared` mean this document. Null if something required is missing, because the "
      + "catalog has lost the base."
  ),
  requestedModelId: described(Identifier, "The declared id."),
  baseModelId: described(
    Schema.NullOr(Identifier), "The catalog model that supplies what is not declared; null if none is known."
  )
}, { identifier: "ResolvedModel", description: "A declared model as recommendations use it." })
type ResolvedModel = typeof ResolvedModel.Type

const ResolvedCandidate = wire({
  requestedModelId: described(Identifier, "The id as set."),
  modelId: described(
    Schema.NullOr(Identifier), "The model that the id now names; null if the catalog has lost it."
  ),
  effort: described(
    nullable(Effort), "The level of reasoning effort that the id names; null if it names none."
  )
}, { identifier: "ResolvedCandidate", description: "A default candidate, and the model that it names." })

export const AccountModelsResponse = wire({
  ...fields,
  updatedAt: described(
    Schema.NullOr(Moment), "Time at which the document was set, ISO 8601; null if the account has none."
  ),
  resolvedModels: described(Schema.Array(ResolvedModel), "Each of `models`, as recommendations use it."),
  resolvedCandidates: described(
    Schema.Array(ResolvedCandidate), "Each of `default_candidates`, with the model that it names."
  ),
  restarts: described(
    Schema.Array(ModelRestart),
    "Models that began anew. An answer of `PUT` lists those that this document changed, an answer of `GET` "
      + "lists all."
  ),
  catalogVersion: described(Schema.String, "Version of the catalog with these models included."),
  warnings: described(
    RecommendWarnings,
    "`unknown_field:<path>` for an unknown field, and `unknown_models:<n>` for default candidates that the "
      + "catalog has lost."
  )
}, {
  identifier: "AccountModelsResponse",
  description: "The account's document, and its effect on recommendations."
})
export type AccountModelsResponse = typeof AccountModelsResponse.Type

/**
 * Returns a request's constraints with the account's defaults. The defaults apply only if the request names
 * no candidates, and the providers only if it names none.
 */
export const withDefaults = (
  { defaultCandidates, defaultProviders }: AccountModels,
  constraints: Constraints
): Constraints =>
  constraints.candidateModels !== null ? constraints : {
    ...constraints,
    candidateModels: defaultCandidates,
    allowedProviders: constraints.allowedProviders ?? defaultProviders
  }
