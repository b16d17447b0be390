/* Levels of effort of a model, and the cards of its variants. A variant is the model at one level. */
import type { AccountModel } from "../domain/account/AccountModels.ts"
import { type ModelVariant, variantIdOf } from "../domain/model/ModelVariant.ts"
import { tiersAt } from "../domain/model/Cost.ts"
import { type VariantCard, type EffortLevel, type ModelCard, ofTaskTypes } from "../domain/model/Model.ts"
import { identifierLengthMax } from "../domain/text/Text.ts"
import { logit, sigmoid } from "../stats/Logit.ts"
import { declaredAbilities, declaredPriors, meanOf, type Priors } from "./DeclaredPriors.ts"

/** The properties of a level of effort, for every model with the level. */
interface KnownEffort {
  /** Ability at this effort minus the model's prior, logit. For a task type it is multiplied by the slope. */
  readonly shiftLogit: number
  /** Output tokens divided by those at medium effort, ratio. */
  readonly outputRatio: number
}

/**
 * The levels that providers name. The shifts were fitted over benchmarks that report a model at several
 * efforts, as part of the bundled catalog's priors. The ratios are chosen, because no source states them. A
 * lane's outcomes replace them after three of each.
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

/** The properties of a level with an unknown name. */
const unknownEffort: KnownEffort = { shiftLogit: 0, outputRatio: 1 }

const knownOf = (effort: string): KnownEffort => knownEfforts.get(effort) ?? unknownEffort

/** Slopes of task types: how much their benchmarks move with ability, ratio. From the same priors. */
const slopeByType: Readonly<Record<string, number>> = {
  code: 0.921, summarization: 0.5, extraction: 0.7, qa: 0.878, reasoning: 1.16, classification: 0.7,
  translation: 0.55, creative: 0.75, rag: 0.75, tool_use: 1.046, other: 0.8
}

/** Range of a prior, probability. It is the range in the bundled catalog. */
const priorMin = 0.02
const priorMax = 0.985

const clipped = (prior: number): number => Math.min(priorMax, Math.max(priorMin, prior))

const moved = (prior: number, shiftLogit: number): number =>
  clipped(sigmoid(logit(clipped(prior)) + shiftLogit))

/** The levels of a model that reasons in the bundled catalog. */
export const standardLevels: ReadonlyArray<EffortLevel> =
  [...knownEfforts].map(([effort, { outputRatio }]) => ({ effort, verbosity: outputRatio }))

/** A declaration. If it has own prices or priors, those of its base's levels no longer hold. */
interface Declaring extends Pick<AccountModel, "effortLevels"> {
  readonly hasPrices: boolean
  readonly hasPriors: boolean
}

/** The levels of a base, without prices and priors that do not hold for the declared model. */
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
 * The levels of a declared model. Missing fields come from the base's level of the same name, else from
 * `knownEfforts`. A model that declares no level has those of its base.
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

/** The first level whose variant's id would be too long, or undefined. */
export const levelTooLong = (
  { effortLevels = [], modelId }: {
    readonly modelId: string
    readonly effortLevels?: ReadonlyArray<Pick<EffortLevel, "effort">>
  }
): string | undefined =>
  effortLevels.find(({ effort }) => variantIdOf({ modelId, effort }).length > identifierLengthMax)?.effort

/** Sources of measured priors. A prior that was moved for an effort is not measured any more. */
const measuredSources: ReadonlySet<string> = new Set(["benchmark", "benchmark-thin", "catalog_file"])

/** The priors of a variant: the declared ones, else the model's, moved by the shift of the level. */
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

/** Cached variants by card. A card always gets the same objects, because readers cache by card. */
const variants = new WeakMap<ModelCard, ReadonlyMap<string, VariantCard>>()

/** The cards of a model's variants, by level and in the order of its levels. */
export const variantsOf = (card: ModelCard): ReadonlyMap<string, VariantCard> => {
  const known = variants.get(card)
  if (known !== undefined) return known
  const made = new Map((card.effortLevels ?? []).map((level) => [level.effort, variantOf(card, level)]))
  variants.set(card, made)
  return made
}

/** The card of a variant. Undefined if the model does not have the level. */
export const variantAt = (card: ModelCard, { effort }: ModelVariant): VariantCard | undefined =>
  variantsOf(card).get(effort)
