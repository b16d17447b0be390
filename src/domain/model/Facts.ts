/* What a model can do and where it runs: facts of the catalog, each with its source and day. */
import { Schema } from "effect"
import { listOf } from "../text/Lists.ts"
import { Day } from "../Time.ts"
import { Size } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

/** A kind of input beside text. */
export const Modality = Schema.Literals(["image", "audio", "file"]).annotate({
  identifier: "Modality",
  description: "A kind of input beside text; `file` is a document, such as a PDF."
})
export type Modality = typeof Modality.Type

/** Regions compare as words: `eu` does not hold `eu-central-2`, which is in Zurich. */
export const Region = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,31}$/u, {
  expected: "at most 32 lower-case letters, digits and dashes"
}))

/** Lists of modalities and of regions, in requests and declarations. */
export const Modalities = listOf(Modality, { min: 1, max: 3 })
export const Regions = listOf(Region, { min: 1, max: 64 })

/** The facts as their owner declares them: an account, or the file of a catalog. */
export const declaredFacts = {
  supportsImages: described(nullable(Schema.Boolean), "Whether the model takes images."),
  supportsAudio: described(nullable(Schema.Boolean), "Whether it takes audio."),
  supportsFiles: described(nullable(Schema.Boolean), "Whether it takes documents, such as a PDF."),
  supportsTools: described(nullable(Schema.Boolean), "Whether it calls tools."),
  supportsStructuredOutput: described(
    nullable(Schema.Boolean), "Whether its answers can be held to a JSON schema."
  ),
  supportsReasoning: described(nullable(Schema.Boolean), "Whether it reasons before it answers."),
  dataRegions: described(
    nullable(Regions),
    "All regions or data zones where a request may be processed, in your words: `eu`, `eu-west-1`."
  ),
  retiresOn: described(nullable(Day), "Day on which its provider retires it, YYYY-MM-DD.")
}

/** Who says a fact, and since when it is known. */
const origin = {
  source: described(Schema.String, "Who says so: a public source, `account`, or `file` of the catalog."),
  asOf: described(Schema.NullOr(Day), "Day on which the source was read; null where it has none.")
}

const named = (identifier: string) => ({ identifier, description: "A fact, and who says it." })

const BooleanFact = wire(
  { value: described(Schema.Boolean, "Whether it is so."), ...origin }, named("BooleanFact")
)
const RegionsFact = wire(
  { value: described(Schema.Array(Region), "All regions or data zones."), ...origin }, named("RegionsFact")
)
const DayFact = wire({ value: described(Day, "The day, YYYY-MM-DD."), ...origin }, named("DayFact"))

/** What is known of one model, or of one offering of it. */
export const ModelFacts = wire({
  supportsImages: described(nullable(BooleanFact), "Whether the model takes images."),
  supportsAudio: described(nullable(BooleanFact), "Whether it takes audio."),
  supportsFiles: described(nullable(BooleanFact), "Whether it takes documents, such as a PDF."),
  supportsTools: described(nullable(BooleanFact), "Whether it calls tools."),
  supportsStructuredOutput: described(
    nullable(BooleanFact), "Whether its answers can be held to a JSON schema."
  ),
  supportsReasoning: described(nullable(BooleanFact), "Whether it reasons before it answers."),
  dataRegions: described(
    nullable(RegionsFact), "All regions or data zones where a request may be processed."
  ),
  retiresOn: described(nullable(DayFact), "Day on which its provider retires it.")
}, {
  identifier: "ModelFacts",
  description: "Capabilities, regions and last day of a model, each with its source; null if not known."
})
export type ModelFacts = typeof ModelFacts.Type

/** What a request was seen to need. */
export const InferredRequirements = wire({
  modalities: described(nullable(Modalities), "Kinds of input that the prompt has."),
  tools: described(defaulted(Schema.Boolean, false), "Whether it has tools."),
  structuredOutput: described(defaulted(Schema.Boolean, false), "Whether it asks for a JSON schema."),
  outputTokens: described(
    nullable(Size), "Most tokens of an answer that it allows, such as its `max_tokens`."
  )
}, {
  identifier: "InferredRequirements",
  description: "Needs that a program detected in a request. A model that is known to lack one is no "
    + "candidate. A model of which it is not known stays; if it is the pick, the answer warns "
    + "`capability_unknown:<id>`. Declare your own requirements in `constraints`."
})
export type InferredRequirements = typeof InferredRequirements.Type

/** Facts of a model of which nothing is known. */
const noFacts: ModelFacts = {
  supportsImages: null, supportsAudio: null, supportsFiles: null, supportsTools: null,
  supportsStructuredOutput: null, supportsReasoning: null, dataRegions: null, retiresOn: null
}

/** What an owner declares. */
export type DeclaredFacts = {
  readonly [Name in keyof ModelFacts]: NonNullable<ModelFacts[Name]>["value"] | null
}

/** What one public source states of a model; without what it does not. */
export type StatedFacts = Partial<DeclaredFacts>

const factNames = Object.keys(noFacts) as ReadonlyArray<keyof ModelFacts>

/** Facts of one source; only those that it states. */
export const factsFrom = (stated: StatedFacts, source: string, asOf: string | null): Partial<ModelFacts> =>
  Object.fromEntries(factNames.flatMap((name) => {
    const value = stated[name] ?? null
    return value === null ? [] : [[name, { value, source, asOf }]]
  }))

/** Facts over those that are known already; no field where nothing is known of the model. */
const over = (known: ModelFacts | undefined, said: Partial<ModelFacts>): { readonly facts?: ModelFacts } => {
  const facts = { ...noFacts, ...known, ...said }
  return Object.values(facts).every((each) => each === null) ? {} : { facts }
}

/**
 * Declared facts over those that are known already; no field where nothing is known of the model.
 *
 * @param source of what is declared
 */
export const factsOver = (known: ModelFacts | undefined, declared: DeclaredFacts, source: string) =>
  over(known, factsFrom(declared, source, null))

/**
 * Known facts, each replaced by one that was read on the same day or later. What an owner declares has no day
 * and stays.
 */
export const newerFacts = (known: ModelFacts | undefined, read: Partial<ModelFacts>) =>
  over(known, Object.fromEntries(Object.entries(read).filter(([name, fact]) => {
    const last = known?.[name as keyof ModelFacts] ?? null
    return fact !== null && (last === null || (last.asOf !== null && last.asOf <= (fact.asOf ?? "")))
  })))

/** The facts of some sources, none dated after `day`; null for the others. */
export const factsOfSources = (
  facts: ModelFacts, sources: ReadonlyArray<string>, day: string
): ModelFacts => ({
  ...noFacts,
  ...Object.fromEntries(Object.entries(facts).flatMap(([name, fact]) =>
    fact === null || !sources.includes(fact.source)
      ? []
      : [[name, { ...fact, asOf: fact.asOf !== null && fact.asOf > day ? day : fact.asOf }]]))
})
