/** The facts about a model that a request declares as needed, or that were inferred as needed. */
import type { Constraints } from "../../../domain/Constraints.ts"
import type { InferredRequirements } from "../../../domain/model/Facts.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"

/** Tells whether a model satisfies a need; null if the catalog does not know. */
export type Known = boolean | null

interface FactNeed {
  readonly name: string
  readonly known: (card: ModelCard) => Known
}

const factOf = { image: "supportsImages", audio: "supportsAudio", file: "supportsFiles" } as const

const all = (each: ReadonlyArray<Known>): Known =>
  each.includes(false) ? false : each.includes(null) ? null : true

const within = ({ facts }: ModelCard, regions: ReadonlyArray<string>): Known =>
  facts?.dataRegions?.value.every((region) => regions.includes(region)) ?? null

type Wanted = Omit<InferredRequirements, "outputTokens">

const needsOf = (
  { modalities, structuredOutput, tools }: Wanted,
  names: Readonly<Record<keyof Wanted, string>>
): ReadonlyArray<FactNeed> => [
  ...(modalities === null ? [] : [{
    name: names.modalities,
    known: ({ facts }: ModelCard) => all(modalities.map((each) => facts?.[factOf[each]]?.value ?? null))
  }]),
  ...(tools
    ? [{ name: names.tools, known: ({ facts }: ModelCard) => facts?.supportsTools?.value ?? null }]
    : []),
  ...(structuredOutput
    ? [{
      name: names.structuredOutput,
      known: ({ facts }: ModelCard) => facts?.supportsStructuredOutput?.value ?? null
    }]
    : [])
]

/** A model is excluded unless the catalog knows that it satisfies each need that the request declares. */
export const declaredNeeds = (
  { dataRegions, requireStructuredOutput, requireTools, requiredModalities }: Constraints
): ReadonlyArray<FactNeed> => [
  ...needsOf(
    { modalities: requiredModalities, tools: requireTools, structuredOutput: requireStructuredOutput },
    {
      modalities: "required_modalities", tools: "require_tools", structuredOutput: "require_structured_output"
    }
  ),
  ...(dataRegions === null ? [] : [{
    name: "data_regions", known: (card: ModelCard) => within(card, dataRegions)
  }])
]

const inferredName = "inferred_requirements"

/** A provider may refuse a request whose output limit is higher than the limit of its model. */
const written = (tokens: number | null): ReadonlyArray<FactNeed> =>
  tokens === null ? [] : [{
    name: inferredName,
    known: ({ maxOutputTokens }) => maxOutputTokens === null ? null : tokens <= maxOutputTokens
  }]

/** A model is excluded only if it is known not to satisfy the needs that a program inferred. */
export const inferredNeeds = (asked: InferredRequirements | null): ReadonlyArray<FactNeed> =>
  asked === null
    ? []
    : [
      ...needsOf(asked, { modalities: inferredName, tools: inferredName, structuredOutput: inferredName }),
      ...written(asked.outputTokens)
    ]

export const isUnknown = (asked: InferredRequirements | null, card: ModelCard): boolean =>
  inferredNeeds(asked).some(({ known }) => known(card) === null)
