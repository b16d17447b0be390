/* Compares two models on one kind of task, and lists the ways to learn more about them. */
import { trialShareDefault } from "../../domain/account/Guarantee.ts"
import { namedOf } from "../../domain/model/ModelVariant.ts"
import type { Advice, Settle } from "../../domain/reports/Advice.ts"
import type { AdviceModel } from "../../domain/reports/AdviceModel.ts"
import { mean, variance } from "../../stats/Beta.ts"
import { logit, sigmoid } from "../../stats/Logit.ts"
import { normal975, normalBelow } from "../../stats/Normal.ts"
import { outcomesNeeded } from "../../stats/OutcomesNeeded.ts"
import { type Round, type TellRule, tellRule, verdictsNeeded } from "../../stats/VerdictsNeeded.ts"
import { differenceInterval95 } from "../../stats/Wilson.ts"
import type { Compared, Kind } from "./AdviceArms.ts"
import { adviceSettings } from "./AdviceSettings.ts"
import { sum } from "../savings/Followed.ts"

/** {@link tellRule}, with the confidence that the lower end of a 95 % interval has. */
export const rule: TellRule = { ...tellRule, confidence: 0.975 }

/** A candidate, compared with the usual model that runs now. */
export interface Pair {
  readonly usual: Compared
  readonly candidate: Compared
  /**
   * 95 % interval of the candidate's success less the usual model's success; null if there are too few
   * verdicts.
   */
  readonly difference: { readonly low: number; readonly high: number } | null
  /** Measure of how much easier the candidate's tasks were; see {@link easierBy}. */
  readonly easierBy: number | null
  /** Probability that the candidate's success is lower by at most the tolerance. */
  readonly chance: number
  /** True if verdicts show that the candidate's success is lower by at most the tolerance. */
  readonly isKnownAsGood: boolean
  /** True if the candidate is known to be good enough and known to be cheaper. */
  readonly isKnown: boolean
  readonly savingUsd: number
}

export const varianceOf = ({ belief }: Compared): number =>
  mean(belief) * (1 - mean(belief)) / (belief.alpha + belief.beta + 1)

/** Returns true if enough costs of both models are known, and they show that the candidate is cheaper. */
const isKnownCheaper = (usual: Compared, candidate: Compared): boolean =>
  Math.min(usual.nCosted, candidate.nCosted) >= adviceSettings.knownMin
  && usual.costUsd - candidate.costUsd > normal975 * Math.sqrt(usual.costVariance + candidate.costVariance)

/**
 * Returns how much easier the candidate's tasks were than the usual model's, in success; at least 0, null if
 * unknown. The policy assigns tasks by predictions, so predictions show which model got the easier tasks. The
 * result is the candidate's mean prediction on its own tasks, less its prediction on the usual model's tasks.
 * The prediction on the usual model's tasks is the usual model's mean, shifted by the log-odds between both
 * predictions of the newest decision.
 */
const easierBy = (usual: Compared, candidate: Compared): number | null => {
  const { predictedMean, predictedNewest } = candidate
  if (predictedMean === null || predictedNewest === null) return null
  if (usual.predictedMean === null || usual.predictedNewest === null) return null
  const distance = logit(predictedNewest) - logit(usual.predictedNewest)
  return Math.max(0, predictedMean - sigmoid(logit(usual.predictedMean) + distance))
}

export const pairOf = (usual: Compared, candidate: Compared, callsPerMonth: number): Pair => {
  const hasVerdicts = Math.min(usual.rate.n, candidate.rate.n) >= adviceSettings.knownMin
  const easier = easierBy(usual, candidate)
  const measured = hasVerdicts && easier !== null ? differenceInterval95(candidate.rate, usual.rate) : null
  const difference = measured === null
    ? null
    : { low: measured.low - easier!, high: measured.high - easier! }
  const isKnownAsGood = difference !== null && difference.low > -rule.tolerance
  const gap = mean(candidate.belief) - mean(usual.belief) - (easier ?? 0) + rule.tolerance
  return {
    usual, candidate, difference, easierBy: easier,
    chance: normalBelow(gap / Math.sqrt(variance(usual.belief) + variance(candidate.belief))),
    isKnownAsGood,
    isKnown: isKnownAsGood && isKnownCheaper(usual, candidate),
    savingUsd: callsPerMonth * (usual.costUsd - candidate.costUsd)
  }
}

