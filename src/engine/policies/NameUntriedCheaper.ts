/**
 * Policy: names a much cheaper candidate that was hardly tried. Picks follow predictions, so a model that
 * failed in its first tries may never be picked again.
 */
import { variantName } from "../../domain/model/ModelVariant.ts"
import type { UntriedCheaper } from "../../domain/UntriedCheaper.ts"
import * as Rounding from "../../domain/Rounding.ts"
import * as Belief from "../../stats/Belief.ts"
import * as Beta from "../../stats/Beta.ts"
import { roundsMax, verdictsNeeded } from "../../stats/VerdictsNeeded.ts"
import type { CostedCandidate } from "../recommend/candidates/Candidate.ts"
import { breakEven } from "../recommend/choice/Objective.ts"
import { levelVarianceOf } from "../recommend/choice/Rivals.ts"
import type { EngineSettings } from "../Settings.ts"
import { triesOthers } from "./Explore.ts"
import type { Choice, PolicyContext, PolicyMaker } from "./Policy.ts"

type UntriedRule = Pick<EngineSettings, "levelRule" | "untriedRule">

interface UntriedFinding {
  readonly candidate: CostedCandidate
  /** The success from which the candidate would replace the pick, in [0, 1]. */
  readonly bar: number
  /** Standard deviation of the candidate's success around its prior, logit, > 0. */
  readonly deviation: number
  /** Cost of the pick minus cost of the candidate, USD per call, > 0. */
  readonly savedUsd: number
}

const deviationOf = ({ predictedSuccess, sampleSize }: CostedCandidate): number =>
  Math.sqrt(Beta.varianceOf(predictedSuccess, sampleSize))

/**
 * Returns the cheaper, hardly tried model with the highest product of saving and chance to reach the bar, or
 * null if there is none. The chance is computed from the prior and its uncertainty, because a few outcomes
 * move the prediction too far.
 */
const untriedCheaperIn = (
  settings: UntriedRule,
  context: PolicyContext,
  choice: Choice
): UntriedFinding | null => {
  const { candidates, criteria, objective, pick, words } = choice
  const { chanceMin, deviationsMax, outcomesMax, savingMin } = settings.untriedRule
  // Cost does not decide if latency is minimised, and a drawn pick is already a trial.
  if (objective.optimizeFor === "latency" || choice.isIdle || pick !== choice.deterministic) return null
  const pickUsd = pick.cost.costUsd
  const mostUsd = (1 - savingMin) * pickUsd
  const least = Math.min(criteria.threshold, pick.predictedSuccess)
  const isDrawn = triesOthers(context, criteria)
  let found: UntriedFinding | null = null
  let most = 0
  let ofLevel: number | null = null
  for (const candidate of candidates) {
    const usd = candidate.cost.costUsd
    if (usd > mostUsd || usd >= pickUsd || candidate.cellWeight >= outcomesMax) continue
    const bar = Math.min(1, Math.max(least, breakEven(objective, candidate, pick)))
    if (isDrawn && candidate.predictedSuccess >= least) continue
    if (candidate.predictedSuccess + deviationsMax * deviationOf(candidate) < bar) continue
    const { card: { modelId }, prior, priorSpread } = candidate
    ofLevel ??= levelVarianceOf(settings, candidates)
    const deviation = Math.sqrt(priorSpread ** 2 + ofLevel)
    const chance = Belief.chanceOf(Belief.of(prior, deviation), bar)
    const savedUsd = pickUsd - usd
    if (chance < chanceMin || savedUsd * chance <= most) continue
    if (context.health?.unhealthy.has(modelId) === true || words.over(candidate) !== "") continue
    found = { candidate, bar, deviation, savedUsd }
    most = savedUsd * chance
  }
  return found
}

/** Minimum distance of a success rate from 0 and 1, so that its variance is not 0. */
const rateMin = 0.01
const inside = (rate: number): number => Math.min(1 - rateMin, Math.max(rateMin, rate))

/** Estimates how many further outcomes show whether the candidate reaches the success `bar`, >= 1. */
const trialsOf = (
  { untriedRule: { outcomesMax } }: UntriedRule,
  { bar, candidate: { cellWeight, prior }, deviation }: UntriedFinding
): number => {
  const rate = inside(prior)
  const variance = (deviation * rate * (1 - rate)) ** 2
  const untried = Beta.ofMean(rate, rate * (1 - rate) / variance - 1)
  const needed = verdictsNeeded(Beta.ofMean(inside(bar), Infinity), untried, "second") ?? roundsMax
  return Math.ceil(Math.max(outcomesMax, needed) - cellWeight)
}

/** Names no model if the choice has a plan, because the cost of the first call alone says little. */
export const nameUntriedCheaper: PolicyMaker = (context) => (choice) => {
  const finding = choice.expectedUsd === null ? untriedCheaperIn(context.settings, context, choice) : null
  if (finding === null) return choice
  const untriedCheaper: UntriedCheaper = {
    modelId: variantName(finding.candidate.card.modelId),
    trials: trialsOf(context.settings, finding),
    couldSaveUsdPer_1000: Rounding.figure(1_000 * finding.savedUsd)
  }
  return {
    ...choice,
    fields: [...choice.fields, { answered: () => ({ untriedCheaper }), recorded: () => ({ untriedCheaper }) }]
  }
}
