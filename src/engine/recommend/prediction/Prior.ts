/**
 * The belief about each model before the lane's outcomes: benchmark priors, and the level that the lane
 * shows.
 */
import { type ModelCard, ofTaskTypes, runCapability } from "../../../domain/model/Model.ts"
import type { Unit } from "../../../domain/Task.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel, type LevelRule } from "../../../stats/LaneLevel.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

/** Level, reference and strength of the priors, and what difficulty changes. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "imputedDiscountLogit" | "priorStrengthMeasured"
  | "priorStrengthImputed" | "priorSpreadMeasured" | "priorSpreadImputed" | "difficultyShiftLogit"
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
  const known = ofTaskTypes(card.capabilityByTaskType)
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
  /** Expected at a task of medium difficulty, logit. */
  readonly priorLogit: number
  /** What the prior weighs as, and how far lanes lie from it, as a candidate's. */
  readonly priorStrength: number
  readonly priorSpread: number
}

/** {@link ability} at runs of agents, which recorded runs tell best, and else code. */
const runAbility = (card: ModelCard): number | null => {
  const { [runCapability]: ofRuns, code } = card.capabilityByTaskType
  const known = ofRuns ?? code
  return known === undefined ? ability(card) : Logit.logit(known)
}

/** What the priors of a model rest on: all that can be computed before a task is known. */
export const priorFactsOf = (settings: PriorRule, card: ModelCard, unit: Unit = "call"): PriorFacts => {
  const [priorStrength, priorSpread] = isMeasured(card)
    ? [settings.priorStrengthMeasured, settings.priorSpreadMeasured]
    : [settings.priorStrengthImputed, settings.priorSpreadImputed]
  const discount = imputed.has(card.capabilitySource) ? settings.imputedDiscountLogit : 0
  const known = unit === "run" ? runAbility(card) : ability(card)
  const distance = (known ?? settings.priorReferenceLogit) - settings.priorReferenceLogit
  return { card, priorLogit: settings.priorLevelLogit + distance - discount, priorStrength, priorSpread }
}

/** How much easier than a task of medium difficulty, logit: the shift of every prior. */
const easeOf = (settings: PriorRule, { difficulty, difficultyLogit }: Classified): number =>
  difficultyLogit === null
    ? settings.difficultyShiftLogit[difficulty]
    : -settings.readDifficultyShare * difficultyLogit

/**
 * The prior of a model: pi = sigma(a + x - reference - discount + shift). It is a property of the model and
 * the difficulty alone, whichever other models may be chosen. A model without any outside fact starts at the
 * reference: the operator or the account named it, so it is worth a try.
 */
export const priorOf = (settings: PriorRule, { priorLogit }: PriorFacts, classified: Classified): number =>
  Logit.sigmoid(priorLogit + easeOf(settings, classified))

/** A model with its {@link priorOf}. */
export const withPrior = (settings: PriorRule, facts: PriorFacts, classified: Classified): Candidate =>
  ({ ...facts, prior: priorOf(settings, facts, classified) })

/** Whether a lane's outcomes are enough to raise a model that has none: a few may be of another kind. */
export const teachesOthers = ({ outcomesMin }: LevelRule, tallies: Recalled["tallies"]): boolean => {
  let weight = 0
  for (const { lane } of tallies.values()) weight += lane.weight
  return weight >= outcomesMin
}

/**
 * The candidates with their priors at the level that the lane's outcomes show. A model without any outside
 * fact says nothing about the level: what it did may be its own ability as well as the lane's difficulty. Nor
 * does one whose prior is only declared: its failures would lower all others before the claim. A model that
 * never ran in the lane is lifted once {@link teachesOthers}, and not at all without a benchmark.
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
