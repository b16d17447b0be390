/* Groups calls by kind of task, and makes the models of a kind comparable. */
import { Order } from "effect"
import type { DecisionCandidate } from "../../domain/Decision.ts"
import { dayMs } from "../../domain/Time.ts"
import { type Beta, interval95, mean, prior } from "../../stats/Beta.ts"
import { beliefOf } from "../../stats/VerdictsNeeded.ts"
import * as Wilson from "../../stats/Wilson.ts"
import { adviceSettings } from "./AdviceSettings.ts"
import type { ArmSums, ObservedPart } from "./ArmSums.ts"
import { sum } from "../savings/Followed.ts"
import { reportSettings } from "../ReportSettings.ts"

export const monthDays = 30

export interface Kind {
  readonly lane: string
  readonly cluster: string
  /** Models with the most calls come first. */
  readonly arms: ReadonlyArray<ArmSums>
  readonly newestId: string | null
  readonly days: number
  /** Factor from calls of the window to calls of a month; see {@link perMonthOf}. */
  readonly perMonth: number
  readonly spentUsd: number
}

const meanCost = ({ costUsd, nCosted }: ArmSums): number | null => nCosted === 0 ? null : costUsd / nCosted

/** Returns a model's cost, USD: calls times their mean known cost, or summed estimates if none is known. */
export const spentOn = (arm: ArmSums): number => {
  const costUsd = meanCost(arm)
  return costUsd === null ? arm.estimatedUsd : costUsd * arm.nCalls
}

const newest = (ids: ReadonlyArray<string | null>): string | null =>
  ids.reduce((last, id) => last === null || (id !== null && id > last) ? id : last, null)

const none: ObservedPart = { nCalls: 0, nVerdicts: 0, weight: 0, successWeight: 0 }

const addObserved = (one = none, other = none): ObservedPart => ({
  nCalls: one.nCalls + other.nCalls,
  nVerdicts: one.nVerdicts + other.nVerdicts,
  weight: one.weight + other.weight,
  successWeight: one.successWeight + other.successWeight
})

const joined = (one: ArmSums, other: ArmSums): ArmSums => ({
  ...one,
  ...addObserved(one, other),
  firstMs: Math.min(one.firstMs, other.firstMs),
  predictedWeight: one.predictedWeight + other.predictedWeight,
  predicted: one.predicted + other.predicted,
  nCosted: one.nCosted + other.nCosted,
  costUsd: one.costUsd + other.costUsd,
  costSquares: one.costSquares + other.costSquares,
  estimatedUsd: one.estimatedUsd + other.estimatedUsd,
  newestId: newest([one.newestId, other.newestId]),
  observed: addObserved(one.observed, other.observed)
})

const byCalls = (arms: ReadonlyArray<ArmSums>): ReadonlyArray<ArmSums> =>
  [...Map.groupBy(arms, ({ modelId }) => modelId).values()]
    .map(([first, ...others]) => others.reduce(joined, first!))
    .sort((one, other) => other.nCalls - one.nCalls || Order.String(one.modelId, other.modelId))

const daysOf = (arms: ReadonlyArray<ArmSums>, nowMs: number): number =>
  Math.max(1, (nowMs - Math.min(...arms.map(({ firstMs }) => firstMs))) / dayMs)

/**
 * Returns the factor from the calls of a window to the calls of a month, above 0. The calls count as made
 * over at least 30 days, or over the whole window if it is shorter, because one day shows no rate.
 */
const perMonthOf = (arms: ReadonlyArray<ArmSums>, nowMs: number, windowDays: number): number =>
  monthDays / Math.min(windowDays, Math.max(monthDays, daysOf(arms, nowMs)))

/** Kinds of task that cost most come first. */
export const kindsOf = (
  arms: ReadonlyArray<ArmSums>,
  nowMs: number,
  windowDays: number
): ReadonlyArray<Kind> => {
  const perMonth = perMonthOf(arms, nowMs, windowDays)
  const kinds = Map.groupBy(arms, ({ cluster, lane }) => JSON.stringify([lane, cluster]))
  return [...kinds.values()].map((own) => ({
    lane: own[0]!.lane,
    cluster: own[0]!.cluster,
    arms: byCalls(own),
    newestId: newest(own.map(({ newestId }) => newestId)),
    days: daysOf(own, nowMs),
    perMonth,
    spentUsd: sum(own, spentOn)
  })).sort((one, other) =>
    other.spentUsd - one.spentUsd || Order.String(one.lane, other.lane)
    || Order.String(one.cluster, other.cluster))
}

