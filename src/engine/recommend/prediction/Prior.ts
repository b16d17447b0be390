/**
 * The belief about each model before the lane's outcomes: benchmark priors, and the level that the lane
 * shows.
 */
import type { ModelCard } from "../../../domain/Model.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel } from "../../../stats/Level.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

/** Level, reference, slope and strength of the priors, and what task type and difficulty change. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "priorSlope" | "typePull" | "guessedTypeShare"
  | "imputedDiscountLogit" | "priorStrengthMeasured" | "priorStrengthImputed" | "priorSpreadMeasured"
  | "priorSpreadImputed" | "difficultyShiftLogit" | "difficultyFadeLogit" | "guessedDifficultyShare"
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

/** Sources of priors behind which is no benchmark of the model itself. */
const unmeasured: ReadonlySet<string> = new Set([...imputed, "declared", "base_model"])

/**
 * Whether a benchmark measured the model: such priors weigh more than those imputed from family, price or
 * date, and than those that an account declares, which nothing here has checked.
 */
export const isMeasured = (card: CapabilityFacts): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

/**
 * Ability for a task type, logit: the mean over types, moved toward the type's own as far as its benchmarks
 * and the certainty of the type bear it. Null when no outside fact is known.
 */
const abilityFor = (
  settings: Pick<PriorRule, "typePull" | "guessedTypeShare">,
  card: ModelCard,
  { taskType, taskTypeProbability }: Classified
): number | null => {
  const mean = ability(card)
  const own = card.capabilityByTaskType[taskType]
  if (mean === null || own === undefined) return mean
  const effective = card.capabilityEffectiveN / (card.capabilityEffectiveN + settings.typePull)
  const certain = taskTypeProbability === null ? 1 : settings.guessedTypeShare * taskTypeProbability
  return mean + effective * certain * (Logit.logit(own) - mean)
}

/**
 * Shift of a prior by the task's difficulty, logit: an easy task raises weak models most and a hard one
 * lowers them most, while strong models hardly move. It keeps the order of the models.
 */
const difficultyShift = (settings: PriorRule, centred: number, classified: Classified): number => {
  const share = classified.isDifficultyGiven ? 1 : settings.guessedDifficultyShare
  const weakness = 2 * Logit.sigmoid((settings.priorLevelLogit - centred) / settings.difficultyFadeLogit)
  return share * weakness * settings.difficultyShiftLogit[classified.difficulty]
}

/**
 * The prior of a model: pi = sigma(a + slope * (x - reference) + shift - discount). It is a property of the
 * model, the task type and the difficulty alone, whichever other models may be chosen. A model without any
 * outside fact starts at the reference: the operator or the account named it, so it is worth a try.
 */
const withPrior = (settings: PriorRule, card: ModelCard, classified: Classified): Candidate => {
  const x = abilityFor(settings, card, classified) ?? settings.priorReferenceLogit
  const centred = settings.priorLevelLogit + settings.priorSlope * (x - settings.priorReferenceLogit)
  const discount = imputed.has(card.capabilitySource) ? settings.imputedDiscountLogit : 0
  const [priorStrength, priorSpread] = isMeasured(card)
    ? [settings.priorStrengthMeasured, settings.priorSpreadMeasured]
    : [settings.priorStrengthImputed, settings.priorSpreadImputed]
  const prior = Logit.sigmoid(centred + difficultyShift(settings, centred, classified) - discount)
  return { card, prior, priorLogit: centred - discount, priorStrength, priorSpread }
}

/** The models with their priors, in the order given. */
export const withPriors = (
  settings: PriorRule,
  pool: ReadonlyArray<ModelCard>,
  classified: Classified
): ReadonlyArray<Candidate> => pool.map((card) => withPrior(settings, card, classified))

/**
 * The candidates with their priors at the level that the lane's outcomes show. A model without any outside
 * fact says nothing about the level: what it did may be its own ability as well as the lane's difficulty. Nor
 * does one whose prior is only declared: its failures would lower all others before the claim.
 */
export const atLearnedLevel = (
  { levelRule }: Pick<EngineSettings, "levelRule">,
  candidates: ReadonlyArray<Candidate>,
  tallies: Recalled["tallies"]
): ReadonlyArray<Candidate> => {
  const level = learnedLevel(
    candidates.flatMap(({ card, priorLogit, priorSpread }) => {
      const { success, weight } = tallies.get(card.modelId)?.lane ?? { success: 0, weight: 0 }
      const isKnown = ability(card) !== null && card.capabilitySource !== "declared"
      return isKnown ? [{ logit: priorLogit, spread: priorSpread, weight, success }] : []
    }),
    levelRule
  )
  return level === 0 ? candidates : candidates.map((each) => ({
    ...each,
    prior: Logit.sigmoid(Logit.logit(each.prior) + level)
  }))
}
