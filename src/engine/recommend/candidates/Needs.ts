/**
 * The facts of a model that a request needs, declared or inferred, and whether a card is known to have them.
 */
import type { Constraints } from "../../../domain/Constraints.ts"
import type { InferredRequirements } from "../../../domain/model/Facts.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"

/** Whether a model has the needed fact; null if it is not known. */
export type Known = boolean | null

/** A need of one fact; null for a request without it. */
interface FactNeed {
  /** The field that asks for it, in wire spelling. */
  readonly name: string
  readonly known: (card: ModelCard) => Known
}

const factOf = { image: "supportsImages", audio: "supportsAudio", file: "supportsFiles" } as const

/** Whether all of some things are known to be so. */
const all = (each: ReadonlyArray<Known>): Known =>
  each.includes(false) ? false : each.includes(null) ? null : true

/** Whether requests are processed in no other regions than these. */
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

/** Needs of the constraints. A model that is not known to satisfy them is no candidate. */
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

/** An answer of so many tokens: a provider refuses a request that allows its model more than it can write. */
const written = (tokens: number | null): ReadonlyArray<FactNeed> =>
  tokens === null ? [] : [{
    name: inferredName,
    known: ({ maxOutputTokens }) => maxOutputTokens === null ? null : tokens <= maxOutputTokens
  }]

/** Needs that a program inferred. Only a model that is known not to satisfy them is no candidate. */
export const inferredNeeds = (asked: InferredRequirements | null): ReadonlyArray<FactNeed> =>
  asked === null
    ? []
    : [
      ...needsOf(asked, { modalities: inferredName, tools: inferredName, structuredOutput: inferredName }),
      ...written(asked.outputTokens)
    ]

/** Whether it is not known of a model that it has all that a program inferred. */
export const isUnknown = (asked: InferredRequirements | null, card: ModelCard): boolean =>
  inferredNeeds(asked).some(({ known }) => known(card) === null)
