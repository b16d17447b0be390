/* The document of an account's models: default candidates and providers, prices, and its own models. */
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

/** Most models that one account declares, and most default candidates, count. Chosen. */
const modelsMax = 64
/** Most levels of effort that one model declares, count: one more than providers have. */
const effortLevelsMax = 8

const knownTypes: ReadonlySet<string> = new Set([...taskTypes, runCapability])

/** Declared priors by task type, of an account or of the file of a catalog. */
export const CapabilityByTaskType = Schema.Record(Schema.String, Probability).annotate({
  description: "Probability of success at a task of medium difficulty, by task type."
}).check(
  // A check on the whole record: one on its key schema would drop a misspelt type in silence.
  Schema.makeFilter((priors: object) =>
    Object.keys(priors).every((key) => knownTypes.has(key)) || `Expected only ${[...knownTypes].join(", ")}`)
).annotate({ identifier: "DeclaredCapabilities" })

/** Output tokens beside those without a level, ratio in [0.01, 100]; null where it is not declared. */
const Verbosity = nullable(Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 100 })))

/** One level of effort of a model as its owner declares it: an account, or the file of a catalog. */
const AccountEffortLevel = wire({
  effort: described(Effort, "The level's name as its provider writes it, for example `low`: at most 32 "
    + "lower-case letters, digits, points, dashes and underscores."),
  verbosity: described(Verbosity, "Output tokens at this effort, relative to the model called without one. "
    + "When left out, what the level's name says."),
  capability: described(nullable(Probability), "A declared prior at this effort, as the model's. When left "
    + "out, the model's, moved by what benchmarks know of a level of this name."),
  capabilityByTaskType: described(defaulted(CapabilityByTaskType, {}), "Declared priors at this effort by "
    + "task type, which go before `capability`."),
  inputCostPerMtok: described(nullable(CostPerMtok), "Price of a million input tokens at this effort, USD, "
    + "where it differs from the model's."),
  outputCostPerMtok: described(nullable(CostPerMtok), "Price of a million output tokens at this effort, USD, "
    + "where it differs from the model's.")
}, {
  identifier: "AccountEffortLevel",
  description: "One level of reasoning effort of a model, as an account declares it."
})

/** The declared levels of one model, each of another name. */
export const AccountEffortLevels = listOf(AccountEffortLevel, { max: effortLevelsMax }).check(
  Schema.makeFilter((levels: ReadonlyArray<{ readonly effort: string }>) =>
    new Set(levels.map(({ effort }) => effort)).size === levels.length || "Expected each effort once")
)

/** One model as an account declares it: a model of its own, or what it changes of a catalog's model. */
export const AccountModel = wire({
  modelId: described(Identifier, "The id that you call the model by. An id of the catalog changes that "
    + "model, for this account and only as declared here; any other id adds a model."),
  baseModel: described(nullable(Identifier), "The catalog model that this one is made of, for example of a "
    + "fine-tune or a deployment. What is not declared is taken from it: prices, sizes, and the prior that "
    + "the model starts from."),
  provider: described(nullable(Identifier), "Who serves the model to you, as in `allowed_providers`. Needed "
    + "unless a catalog model is known as its base."),
  version: described(nullable(Identifier), "Which build of the model answers to the id, in words of your "
    + "own. With another version, base or provider the model begins anew."),
  displayName: described(nullable(Identifier), "A name for people; the id when left out."),
  inputCostPerMtok: described(nullable(CostPerMtok), "Price of a million input tokens, USD; 0 is a price. "
    + "Needed unless a catalog model is known as its base."),
  outputCostPerMtok: described(nullable(CostPerMtok), "Price of a million output tokens, USD; 0 is a price. "
    + "Needed unless a catalog model is known as its base."),
  cacheReadCostPerMtok: described(nullable(CostPerMtok), "Price of a million input tokens that a prompt "
    + "cache holds, USD, at most the input's price."),
  ...declaredPrices,
  supportsPromptCaching: described(nullable(Schema.Boolean), "Whether its provider caches prompts; when left "
    + "out, as the base, else whether a price of cached input is declared."),
  contextWindow: described(nullable(Size), "Most tokens of a request and its answer. Needed unless a catalog "
    + "model is known as its base."),
  maxOutputTokens: described(nullable(Size), "Most tokens of an answer; null when unknown."),
  ...declaredFacts,
  capability: described(nullable(Probability), "A declared prior: the probability that the model succeeds at "
    + "a medium task of any type. It counts as 10 outcomes, and as 0.05 to 0.95."),
  capabilityByTaskType: described(defaulted(CapabilityByTaskType, {}), "Declared priors by task type, which "
    + "go before `capability`. What counts in the choice is the mean over all types; for a `run` of an agent "
    + "`agent_run`, else `code`."),
  effortLevels: described(defaulted(AccountEffortLevels, []), "Levels of reasoning effort that you call the "
    + "model with. A request that names no candidates then chooses among the levels in place of the model, "
    + "and a request may name one as `<model_id>#<effort>`."),
  aliases: described(defaulted(listOf(Identifier, { max: 16 }), []), "Other names of the model, for requests "
    + "and feedback of this account.")
}, {
  identifier: "AccountModel",
  description: "One model as an account declares it: its own, or what it changes of a catalog's model."
})
export type AccountModel = typeof AccountModel.Type

