/* The models of an account: default candidates and providers, prices, and models that it declares. */
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

const modelsMax = 64
const effortLevelsMax = 8

const knownTypes: ReadonlySet<string> = new Set([...taskTypes, runCapability])

/** Declared priors by task type, in an account's document or in a catalog file. */
export const CapabilityByTaskType = Schema.Record(Schema.String, Probability).annotate({
  description: "Probability of success at a task of medium difficulty, by task type."
}).check(
  // A filter refuses misspelt task types, which a schema of the record's keys would silently drop.
  Schema.makeFilter((priors: object) =>
    Object.keys(priors).every((key) => knownTypes.has(key)) || `Expected only ${[...knownTypes].join(", ")}`)
).annotate({ identifier: "DeclaredCapabilities" })

const Verbosity = nullable(Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 100 })))

const AccountEffortLevel = wire({
  effort: described(
    Effort,
    "The level's name as its provider writes it, such as `low`. At most 32 lower-case letters, digits, "
      + "points, dashes and underscores."
  ),
  verbosity: described(
    Verbosity,
    "Output tokens at this effort, relative to the model without a level. Default: by the level's name or "
      + "base."
  ),
  capability: described(
    nullable(Probability),
    "A declared prior at this effort. Default: the model's prior, adjusted by benchmarks of levels of this "
      + "name."
  ),
  capabilityByTaskType: described(
    defaulted(CapabilityByTaskType, {}),
    "Declared priors at this effort by task type. These priors override `capability`."
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

export const AccountEffortLevels = listOf(AccountEffortLevel, { max: effortLevelsMax }).check(
  Schema.makeFilter((levels: ReadonlyArray<{ readonly effort: string }>) =>
    new Set(levels.map(({ effort }) => effort)).size === levels.length || "Expected each effort once")
)

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
    "The build of the model, in your own words. If version, base or provider changes, the model begins anew, "
      + "and earlier outcomes count for little."
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
    "Whether the provider caches prompts. Default: the base model's value; without a base, true if a price "
      + "of cached input is declared."
  ),
  contextWindow: described(
    nullable(Size), "Maximum number of tokens of a request and its answer together. Required unless the base "
      + "is a catalog model."
  ),
  maxOutputTokens: described(nullable(Size), "Maximum number of tokens of an answer; null when unknown."),
  ...declaredFacts,
  capability: described(
    nullable(Probability),
    "A declared prior: probability of success at a medium task of any type. A declared prior weighs as much "
      + "as 10 outcomes, and is limited to [0.05, 0.95]."
  ),
  capabilityByTaskType: described(
    defaulted(CapabilityByTaskType, {}),
    "Declared priors by task type. These priors override `capability`. The choice uses their mean over all "
      + "types; for a `run` of an agent it uses `agent_run`, else `code`."
  ),
  effortLevels: described(
    defaulted(AccountEffortLevels, []),
    "Levels of reasoning effort at which you call the model. A request without candidates then chooses among "
      + "these levels, not the model without a level. A request names a level as `<model_id>#<effort>`."
  ),
  aliases: described(
    defaulted(listOf(Identifier, { max: 16 }), []),
    "Other names of the model in requests and feedback of this account."
  )
}, {
  identifier: "AccountModel",
  description: "A model in an account's document: either a new model, or changes to a model of the catalog."
})
export type AccountModel = typeof AccountModel.Type

const fields = {
  defaultCandidates: described(
    nullable(listOf(Identifier, { min: 1, max: modelsMax })),
    "The candidates of a request that names no candidates: ids of the catalog or of `models`. The request's "
      + "other constraints still apply. Null: the whole catalog."
  ),
  defaultProviders: described(
    nullable(listOf(Identifier, { min: 1, max: modelsMax })),
    "The allowed providers of a request that names neither candidates nor providers. Null: all providers are "
      + "allowed."
  ),
  models: described(
    defaulted(listOf(AccountModel, { max: modelsMax }), []),
    "The account's own models, and its changes to catalog models."
  )
}

export const AccountModels = wire(fields, {
  identifier: "AccountModels",
  description: "The models of an account: default candidates and providers, prices, and models that it "
    + "declares."
})
export type AccountModels = typeof AccountModels.Type

export const noAccountModels: AccountModels = { defaultCandidates: null, defaultProviders: null, models: [] }

export const isEmpty = ({ defaultCandidates, defaultProviders, models }: AccountModels): boolean =>
  defaultCandidates === null && defaultProviders === null && models.length === 0

const ResolvedModel = wire({
  model: described(
    Schema.NullOr(ModelCard),
    "The model with its resulting prices and prior. `cost_source` and `capability_source` name their origin: "
      + "`account` and `declared` mean this document. Null if the catalog no longer has the base model and "
      + "something required is missing."
  ),
  requestedModelId: described(Identifier, "The declared id."),
  baseModelId: described(
    Schema.NullOr(Identifier), "The catalog model that supplies the fields that are not declared; null if "
      + "none is known."
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
}, { identifier: "ResolvedCandidate", description: "A default candidate, and the model that its id names." })

export const AccountModelsResponse = wire({
  ...fields,
  updatedAt: described(
    Schema.NullOr(Moment),
    "Time at which the document was set, ISO 8601; null if the account has no document."
  ),
  resolvedModels: described(Schema.Array(ResolvedModel), "Each model of `models`, in the form that "
    + "recommendations use."),
  resolvedCandidates: described(
    Schema.Array(ResolvedCandidate), "Each of `default_candidates`, with the model that it names."
  ),
  restarts: described(
    Schema.Array(ModelRestart),
    "Models that began anew. An answer of `PUT` lists the models that this document changed. An answer of "
      + "`GET` lists all of them."
  ),
  catalogVersion: described(Schema.String, "Version of the catalog with these models included."),
  warnings: described(
    RecommendWarnings,
    "`unknown_field:<path>` for an unknown field, and `unknown_models:<n>` for default candidates that the "
      + "catalog has lost."
  )
}, {
  identifier: "AccountModelsResponse",
  description: "The account's document of models, and the models that recommendations use because of it."
})
export type AccountModelsResponse = typeof AccountModelsResponse.Type

/** To a request without candidates, adds the default ones, and default providers if it names none. */
export const withDefaults = (
  { defaultCandidates, defaultProviders }: AccountModels,
  constraints: Constraints
): Constraints =>
  constraints.candidateModels !== null ? constraints : {
    ...constraints,
    candidateModels: defaultCandidates,
    allowedProviders: constraints.allowedProviders ?? defaultProviders
  }
