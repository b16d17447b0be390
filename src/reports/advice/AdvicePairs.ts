/* Compares two models on one kind of task, and names the ways to find out more. */
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

/** The rule for distinguishing two models, at a confidence of 97.5 %, as at one end of a 95 % interval. */
export const rule: TellRule = { ...tellRule, confidence: 0.975 }

export interface Pair {
  readonly usual: Compared
  readonly candidate: Compared
  /** 95 % interval of candidate's minus usual model's success, corrected by `easierBy`; null if unknown. */
  readonly difference: { readonly low: number; readonly high: number } | null
  /** Success that the candidate owes to easier tasks than the usual model's, >= 0; null if not known. */
  readonly easierBy: number | null
  /** Probability that the candidate's success is at most `rule.tolerance` below the usual model's. */
  readonly chance: number
  /**
   * True if verdicts prove that the candidate's success is at most `rule.tolerance` below the usual one's.
   */
  readonly isKnownAsGood: boolean
  /** True if the candidate is known as good, and known to be cheaper. */
  readonly isKnown: boolean
  readonly savingUsd: number
}

const isKnownCheaper = (usual: Compared, candidate: Compared): boolean =>
  Math.min(usual.nCosted, candidate.nCosted) >= adviceSettings.knownMin
  && usual.costUsd - candidate.costUsd > normal975 * Math.sqrt(usual.costVariance + candidate.costVariance)

/**
 * The success that a candidate owes to easier tasks is its mean prediction on its own tasks, less its
 * prediction on the usual model's tasks. The candidate's prediction on the usual model's tasks is that of the
 * usual model, shifted by the difference of both models' newest predictions in log-odds.
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

/** Returns how many further verdicts of each model distinguish the two; null if no number is foreseen. */
const eachOf = ({ candidate, usual }: Pair, round: Round, counted: number): number | null => {
  const needed = verdictsNeeded(usual.belief, candidate.belief, round, rule)
  return needed === null ? null : Math.max(1, needed, Math.ceil(adviceSettings.knownMin - counted))
}

export type Way = Pick<Settle, "by" | "costUsd" | "count" | "days">

/** Describes the wait for verdicts on calls that run anyway; null if they are not expected to suffice. */
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

const byGuarantee = ({ arms, days }: Kind): Way | null => {
  const { confidence, tolerance: loss } = tellRule
  const count = outcomesNeeded({ alpha: 1 - confidence, loss }, null, trialShareDefault)
  const perDay = sum(arms, ({ nVerdicts, observed }) => nVerdicts - (observed?.nVerdicts ?? 0)) / days
  return count === null || perDay === 0
    ? null
    : { by: "guarantee", count, costUsd: 0, days: count / perDay }
}

/** Describes an audition (a test on own prompts); null for effort levels, or if no audition would suffice. */
export const byAudition = (pair: Pair): Way | null => {
  const { candidate, usual } = pair
  const isOfLevels = [usual, candidate].some(({ modelId }) => namedOf(modelId).effort !== undefined)
  const count = isOfLevels ? null : eachOf(pair, "paired", 0)
  return count === null
    ? null
    : { by: "audition", count, costUsd: count * (usual.costUsd + candidate.costUsd), days: 0 }
}

/**
 * Ways to compare two models within `daysMax` days, cheapest first. A day of waiting costs the expected
 * saving of a day.
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

/** An unproven change is `believed` if a model's success is only predicted, otherwise `tried`. */
export const certaintyOf = (
  { candidate, usual }: Pick<Pair, "candidate" | "usual">,
  isKnown: boolean
): Advice["certainty"] =>
  isKnown ? "known" : [candidate, usual].some(({ basis }) => basis === "prediction") ? "believed" : "tried"