const fields = {
  defaultCandidates: described(nullable(listOf(Identifier, { min: 1, max: modelsMax })), "The candidates of "
    + "a request that names none: ids of the catalog or of `models`. Its other constraints still apply. "
    + "Null: the whole catalog."),
  defaultProviders: described(nullable(listOf(Identifier, { min: 1, max: modelsMax })), "The allowed "
    + "providers of a request that names neither candidates nor providers. Null: all."),
  models: described(defaulted(listOf(AccountModel, { max: modelsMax }), []), "The account's own models, and "
    + "what it changes of models of the catalog.")
}

/** The document that an account sets as a whole. */
export const AccountModels = wire(fields, {
  identifier: "AccountModels",
  description: "An account's settings of models: default candidates and providers, prices, own models."
})
export type AccountModels = typeof AccountModels.Type

/** The document of an account that declares nothing. */
export const noAccountModels: AccountModels = { defaultCandidates: null, defaultProviders: null, models: [] }

/** Whether a document declares nothing, as that of an account that never set one. */
export const isEmpty = ({ defaultCandidates, defaultProviders, models }: AccountModels): boolean =>
  defaultCandidates === null && defaultProviders === null && models.length === 0

/** A declared model as recommendations use it. */
const ResolvedModel = wire({
  model: described(Schema.NullOr(ModelCard), "The model with the prices and the prior that it now has; "
    + "`cost_source` and `capability_source` say where they come from (`account` and `declared`: from here). "
    + "Null while something that the model needs is missing, because the catalog has lost its base."),
  requestedModelId: described(Identifier, "The declared id."),
  baseModelId: described(Schema.NullOr(Identifier), "The catalog model from which it takes what is not "
    + "declared; null when none is known.")
}, { identifier: "ResolvedModel", description: "A declared model as recommendations use it." })
type ResolvedModel = typeof ResolvedModel.Type

const ResolvedCandidate = wire({
  requestedModelId: described(Identifier, "The id as it was set."),
  modelId: described(Schema.NullOr(Identifier), "The model that the id now names; null since the catalog has "
    + "lost it."),
  effort: described(nullable(Effort), "The level of reasoning effort that the id names; null for the model "
    + "without one.")
}, { identifier: "ResolvedCandidate", description: "A default candidate, and the model that it names." })

export const AccountModelsResponse = wire({
  ...fields,
  updatedAt: described(Schema.NullOr(Moment), "When the document was set, ISO 8601; null when the "
    + "account has none."),
  resolvedModels: described(Schema.Array(ResolvedModel), "Each of `models` as recommendations use it."),
  resolvedCandidates: described(Schema.Array(ResolvedCandidate), "Each of `default_candidates`, and the "
    + "model that it names."),
  restarts: described(Schema.Array(ModelRestart), "Models that begin anew: in the answer of `PUT` by this "
    + "document, in that of `GET` ever."),
  catalogVersion: described(Schema.String, "Version of the catalog with these models in it."),
  warnings: described(RecommendWarnings, "`unknown_field:<path>` for a field that no document has, and "
    + "`unknown_models:<n>` for default candidates that the catalog has lost.")
}, {
  identifier: "AccountModelsResponse",
  description: "The account's settings, and how recommendations use them."
})
export type AccountModelsResponse = typeof AccountModelsResponse.Type

/** The constraints of a request; one that names no candidates gets the account's, and providers likewise. */
export const withDefaults = (
  { defaultCandidates, defaultProviders }: AccountModels,
  constraints: Constraints
): Constraints =>
  constraints.candidateModels !== null ? constraints : {
    ...constraints,
    candidateModels: defaultCandidates,
    allowedProviders: constraints.allowedProviders ?? defaultProviders
  }
