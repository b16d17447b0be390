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

/** Level, slope and strength of the priors, and their shift by difficulty. */
export type PriorRule = Pick<
  EngineSettings,
  | "priorLevelLogit" | "priorSlope" | "priorStrengthMeasured" | "priorStrengthImputed"
  | "priorSpreadMeasured" | "priorSpreadImputed" | "difficultyShiftLogit" | "guessedDifficultyShare"
>

/** {@link ability} by card: cards are immutable and live as long as their snapshot. */
const abilities = new WeakMap<ModelCard, number | null>()

/** Mean over task types of the logit of a model's benchmark prior; null when no outside fact is known. */
const ability = (card: ModelCard): number | null => {
  const kept = abilities.get(card)
  if (kept !== undefined) return kept
  const known = Object.values(card.capabilityByTaskType)
  const mean = known.length === 0 ? null : known.reduce((sum, p) => sum + Logit.logit(p), 0) / known.length
  abilities.set(card, mean)
  return mean
}

/** Sources of priors behind which is no benchmark of the model itself. */
const unmeasured: ReadonlySet<string> = new Set([
  "family+price", "price+date", "declared", "base_model", "family"
])

/**
 * Whether a benchmark measured the model: such priors weigh more than those imputed from family, price or
 * date, and than those that an account declares, which nothing here has checked.
 */
export const isMeasured = (card: ModelCard): boolean =>
  ability(card) !== null && !unmeasured.has(card.capabilitySource)

/**
 * The prior of each model of the allowed pool: pi = sigma(a' + slope * (x - mean x)). Benchmarks carry
 * order and spread between lanes but not level, so the level is ours and x is recentred on the pool
 * (docs/decisions.md, "Sources of the numbers"). The pool is every model that the request allows, not its
 * short list, so that pi does not move with the list.
 */
export const withPriors = (
  settings: PriorRule,
  pool: ReadonlyArray<ModelCard>,
  classified: Classified
): ReadonlyArray<Candidate> => {
  const own = pool.map(ability)
  const known = own.filter((x) => x !== null)
  const centre = known.length === 0 ? 0 : known.reduce((sum, x) => sum + x, 0) / known.length
  const shift = settings.difficultyShiftLogit[classified.difficulty]
    * (classified.isDifficultyGiven ? 1 : settings.guessedDifficultyShare)
  return pool.map((card, i) => {
    const priorLogit = settings.priorLevelLogit + settings.priorSlope * ((own[i] ?? centre) - centre)
    const strength = isMeasured(card)
      ? { priorStrength: settings.priorStrengthMeasured, priorSpread: settings.priorSpreadMeasured }
      : { priorStrength: settings.priorStrengthImputed, priorSpread: settings.priorSpreadImputed }
    return { card, prior: Logit.sigmoid(priorLogit + shift), priorLogit, ...strength }
  })
}

/** The candidates with their priors at the level that the lane's outcomes show. */
export const atLearnedLevel = (
  { levelRule }: Pick<EngineSettings, "levelRule">,
  candidates: ReadonlyArray<Candidate>,
  tallies: Recalled["tallies"]
): ReadonlyArray<Candidate> => {
  const level = learnedLevel(
    candidates.map(({ card, priorLogit, priorSpread }) => {
      const { success, weight } = tallies.get(card.modelId)?.lane ?? { success: 0, weight: 0 }
      return { logit: priorLogit, spread: priorSpread, weight, success }
    }),
    levelRule
  )
  return level === 0 ? candidates : candidates.map((each) => ({
    ...each,
    prior: Logit.sigmoid(Logit.logit(each.prior) + level)
  }))
}
