/* Levels of effort of a model, and the cards of its variants: the model as it is called at one level. */
import type { AccountModel } from "../domain/account/AccountModels.ts"
import { type ModelVariant, variantIdOf } from "../domain/model/ModelVariant.ts"
import { tiersAt } from "../domain/model/Cost.ts"
import { type VariantCard, type EffortLevel, type ModelCard, ofTaskTypes } from "../domain/model/Model.ts"
import { identifierLengthMax } from "../domain/text/Text.ts"
import { declaredAbilities, declaredPriors, meanOf, type Priors } from "./DeclaredPriors.ts"

/** The properties of a level of effort, for any model that has it. */
interface KnownEffort {
  /** Distance of the model's ability at this effort from its prior, logit; at a task type times its slope. */
  readonly shiftLogit: number
  /** Output tokens beside those at medium effort, ratio. */
  readonly outputRatio: number
}

/**
 * The levels that providers name. Shifts: the offsets of effort in the priors behind the bundled catalog,
 * fitted over benchmarks that report a model at several efforts. Ratios: chosen, twice as much a step from
 * low to high, since no source of ours states them; a lane's own outcomes replace them after three of each.
 */
const knownEfforts: ReadonlyMap<string, KnownEffort> = new Map([
  ["none", { shiftLogit: -0.221, outputRatio: 0.15 }],
  ["minimal", { shiftLogit: -0.221, outputRatio: 0.2 }],
  ["low", { shiftLogit: -0.195, outputRatio: 0.5 }],
  ["medium", { shiftLogit: 0, outputRatio: 1 }],
  ["high", { shiftLogit: 0.187, outputRatio: 2 }],
  ["xhigh", { shiftLogit: 0.325, outputRatio: 3 }],
  ["max", { shiftLogit: 0.423, outputRatio: 4 }]
])

/** A level of another name says nothing. */
const unknownEffort: KnownEffort = { shiftLogit: 0, outputRatio: 1 }

const knownOf = (effort: string): KnownEffort => knownEfforts.get(effort) ?? unknownEffort

/** How much a task type's benchmarks move with ability, ratio; from the same priors. */
const slopeByType: Readonly<Record<string, number>> = {
  code: 0.921, summarization: 0.5, extraction: 0.7, qa: 0.878, reasoning: 1.16, classification: 0.7,
  translation: 0.55, creative: 0.75, rag: 0.75, tool_use: 1.046, other: 0.8
}

/** Range of a prior, probability: that of the bundled catalog's. */
const priorMin = 0.02
const priorMax = 0.985

const clipped = (prior: number): number => Math.min(priorMax, Math.max(priorMin, prior))

const moved = (prior: number, shiftLogit: number): number => {
  const odds = clipped(prior) / (1 - clipped(prior)) * Math.exp(shiftLogit)
  return clipped(odds / (1 + odds))
}

/** The levels that the priors know, for a model of the bundled catalog that reasons. */
export const standardLevels: ReadonlyArray<EffortLevel> =
  [...knownEfforts].map(([effort, { outputRatio }]) => ({ effort, verbosity: outputRatio }))

/** What a model declares beside its levels, on which what the levels of its base say may no longer hold. */
interface Declaring extends Pick<AccountModel, "effortLevels"> {
  readonly hasPrices: boolean
  readonly hasPriors: boolean
}

/** The levels of a base as far as they hold for a model that is made of it. */
const inherited = (
  { hasPrices, hasPriors }: Declaring,
  base: Pick<ModelCard, "effortLevels"> | null
): ReadonlyArray<EffortLevel> =>
  (base?.effortLevels ?? []).map((level) => {
    const { capabilityByTaskType, inputCostPerMtok, outputCostPerMtok, ...written } = level
    return {
      ...written,
      ...(hasPriors || capabilityByTaskType === undefined ? {} : { capabilityByTaskType }),
      ...(hasPrices || inputCostPerMtok === undefined ? {} : { inputCostPerMtok }),
      ...(hasPrices || outputCostPerMtok === undefined ? {} : { outputCostPerMtok })
    }
  })

/**
 * The levels of a declared model: what one leaves out is that of the base's level of the same name, else what
 * the name says of the model. Where none is declared, those of the base.
 */
