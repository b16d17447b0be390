/* The levels of effort of a model, and the cards of its variants. A variant is the model at one level of
   effort. */
import type { AccountModel } from "../domain/account/AccountModels.ts"
import { type ModelVariant, variantIdOf } from "../domain/model/ModelVariant.ts"
import { tiersAt } from "../domain/model/Cost.ts"
import { type VariantCard, type EffortLevel, type ModelCard, ofTaskTypes } from "../domain/model/Model.ts"
import { identifierLengthMax } from "../domain/text/Text.ts"
import { logit, sigmoid } from "../stats/Logit.ts"
import { declaredAbilities, declaredPriors, meanOf, type Priors } from "./DeclaredPriors.ts"

interface KnownEffort {
  /** Ability at this effort minus the model's prior, in logits, for a task type with the slope 1. */
  readonly shiftLogit: number
  /** Ratio of the output tokens at this effort to those at medium effort. */
  readonly outputRatio: number
}

/**
 * The shifts were fitted to benchmarks that test a model at several efforts, together with the bundled
 * priors. The ratios of output tokens are chosen.
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

const unknownEffort: KnownEffort = { shiftLogit: 0, outputRatio: 1 }

const knownOf = (effort: string): KnownEffort => knownEfforts.get(effort) ?? unknownEffort

/**
 * Slope of each task type: how strongly success on its benchmarks depends on ability. The slopes were fitted
 * together with the bundled priors.
 */
const slopeByType: Readonly<Record<string, number>> = {
  code: 0.921, summarization: 0.5, extraction: 0.7, qa: 0.878, reasoning: 1.16, classification: 0.7,
  translation: 0.55, creative: 0.75, rag: 0.75, tool_use: 1.046, other: 0.8
}

/** Range of a variant's prior, probability, in which all bundled priors lie. */
const priorMin = 0.02
const priorMax = 0.985

const clipped = (prior: number): number => Math.min(priorMax, Math.max(priorMin, prior))

const moved = (prior: number, shiftLogit: number): number =>
  clipped(sigmoid(logit(clipped(prior)) + shiftLogit))

/** The list of effort levels that each bundled reasoning model gets. */
export const standardLevels: ReadonlyArray<EffortLevel> =
  [...knownEfforts].map(([effort, { outputRatio }]) => ({ effort, verbosity: outputRatio }))

/** A model that declares prices inherits no prices of its base's effort levels; the same holds for priors. */
interface Declaring extends Pick<AccountModel, "effortLevels"> {
  readonly hasPrices: boolean
  readonly hasPriors: boolean
}

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
 * A missing verbosity comes from the base's level of the same name, otherwise from `knownEfforts`. A model
 * that declares no level has the levels of its base.
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

/** Returns the first level whose variant would have too long an id; undefined if there is none. */
export const levelTooLong = (
  { effortLevels = [], modelId }: {
    readonly modelId: string
    readonly effortLevels?: ReadonlyArray<Pick<EffortLevel, "effort">>
  }
): string | undefined =>
  effortLevels.find(({ effort }) => variantIdOf({ modelId, effort }).length > identifierLengthMax)?.effort

/** Sources of measured priors. If a measured prior is shifted for an effort, its source becomes `effort`. */
const measuredSources: ReadonlySet<string> = new Set(["benchmark", "benchmark-thin", "catalog_file"])

/** Returns a variant's declared priors, otherwise the model's priors moved by the level's shift. */
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

/** Cached variants by card: readers use cards as cache keys, so a variant must stay the same object. */
const variants = new WeakMap<ModelCard, ReadonlyMap<string, VariantCard>>()

export const variantsOf = (card: ModelCard): ReadonlyMap<string, VariantCard> => {
  const known = variants.get(card)
  if (known !== undefined) return known
  const made = new Map((card.effortLevels ?? []).map((level) => [level.effort, variantOf(card, level)]))
  variants.set(card, made)
  return made
}

export const variantAt = (card: ModelCard, { effort }: ModelVariant): VariantCard | undefined =>
  variantsOf(card).get(effort)
