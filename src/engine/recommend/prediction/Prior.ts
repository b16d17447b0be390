/**
 * The belief about each model before the lane's outcomes: benchmark priors, and the level that the lane
 * shows.
 */
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel } from "../../../stats/LaneLevel.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

/** Level, reference and strength of the priors, and what task type and difficulty change. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "typePull" | "guessedTypeShare"
  | "imputedDiscountLogit" | "priorStrengthMeasured" | "priorStrengthImputed" | "priorSpreadMeasured"
  | "priorSpreadImputed" | "difficultyShiftLogit" | "difficultyFadeLogit"
  | "readDifficultyShare"
>

/** What outside facts say of a model. */
type CapabilityFacts = Pick<ModelCard, "capabilityByTaskType" | "capabilitySource">

/** {@link ability} by card: cards are immutable and live as long as their snapshot. */
const abilities = new WeakMap<CapabilityFacts, number | null>()

/** Mean over task types of the logit of a model's benchmark prior; null when no outside fact is known. */
const ability = (card: CapabilityFacts): number | null => {
  const kept = abilities.get(card)
  if (kept !== undefined) return kept
  const known = Object.values(card.capabilityByTaskType)
  const mean = known.length === 0 ? null : known.reduce((sum, p) => sum + Logit.logit(p), 0) / known.length
  abilities.set(card, mean)
  return mean
}

/** Sources of priors that are inferred from a model's relatives, price or date. */
const imputed: ReadonlySet<string> = new Set(["family+price", "price+date", "family"])

/** Sources of priors behind which is no benchmark of the model itself, or not at its effort. */
const unmeasured: ReadonlySet<string> = new Set([...imputed, "declared", "base_model", "effort"])

/**
 * Whether a benchmark measured the model: such priors weigh more than those imputed from family, price or
 * date, and than those that an account declares, which nothing here has checked.
 */
export const isMeasured = (card: CapabilityFacts): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

/** What the priors of a model rest on, whatever the task is. */
export interface PriorFacts {
  readonly card: ModelCard
  /** {@link ability}. */
  readonly mean: number | null
  /** Ability for each task type that benchmarks measured, logit. */
  readonly byTaskType: Readonly<Record<string, number>>
  /** What the model's own ability for a type counts beside its mean where the type is certain, in [0, 1). */
  readonly typeShare: number
  /** Off its priors, logit; then what they weigh as and how far lanes lie from them, as a candidate's. */
  readonly discount: number
  readonly priorStrength: number
  readonly priorSpread: number
}

/** What the priors of a model rest on: all that can be computed before a task is known. */
export const priorFactsOf = (settings: PriorRule, card: ModelCard): PriorFacts => {
  const [priorStrength, priorSpread] = isMeasured(card)
    ? [settings.priorStrengthMeasured, settings.priorSpreadMeasured]
    : [settings.priorStrengthImputed, settings.priorSpreadImputed]
  return {
    card,
    mean: ability(card),
    byTaskType: Object.fromEntries(
      Object.entries(card.capabilityByTaskType).map(([taskType, share]) => [taskType, Logit.logit(share)])
    ),
    typeShare: card.capabilityEffectiveN / (card.capabilityEffectiveN + settings.typePull),
    discount: imputed.has(card.capabilitySource) ? settings.imputedDiscountLogit : 0,
    priorStrength,
    priorSpread
  }
}

/**
 * Ability for a task type, logit: the mean over types, moved toward the type's own as far as its benchmarks
 * and the certainty of the type bear it. Null when no outside fact is known.
 */
const abilityFor = (
  settings: Pick<PriorRule, "guessedTypeShare">,
  { byTaskType, mean, typeShare }: PriorFacts,
  { taskType, taskTypeProbability }: Classified
): number | null => {
  const own = byTaskType[taskType]
  if (mean === null || own === undefined) return mean
  const certain = taskTypeProbability === null ? 1 : settings.guessedTypeShare * taskTypeProbability
  return mean + typeShare * certain * (own - mean)
}

/**
 * Shift of a prior by the task's difficulty, logit: an easy task raises weak models most and a hard one
 * lowers them most, while strong models hardly move. It keeps the order of the models.
 */
const difficultyShift = (settings: PriorRule, centred: number, classified: Classified): number => {
  const shift = easeOf(settings, classified)
  if (shift === 0) return 0
  return 2 * Logit.sigmoid((settings.priorLevelLogit - centred) / settings.difficultyFadeLogit) * shift
}

/** How much easier than a task of medium difficulty, for a model at the level, logit. */
const easeOf = (settings: PriorRule, { difficulty, difficultyLogit }: Classified): number =>
  difficultyLogit === null
    ? settings.difficultyShiftLogit[difficulty]
    : -settings.readDifficultyShare * difficultyLogit

/** The prior of a model for a task of medium difficulty, before any discount, logit. */
const centredOf = (settings: PriorRule, facts: PriorFacts, classified: Classified): number => {
  const x = abilityFor(settings, facts, classified) ?? settings.priorReferenceLogit
  return settings.priorLevelLogit + x - settings.priorReferenceLogit
}

const priorAt = (settings: PriorRule, centred: number, discount: number, classified: Classified): number =>
  Logit.sigmoid(centred + difficultyShift(settings, centred, classified) - discount)

/**
 * The prior of a model: pi = sigma(a + x - reference + shift - discount). It is a property of the
 * model, the task type and the difficulty alone, whichever other models may be chosen. A model without any
 * outside fact starts at the reference: the operator or the account named it, so it is worth a try.
 */
export const priorOf = (settings: PriorRule, facts: PriorFacts, classified: Classified): number =>
  priorAt(settings, centredOf(settings, facts, classified), facts.discount, classified)

/** A model with its {@link priorOf}. */
export const withPrior = (settings: PriorRule, facts: PriorFacts, classified: Classified): Candidate => {
  const { card, discount, priorSpread, priorStrength } = facts
  const centred = centredOf(settings, facts, classified)
  const prior = priorAt(settings, centred, discount, classified)
  return { card, prior, priorStrength, priorLogit: centred - discount, priorSpread }
}

/**
 * The candidates with their priors at the level that the lane's outcomes show. A model without any outside
 * fact says nothing about the level: what it did may be its own ability as well as the lane's difficulty. Nor
 * does one whose prior is only declared: its failures would lower all others before the claim. A model that
 * never ran in the lane is lifted as far as the level is beyond doubt, and not at all without a benchmark.
 */
export const atLearnedLevel = (
  { levelRule }: Pick<EngineSettings, "levelRule">,
  candidates: ReadonlyArray<Candidate>,
  tallies: Recalled["tallies"]
): ReadonlyArray<Candidate> => {
  const { level, ofUntried } = learnedLevel(
    candidates.flatMap(({ card, priorLogit, priorSpread }) => {
      const { success, weight } = tallies.get(card.modelId)?.lane ?? { success: 0, weight: 0 }
      const isKnown = ability(card) !== null && card.capabilitySource !== "declared"
      return isKnown ? [{ logit: priorLogit, spread: priorSpread, weight, success }] : []
    }),
    levelRule
  )
  return level === 0 ? candidates : candidates.map((each) => {
    const hasRun = (tallies.get(each.card.modelId)?.lane.weight ?? 0) > 0
    const own = hasRun ? level : isMeasured(each.card) ? ofUntried : Math.min(0, level)
    return { ...each, prior: Logit.sigmoid(Logit.logit(each.prior) + own) }
  })
}