export const levelsOf = (
  declared: Declaring,
  base: Pick<ModelCard, "effortLevels"> | null
): Pick<ModelCard, "effortLevels"> => {
  const ofBase = inherited(declared, base)
  const declaredLevel = (level: AccountModel["effortLevels"][number]): EffortLevel => {
    const { effort, inputCostPerMtok, outputCostPerMtok } = level
    const abilities = declaredAbilities(level)
    return {
      ...ofBase.find((each) => each.effort === effort) ?? { effort, verbosity: knownOf(effort).outputRatio },
      ...(level.verbosity === null ? {} : { verbosity: level.verbosity }),
      ...(abilities === null ? {} : { capabilityByTaskType: abilities }),
      ...(inputCostPerMtok === null ? {} : { inputCostPerMtok }),
      ...(outputCostPerMtok === null ? {} : { outputCostPerMtok })
    }
  }
  const levels = declared.effortLevels.length === 0 ? ofBase : declared.effortLevels.map(declaredLevel)
  return levels.length === 0 ? {} : { effortLevels: levels }
}

/** The first level whose variant's id would be longer than an id may be; undefined where all fit. */
export const levelTooLong = (
  { effortLevels = [], modelId }: {
    readonly modelId: string
    readonly effortLevels?: ReadonlyArray<Pick<EffortLevel, "effort">>
  }
): string | undefined =>
  effortLevels.find(({ effort }) => variantIdOf({ modelId, effort }).length > identifierLengthMax)?.effort

/** Sources behind which is a measurement of the model: moved by its effort, it is one no longer. */
const measuredSources: ReadonlySet<string> = new Set(["benchmark", "benchmark-thin", "catalog_file"])

/**
 * The priors of a variant: those that are declared for it, else the model's, moved by what the level's
 * name says.
 */
const priorsOf = (
  card: ModelCard,
  { capabilityByTaskType: declared, effort }: EffortLevel
): Partial<Priors> => {
  if (declared !== undefined) return declaredPriors(declared)
  const { shiftLogit } = knownOf(effort)
  const abilities = Object.entries(card.capabilityByTaskType).map(([type, prior]) =>
    [type, moved(prior, shiftLogit * (slopeByType[type] ?? 1))] as const)
  if (abilities.length === 0) return {}
  const capabilityByTaskType = Object.fromEntries(abilities)
  return {
    capabilityByTaskType,
    capabilityPriors: { overall: meanOf(ofTaskTypes(capabilityByTaskType)) },
    capabilitySource: measuredSources.has(card.capabilitySource) ? "effort" : card.capabilitySource
  }
}

const variantOf = ({ effortLevels: _, ...card }: ModelCard, level: EffortLevel): VariantCard => {
  const inputCostPerMtok = level.inputCostPerMtok ?? card.inputCostPerMtok
  const outputCostPerMtok = level.outputCostPerMtok ?? card.outputCostPerMtok
  const cacheRead = card.cacheReadCostPerMtok
  return {
    ...card,
    modelId: variantIdOf({ modelId: card.modelId, effort: level.effort }),
    inputCostPerMtok,
    outputCostPerMtok,
    ...tiersAt(card, { inputCostPerMtok, outputCostPerMtok }),
    cacheReadCostPerMtok: cacheRead !== null && cacheRead <= inputCostPerMtok ? cacheRead : null,
    ...priorsOf(card, level),
    verbosity: level.verbosity,
    aliases: []
  }
}

/** Variants by card: cards are immutable, and readers key what they know of a candidate by its card. */
const variants = new WeakMap<ModelCard, ReadonlyMap<string, VariantCard>>()

/** The cards of a model's variants by level, in the order of its levels. */
export const variantsOf = (card: ModelCard): ReadonlyMap<string, VariantCard> => {
  const known = variants.get(card)
  if (known !== undefined) return known
  const made = new Map((card.effortLevels ?? []).map((level) => [level.effort, variantOf(card, level)]))
  variants.set(card, made)
  return made
}

/** The card of one of a model's variants; undefined if the model has no such level. */
export const variantAt = (card: ModelCard, { effort }: ModelVariant): VariantCard | undefined =>
  variantsOf(card).get(effort)
