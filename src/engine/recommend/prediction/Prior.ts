/** The prior of each model: its success expected from benchmarks, moved by the lane's level. */
import { type ModelCard, ofTaskTypes, runCapability } from "../../../domain/model/Model.ts"
import type { Unit } from "../../../domain/Task.ts"
import type { Recalled } from "../../../memory/Memory.ts"
import { learnedLevel, type LevelRule } from "../../../stats/LaneLevel.ts"
import * as Logit from "../../../stats/Logit.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate, Classified } from "../candidates/Candidate.ts"

export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorReferenceLogit" | "imputedDiscountLogit" | "priorStrengthMeasured"
  | "priorStrengthImputed" | "priorSpreadMeasured" | "priorSpreadImputed" | "difficultyShiftLogit"
  | "readDifficultyShare"
>

type CapabilityFacts = Pick<ModelCard, "capabilityByTaskType" | "capabilitySource">

const abilities = new WeakMap<CapabilityFacts, number | null>()

/** Mean logit of a model's known success over task types; null if the catalog knows none. */
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

/** Tells whether a benchmark or the catalog file gives the model's own prior, which then weighs more. */
export const isMeasured = (card: CapabilityFacts): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

export interface PriorFacts {
  readonly card: ModelCard
  /** Expected success at medium difficulty, logit. */
  readonly priorLogit: number
  readonly priorStrength: number
  readonly priorSpread: number
}

/** The ability in agents' runs: from recorded runs, else from code benchmarks, else {@link ability}. */
const runAbility = (card: ModelCard): number | null => {
  const { [runCapability]: ofRuns, code } = card.capabilityByTaskType
  const known = ofRuns ?? code
  return known === undefined ? ability(card) : Logit.logit(known)
}

export const priorFactsOf = (settings: PriorRule, card: ModelCard, unit: Unit = "call"): PriorFacts => {
  const [priorStrength, priorSpread] = isMeasured(card)
    ? [settings.priorStrengthMeasured, settings.priorSpreadMeasured]
    : [settings.priorStrengthImputed, settings.priorSpreadImputed]
  const discount = imputed.has(card.capabilitySource) ? settings.imputedDiscountLogit : 0
  const known = unit === "run" ? runAbility(card) : ability(card)
  const distance = (known ?? settings.priorReferenceLogit) - settings.priorReferenceLogit
  return { card, priorLogit: settings.priorLevelLogit + distance - discount, priorStrength, priorSpread }
}

/** Change of every prior by the task's difficulty, logit; positive for easy tasks. */
const easeOf = (settings: PriorRule, { difficulty, difficultyLogit }: Classified): number =>
  difficultyLogit === null
    ? settings.difficultyShiftLogit[difficulty]
    : -settings.readDifficultyShare * difficultyLogit

/**
 * Computes the prior: sigma(`priorLevelLogit` + ability - `priorReferenceLogit` - discount + ease). A model
 * without outside facts gets the reference ability.
 */
export const priorOf = (settings: PriorRule, { priorLogit }: PriorFacts, classified: Classified): number =>
  Logit.sigmoid(priorLogit + easeOf(settings, classified))

export const withPrior = (settings: PriorRule, facts: PriorFacts, classified: Classified): Candidate =>
  ({ ...facts, prior: priorOf(settings, facts, classified) })

/** Tells whether a lane has enough outcomes to raise the priors of models without outcomes. */
export const teachesOthers = ({ outcomesMin }: LevelRule, tallies: Recalled["tallies"]): boolean => {
  let weight = 0
  for (const { lane } of tallies.values()) weight += lane.weight
  return weight >= outcomesMin
}

/**
 * Returns the candidates with their priors moved by the lane's level (how easy its tasks are). A model
 * without outside facts or with a declared prior does not move the level, because its failures may show its
 * own ability. The prior of a model that never ran in the lane is raised only if {@link teachesOthers} is
 * true and the prior is measured.
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
