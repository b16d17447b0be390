/* Facts of a model: capabilities, regions and retirement, each with its source and day. */
import { Record, Schema } from "effect"
import { listOf } from "../text/Lists.ts"
import { Day } from "../Time.ts"
import { Size } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

export const Modality = Schema.Literals(["image", "audio", "file"]).annotate({
  identifier: "Modality",
  description: "A kind of input other than text. `file` is a document, such as a PDF."
})
export type Modality = typeof Modality.Type

/** Regions are compared as text, so `eu` does not include `eu-central-2`, which is in Zurich. */
export const Region = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,31}$/u, {
  expected: "at most 32 lower-case letters, digits and dashes"
}))

export const Modalities = listOf(Modality, { min: 1, max: 3 })
export const Regions = listOf(Region, { min: 1, max: 64 })

const abilities = {
  supportsImages: "Whether the model takes images.",
  supportsAudio: "Whether the model takes audio.",
  supportsFiles: "Whether the model takes documents, such as a PDF.",
  supportsTools: "Whether the model calls tools.",
  supportsStructuredOutput: "Whether the model can follow a JSON schema in its answers.",
  supportsReasoning: "Whether the model reasons before it answers."
}

export const declaredFacts = {
  ...Record.map(abilities, (words) => described(nullable(Schema.Boolean), words)),
  dataRegions: described(
    nullable(Regions),
    "All regions or data zones that may process a request, in your words: `eu`, `eu-west-1`."
  ),
  retiresOn: described(nullable(Day), "Day on which the provider retires the model, YYYY-MM-DD.")
}

const origin = {
  source: described(Schema.String, "The source: a public source, `account`, or `file` of the catalog."),
  asOf: described(Schema.NullOr(Day), "Day on which the source was read; null if unknown.")
}

const named = (identifier: string) => ({ identifier, description: "A fact and its source." })

const BooleanFact = wire(
  { value: described(Schema.Boolean, "Whether the fact is true."), ...origin }, named("BooleanFact")
)
const RegionsFact = wire(
  { value: described(Schema.Array(Region), "All regions or data zones."), ...origin }, named("RegionsFact")
)
const DayFact = wire({ value: described(Day, "The day, YYYY-MM-DD."), ...origin }, named("DayFact"))

export const ModelFacts = wire({
  ...Record.map(abilities, (words) => described(nullable(BooleanFact), words)),
  dataRegions: described(nullable(RegionsFact), "All regions or data zones that may process a request."),
  retiresOn: described(nullable(DayFact), "Day on which the provider retires the model.")
}, {
  identifier: "ModelFacts",
  description: "Capabilities, regions and last day of a model, each with its source; null if unknown."
})
export type ModelFacts = typeof ModelFacts.Type

export const InferredRequirements = wire({
  modalities: described(nullable(Modalities), "Kinds of input in the prompt."),
  tools: described(defaulted(Schema.Boolean, false), "Whether the request has tools."),
  structuredOutput: described(
    defaulted(Schema.Boolean, false), "Whether the request asks for a JSON schema."
  ),
  outputTokens: described(
    nullable(Size), "Limit of the answer's tokens in the request, such as its `max_tokens`."
  )
}, {
  identifier: "InferredRequirements",
  description: "Needs that a program detected in a request. A model that is known to lack a detected need is "
    + "no candidate. If a recommended model may lack a detected need, the answer warns "
    + "`capability_unknown:<id>`. Requirements that must hold belong in `constraints`."
})
export type InferredRequirements = typeof InferredRequirements.Type

const noFacts: ModelFacts = { ...Record.map(abilities, () => null), dataRegions: null, retiresOn: null }

export type DeclaredFacts = {
  readonly [Name in keyof ModelFacts]: NonNullable<ModelFacts[Name]>["value"] | null
}

export type StatedFacts = Partial<DeclaredFacts>

const factNames = Object.keys(noFacts) as ReadonlyArray<keyof ModelFacts>

export const factsFrom = (stated: StatedFacts, source: string, asOf: string | null): Partial<ModelFacts> =>
  Object.fromEntries(factNames.flatMap((name) => {
    const value = stated[name] ?? null
    return value === null ? [] : [[name, { value, source, asOf }]]
  }))

const over = (known: ModelFacts | undefined, said: Partial<ModelFacts>): { readonly facts?: ModelFacts } => {
  const facts = { ...noFacts, ...known, ...said }
  return Object.values(facts).every((each) => each === null) ? {} : { facts }
}

/** The known facts, overridden by declared ones of `source`; left out if nothing is known. */
export const factsOver = (known: ModelFacts | undefined, declared: DeclaredFacts, source: string) =>
  over(known, factsFrom(declared, source, null))

/** Facts read on the same day or later replace known facts, but not an owner's, which have no day. */
export const newerFacts = (known: ModelFacts | undefined, read: Partial<ModelFacts>) =>
  over(known, Object.fromEntries(Object.entries(read).filter(([name, fact]) => {
    const last = known?.[name as keyof ModelFacts] ?? null
    return fact !== null && (last === null || (last.asOf !== null && last.asOf <= (fact.asOf ?? "")))
  })))

/** Keeps the facts from given sources, with each `asOf` at most `day`; other facts become null. */
export const factsOfSources = (
  facts: ModelFacts, sources: ReadonlyArray<string>, day: string
): ModelFacts => ({
  ...noFacts,
  ...Object.fromEntries(Object.entries(facts).flatMap(([name, fact]) =>
    fact === null || !sources.includes(fact.source)
      ? []
      : [[name, { ...fact, asOf: fact.asOf !== null && fact.asOf > day ? day : fact.asOf }]]))
})
