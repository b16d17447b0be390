/** Policy: keeps the model of a conversation if the evidence does not show that the pick is better. */
import { cacheIdOf } from "../../catalog/Offerings.ts"
import { variantName } from "../../domain/model/ModelVariant.ts"
import type { SwitchReason } from "../../domain/Recommendation.ts"
import { normal975 } from "../../stats/Normal.ts"
import type { CostedCandidate, Scored } from "../recommend/candidates/Candidate.ts"
import { pickAt } from "../recommend/choice/DecisionRule.ts"
import { cacheWarmthUsd } from "../recommend/cost/ListCost.ts"
import type { EngineSettings } from "../Settings.ts"
import type { Choice, ChoiceWords, PolicyMaker } from "./Policy.ts"

export interface Incumbent {
  /** Variants of a model share a prompt cache, and a deployment has its own cache. */
  readonly cacheId: string
  /** Minimum predicted success at which the incumbent may be kept, in [0, 1]. */
  readonly qualityMin: number
}

const isIncumbent = ({ card }: Pick<CostedCandidate, "card">, { cacheId }: Incumbent): boolean =>
  cacheIdOf(card) === cacheId

type IncumbentRule = Pick<EngineSettings, "incumbentDeviations" | "incumbentCostShare">

/** Computes the standard deviation from the prediction's 95 % interval. */
const deviation = ({ successHigh, successLow }: Scored): number =>
  (successHigh - successLow) / (2 * normal975)

/**
 * Returns the incumbent if it replaces the pick, otherwise null. The incumbent must reach the threshold, or
 * be less likely to succeed than the pick by at most the noise of both predictions. The incumbent may be
 * slightly worse than the pick, because a small gain is not worth a cold cache.
 */
const keptIncumbent = (
  settings: IncumbentRule,
  { criteria: { threshold }, objective, pick, ranked }: Choice,
  incumbent: Incumbent
): Scored | null => {
  if (isIncumbent(pick, incumbent)) return null
  const { of, price, tie, valueUsd } = objective
  const kept = pickAt(objective, ranked.filter((each) =>
    isIncumbent(each, incumbent) && each.predictedSuccess >= incumbent.qualityMin), threshold)
  if (kept === undefined) return null
  const noise = settings.incumbentDeviations * Math.hypot(deviation(pick), deviation(kept))
  const isAsLikely = kept.predictedSuccess >= Math.min(threshold, pick.predictedSuccess - noise)
  const slack = settings.incumbentCostShare * price(kept) + (valueUsd ?? 0) * noise
  return isAsLikely && of(kept) - slack <= of(pick) + tie ? kept : null
}

const keptWords = (before: ChoiceWords, replaced: Scored): ChoiceWords => ({
  ...before,
  merit: () =>
    `kept as the incumbent, from which the evidence cannot tell ${variantName(replaced.card.modelId)}`,
  shortfall: (choice, candidate) =>
    candidate === replaced ? "no evidence tells it from the incumbent" : before.shortfall(choice, candidate),
  change: () => ""
})

interface IncumbentShare {
  /** True if no policy after `keepIncumbent` explains the pick. */
  readonly isDecisive: boolean
  /** True if the incumbent replaced another pick, and no policy after `keepIncumbent` explains the pick. */
  readonly isKept: boolean
  /** Amount by which a warm cache lowers a candidate's estimated cost, USD, >= 0. */
  readonly warmUsd: (candidate: CostedCandidate) => number
}

/** Returns `warm_cache` if the incumbent would not be the pick with a cold cache, otherwise null. */
const warmth = (
  incumbent: Incumbent,
  { criteria: { threshold }, objective, ranked }: Choice,
  warmUsd: IncumbentShare["warmUsd"]
): SwitchReason | null => {
  const cold = ranked.map((each) => {
    const costUsd = each.cost.costUsd + (isIncumbent(each, incumbent) ? warmUsd(each) : 0)
    return { ...each, cost: { ...each.cost, costUsd } }
  })
  const rival = pickAt(objective, cold, threshold)
  return rival === undefined || isIncumbent(rival, incumbent) ? null : "warm_cache"
}

/** Returns why the incumbent was kept or replaced; null if the pick was drawn or has another reason. */
const switchReason = (
  incumbent: Incumbent,
  choice: Choice,
  { isDecisive, isKept, warmUsd }: IncumbentShare
): SwitchReason | null => {
  const { deterministic, objective, passedBy, pick, priced, ranked } = choice
  if (pick !== deterministic) return null
  if (isIncumbent(pick, incumbent)) {
    if (isKept) return "within_noise"
    return isDecisive ? warmth(incumbent, choice, warmUsd) : null
  }
  const own = ranked.filter((each) => isIncumbent(each, incumbent))
  const asked = own.length === 0 ? priced.filter((each) => isIncumbent(each, incumbent)) : own
  const passed = passedBy.findLast(({ includes }) => asked.some(includes))
  if (passed !== undefined) return passed.reason
  if (own.length === 0) return "capability"
  return own.every((each) => objective.price(each) > objective.price(pick)) ? "cost" : "threshold"
}

/** Under `epsilon_softmax`, no incumbent is kept, because the pick may be drawn. */
export const keepIncumbent: PolicyMaker = ({ query, request, settings }) => {
  const { incumbentModelId: cacheId } = query.caching
  if (cacheId === null) return null
  const incumbent = { cacheId, qualityMin: request.constraints.minQuality ?? 0 }
  return (choice) => {
    const kept = choice.criteria.selectionPolicy === "argmin"
      ? keptIncumbent(settings, choice, incumbent)
      : null
    const words = kept === null ? choice.words : keptWords(choice.words, choice.pick)
    return {
      ...choice,
      pick: kept ?? choice.pick,
      deterministic: kept ?? choice.pick,
      words,
      fields: [...choice.fields, {
        answered: (final) => ({
          switchReason: switchReason(incumbent, final, {
            isDecisive: final.words === words,
            isKept: kept !== null && final.words === words,
            warmUsd: (each) => each.costBasis === "observed" ? 0 : cacheWarmthUsd(settings, each.card, query)
          })
        })
      }]
    }
  }
}