export interface Compared {
  readonly modelId: string
  readonly nCalls: number
  readonly nVerdicts: number
  /** Number of verdicts on decisions, without verdicts on observed calls, which Sextant did not recommend. */
  readonly nDecided: number
  readonly nObserved: number
  /**
   * Mean success by the verdicts on decisions, and their weight. Verdicts on observed calls are left out,
   * because how their tasks were assigned to models is unknown.
   */
  readonly rate: { readonly mean: number; readonly n: number }
  /** Weighted mean prediction of calls with verdicts; null if there is too little evidence. */
  readonly predictedMean: number | null
  /** Success predicted by the newest decision or the engine, in [0.01, 0.99]; null if there is none. */
  readonly predictedNewest: number | null
  /** The belief about the model's success: verdicts, and as the prior the prediction or the kind's mean. */
  readonly belief: Beta
  readonly success: { readonly mean: number; readonly low: number; readonly high: number }
  readonly basis: "verdicts" | "mixed" | "prediction"
  readonly nCosted: number
  /** Mean cost of a call, USD. If the cost is an estimate, the variance of its mean is infinite. */
  readonly costUsd: number
  readonly costVariance: number
  readonly isEstimate: boolean
}

/** Returns the mean cost per call if enough costs are known, else an estimate; null if neither exists. */
const costOf = (arm: ArmSums | undefined, estimateUsd: number | null) => {
  if (arm !== undefined && arm.nCosted >= adviceSettings.triedMin) {
    const costUsd = arm.costUsd / arm.nCosted
    const variance = Math.max(0, arm.costSquares / arm.nCosted - costUsd ** 2) / (arm.nCosted - 1)
    return { costUsd, costVariance: variance, isEstimate: false }
  }
  return estimateUsd === null ? null : { costUsd: estimateUsd, costVariance: Infinity, isEstimate: true }
}

const comparedOf = (
  modelId: string,
  arm: ArmSums | undefined,
  prediction: number | null,
  kindMean: number,
  estimateUsd: number | null
): Compared | null => {
  const { knownMin, triedMin } = adviceSettings
  const { nCalls = 0, nCosted = 0, nVerdicts = 0, successWeight = 0, weight = 0 } = arm ?? {}
  const { predicted = 0, predictedWeight = 0 } = arm ?? {}
  const cost = costOf(arm, estimateUsd)
  if (cost === null || (prediction === null && nVerdicts < triedMin)) return null
  const { observed = none } = arm ?? {}
  const decided = weight - observed.weight
  const rate = { mean: decided <= 0 ? 0 : (successWeight - observed.successWeight) / decided, n: decided }
  const before = prior(prediction ?? kindMean, reportSettings.kindPriorVerdicts)
  const belief = beliefOf({ successes: successWeight, count: weight }, before)
  const isByVerdicts = weight >= knownMin
  return {
    modelId, nCalls, nVerdicts, rate, belief, nCosted, ...cost,
    nDecided: nVerdicts - observed.nVerdicts,
    nObserved: observed.nCalls,
    predictedMean: predictedWeight < triedMin ? null : predicted / predictedWeight,
    predictedNewest: prediction,
    success: isByVerdicts
      ? { mean: successWeight / weight, ...Wilson.interval95(successWeight / weight, weight) }
      : { mean: mean(belief), ...interval95(belief) },
    basis: isByVerdicts ? "verdicts" : nVerdicts < triedMin ? "prediction" : "mixed"
  }
}

/**
 * Returns the usual model, and the models that may replace it; null if too little is known about the usual
 * model. The parameter `first` is the usual model; by default, the model with the most calls.
 */
export const comparedIn = (
  { arms }: Pick<Kind, "arms">,
  candidates: ReadonlyArray<DecisionCandidate>,
  first: ArmSums | undefined = arms[0]
): { readonly usual: Compared; readonly others: ReadonlyArray<Compared> } | null => {
  if (first === undefined) return null
  const kindMean = mean(beliefOf({
    successes: sum(arms, ({ successWeight }) => successWeight), count: sum(arms, ({ weight }) => weight)
  }))
  const candidateOf = (id: string) => candidates.find(({ modelId }) => modelId === id)
  // A prediction of exactly 0 or 1 cannot be the mean of a Beta prior.
  const predictionOf = (id: string): number | null => {
    const predicted = candidateOf(id)?.predictedSuccess
    return predicted === undefined ? null : Math.min(0.99, Math.max(0.01, predicted))
  }
  const estimateOf = (id: string): number | null => candidateOf(id)?.estCostUsd ?? null
  const usual = comparedOf(
    first.modelId, first, predictionOf(first.modelId), kindMean, estimateOf(first.modelId)
  )
  if (usual === null) return null
  const ofUsual = estimateOf(usual.modelId)
  const scale = ofUsual === null || ofUsual <= 0 ? 1 : usual.costUsd / ofUsual
  const ids = new Set([...arms, ...candidates].map(({ modelId }) => modelId))
  ids.delete(usual.modelId)
  return {
    usual,
    others: [...ids].flatMap((id) => {
      const estimate = estimateOf(id)
      return comparedOf(
        id, arms.find(({ modelId }) => modelId === id), predictionOf(id), kindMean,
        estimate === null ? null : estimate * scale
      ) ?? []
    })
  }
}