/**
 * Returns the number of further verdicts per model until the change is known; null if no number can be
 * foreseen.
 */
const eachOf = ({ candidate, usual }: Pair, round: Round, counted: number): number | null => {
  const needed = verdictsNeeded(usual.belief, candidate.belief, round, rule)
  return needed === null ? null : Math.max(1, needed, Math.ceil(adviceSettings.knownMin - counted))
}

export type Way = Pick<Settle, "by" | "costUsd" | "count" | "days">

/** Returns the way by verdicts on calls that run anyway; null if no end can be foreseen. */
const byVerdicts = (pair: Pair, days: number): Way | null => {
  const { candidate, usual } = pair
  const isSecond = usual.rate.n >= adviceSettings.knownMin && usual.nCosted >= adviceSettings.knownMin
  const all = isSecond ? [candidate] : [usual, candidate]
  const counted = Math.min(...all.flatMap(({ nCosted, rate }) => [nCosted, rate.n]))
  const each = eachOf(pair, isSecond ? "second" : "separate", counted)
  const perDay = Math.min(...all.map(({ nDecided }) => nDecided)) / days
  return each === null || perDay === 0
    ? null
    : { by: "verdicts", count: each * all.length, costUsd: 0, days: each / perDay }
}

/** Returns the way by a guarantee. Its trials run a candidate that otherwise hardly runs. */
const byGuarantee = ({ arms, days }: Kind): Way | null => {
  const { confidence, tolerance: loss } = tellRule
  const count = outcomesNeeded({ alpha: 1 - confidence, loss }, null, trialShareDefault)
  const perDay = sum(arms, ({ nVerdicts, observed }) => nVerdicts - (observed?.nVerdicts ?? 0)) / days
  return count === null || perDay === 0
    ? null
    : { by: "guarantee", count, costUsd: 0, days: count / perDay }
}

/**
 * Returns the way by an audition on the user's own prompts; null for levels of effort, which an audition
 * cannot run.
 */
export const byAudition = (pair: Pair): Way | null => {
  const { candidate, usual } = pair
  const isOfLevels = [usual, candidate].some(({ modelId }) => namedOf(modelId).effort !== undefined)
  const count = isOfLevels ? null : eachOf(pair, "paired", 0)
  return count === null
    ? null
    : { by: "audition", count, costUsd: count * (usual.costUsd + candidate.costUsd), days: 0 }
}

/**
 * Returns the ways to find out whether a change is good, cheapest first. A day of waiting is priced as the
 * saving per day times the chance that the change is good.
 */
export const waysOf = (pair: Pair, kind: Kind): ReadonlyArray<Way> => {
  const { candidate, chance, usual } = pair
  const dayUsd = chance * (usual.costUsd - candidate.costUsd) * usual.nCalls / kind.days
  const priceOf = ({ costUsd, days }: Way): number => costUsd + dayUsd * days
  return [byVerdicts(pair, kind.days), byGuarantee(kind), byAudition(pair)]
    .flatMap((way) => way !== null && way.days <= adviceSettings.daysMax ? [way] : [])
    .sort((one, other) => priceOf(one) - priceOf(other))
}

export const modelOf = (compared: Compared): AdviceModel => {
  const { basis, costUsd, isEstimate, modelId, nCosted, nObserved, nVerdicts, success } = compared
  return {
    ...namedOf(modelId),
    success: success.mean, successLow: success.low, successHigh: success.high, successBasis: basis, nVerdicts,
    costUsd, costBasis: isEstimate ? "estimate" : "calls", nCosted,
    ...nObserved === 0 ? {} : { nObserved }
  }
}

/**
 * Returns the certainty about two models. The certainty is only `believed` if one of the models has nothing
 * but a prediction.
 */
export const certaintyOf = (
  { candidate, usual }: Pick<Pair, "candidate" | "usual">,
  isKnown: boolean
): Advice["certainty"] =>
  isKnown ? "known" : [candidate, usual].some(({ basis }) => basis === "prediction") ? "believed" : "tried"
