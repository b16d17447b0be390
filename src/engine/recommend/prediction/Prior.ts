/** The prior of each model: its success expected from benchmarks, moved by the lane's level. */
import { type ModelCard, ofTaskTypes, runCapability } from "../../../domain/model/Model.ts"
import type { Unit } from "../../../domain/Task.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel, type LevelRule } from "../../../stats/LaneLevel.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

/** Settings of the priors, and of how difficulty changes them. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "imputedDiscountLogit" | "priorStrengthMeasured"
  | "priorStrengthImputed" | "priorSpreadMeasured" | "priorSpreadImputed" | "difficultyShiftLogit"
  | "readDifficultyShare"
>

/** The facts about a model's capabilities. */
type CapabilityFacts = Pick<ModelCard, "capabilityByTaskType" | "capabilitySource">

/** The cache of {@link ability} by card. Cards are immutable. */
const abilities = new WeakMap<CapabilityFacts, number | null>()

/**
 * Computes the mean over task types of the logit of a model's benchmark prior, or null if no outside fact is
 * known.
 */
const ability = (card: CapabilityFacts): number | null => {
  const kept = abilities.get(card)
  if (kept !== undefined) return kept
  const known = ofTaskTypes(card.capabilityByTaskType)
  const mean = known.length === 0 ? null : known.reduce((sum, p) => sum + Logit.logit(p), 0) / known.length
  abilities.set(card, mean)
  return mean
}

/** Sources of priors that are inferred from the model's family, price or date. */
const imputed: ReadonlySet<string> = new Set(["family+price", "price+date", "family"])

/** Sources of priors that do not rest on a benchmark of the model itself at its effort. */
const unmeasured: ReadonlySet<string> = new Set([...imputed, "declared", "base_model", "effort"])

/**
 * Tells whether a benchmark measured the model. A measured prior weighs more than an imputed one, and more
 * than an account's unchecked declaration.
 */
export const isMeasured = (card: CapabilityFacts): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

/** The prior of a model at medium difficulty, which does not depend on the task. */
export interface PriorFacts {
  readonly card: ModelCard
  /** Expected success at medium difficulty, logit. */
  readonly priorLogit: number
  /** The prior's weight, and the spread of lanes around the prior. */
  readonly priorStrength: number
  readonly priorSpread: number
}

/**
 * Computes the ability in agents' runs: from recorded runs, else from code benchmarks, else {@link ability}.
 */
const runAbility = (card: ModelCard): number | null => {
  const { [runCapability]: ofRuns, code } = card.capabilityByTaskType
  const known = ofRuns ?? code
  return known === undefined ? ability(card) : Logit.logit(known)
}

/** Computes the part of a model's prior that does not depend on the task. */
export const priorFactsOf = (settings: PriorRule, card: ModelCard, unit: Unit = "call"): PriorFacts => {
  const [priorStrength, priorSpread] = isMeasured(card)
    ? [settings.priorStrengthMeasured, settings.priorSpreadMeasured]
    : [settings.priorStrengthImputed, settings.priorSpreadImputed]
  const discount = imputed.has(card.capabilitySource) ? settings.imputedDiscountLogit : 0
  const known = unit === "run" ? runAbility(card) : ability(card)
  const distance = (known ?? settings.priorReferenceLogit) - settings.priorReferenceLogit
  return { card, priorLogit: settings.priorLevelLogit + distance - discount, priorStrength, priorSpread }
}

/** Computes how the task's difficulty changes every prior, logit; the change is positive for easy tasks. */
const easeOf = (settings: PriorRule, { difficulty, difficultyLogit }: Classified): number =>
  difficultyLogit === null
    ? settings.difficultyShiftLogit[difficulty]
    : -settings.readDifficultyShare * difficultyLogit

/**
 * Computes the prior of a model: pi = sigma(a + x - reference - discount + shift), where x is the model's
 * ability. The prior does not depend on the other candidates. A model about which no outside fact is known
 * starts at the reference, because the operator or the account named it to be tried.
 */
export const priorOf = (settings: PriorRule, { priorLogit }: PriorFacts, classified: Classified): number =>
  Logit.sigmoid(priorLogit + easeOf(settings, classified))

/** Adds its prior (see {@link priorOf}) to a model. */
export const withPrior = (settings: PriorRule, facts: PriorFacts, classified: Classified): Candidate =>
  ({ ...facts, prior: priorOf(settings, facts, classified) })

/** Tells whether a lane has enough outcomes to raise the priors of models without outcomes. */
export const teachesOthers = ({ outcomesMin }: LevelRule, tallies: Recalled["tallies"]): boolean => {
  let weight = 0
  for (const { lane } of tallies.values()) weight += lane.weight
  return weight >= outcomesMin
}

/**
 * Returns the candidates with their priors moved by the lane's level (how easy its tasks are). A model about
 * which no outside fact is known does not move the level, because its outcomes may show its own ability. A
 * declared prior does not move the level, because failures of its model would lower the priors of all others.
 * A model that never ran in the lane is raised only if {@link teachesOthers} is true and a benchmark measured
 * the model.
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
  const mayLift = teachesOthers(levelRule, tallies)
  return level === 0 ? candidates : candidates.map((each) => {
    const hasRun = (tallies.get(each.card.modelId)?.lane.weight ?? 0) > 0
    const own = hasRun || (mayLift && isMeasured(each.card)) ? level : Math.min(0, level)
    return { ...each, prior: Logit.sigmoid(Logit.logit(each.prior) + own) }
  })
}
