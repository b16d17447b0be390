/**
 * The belief about each model before the lane's outcomes: benchmark priors, moved by the lane's level.
 */
import { type ModelCard, ofTaskTypes, runCapability } from "../../../domain/model/Model.ts"
import type { Unit } from "../../../domain/Task.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel, type LevelRule } from "../../../stats/LaneLevel.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

/** Level, reference and strength of the priors, and their shift by difficulty. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "imputedDiscountLogit" | "priorStrengthMeasured"
  | "priorStrengthImputed" | "priorSpreadMeasured" | "priorSpreadImputed" | "difficultyShiftLogit"
  | "readDifficultyShare"
>

/** The capability facts of a model. */
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

/** Sources of priors without a benchmark of the model itself, or at its own effort. */
const unmeasured: ReadonlySet<string> = new Set([...imputed, "declared", "base_model", "effort"])

/**
 * Whether a benchmark measured the model. Such a prior weighs more than one imputed from family, price or
 * date, and more than an account's declared one, which nothing has checked.
 */
export const isMeasured = (card: CapabilityFacts): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

/** The prior of a model at medium difficulty, which no task changes. */
export interface PriorFacts {
  readonly card: ModelCard
  /** Expected at a task of medium difficulty, logit. */
  readonly priorLogit: number
  /** The prior's weight, and the spread of lanes around it; as in a candidate. */
  readonly priorStrength: number
  readonly priorSpread: number
}

/** The {@link ability} in agents' runs, from recorded runs or, without these, from code. */
const runAbility = (card: ModelCard): number | null => {
  const { [runCapability]: ofRuns, code } = card.capabilityByTaskType
  const known = ofRuns ?? code
  return known === undefined ? ability(card) : Logit.logit(known)
}

/** The part of a model's prior that can be computed before a task is known. */
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
 * The prior of a model: pi = sigma(a + x - reference - discount + shift). It depends only on the model and
 * the difficulty, not on the other candidates. A model without any outside fact starts at the reference,
 * because the operator or the account named it, so it is worth a try.
 */
export const priorOf = (settings: PriorRule, { priorLogit }: PriorFacts, classified: Classified): number =>
  Logit.sigmoid(priorLogit + easeOf(settings, classified))

/** A model with its {@link priorOf}. */
export const withPrior = (settings: PriorRule, facts: PriorFacts, classified: Classified): Candidate =>
  ({ ...facts, prior: priorOf(settings, facts, classified) })

/** Whether a lane has enough outcomes to lift a model without any; a few may be of another kind of task. */
export const teachesOthers = ({ outcomesMin }: LevelRule, tallies: Recalled["tallies"]): boolean => {
  let weight = 0
  for (const { lane } of tallies.values()) weight += lane.weight
  return weight >= outcomesMin
}

/**
 * The candidates with their priors moved by the lane's level. A model without any outside fact does not move
 * the level: its outcomes may show its own ability as well as the lane's difficulty. A model whose prior is
 * only declared does not either, since its failures would lower all other models. A model that never ran in
 * the lane is lifted once {@link teachesOthers}, and never without a benchmark.
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
