/* Kinds of task, and the models of each as advice compares them. */
import { Order } from "effect"
import type { DecisionCandidate } from "../../domain/Decision.ts"
import { dayMs } from "../../domain/Time.ts"
import { type Beta, interval95, mean, prior } from "../../stats/Beta.ts"
import { beliefOf } from "../../stats/VerdictsNeeded.ts"
import * as Wilson from "../../stats/Wilson.ts"
import { adviceSettings } from "./AdviceSettings.ts"
import type { ArmSums, ObservedSums } from "./ArmSums.ts"
import { sum } from "../savings/Followed.ts"
import { reportSettings } from "../ReportSettings.ts"

/** Days of a month, as advice counts it. */
export const monthDays = 30

/** A kind of task of a lane. */
export interface Kind {
  readonly lane: string
  readonly cluster: string
  /** The models that ran, those with most calls first; at least one. */
  readonly arms: ReadonlyArray<ArmSums>
  /** The newest decision of all, whose candidates the caller may run; null without any. */
  readonly newestId: string | null
  /** Days in which the calls came, >= 1. */
  readonly days: number
  /** What a month has of the calls, > 0: {@link perMonthOf}. */
  readonly perMonth: number
  /** Cost of all calls, by known costs, else by estimates, USD. */
  readonly spentUsd: number
}

const meanCost = ({ costUsd, nCosted }: ArmSums): number | null => nCosted === 0 ? null : costUsd / nCosted

/** What the calls of a model cost, by those with a known cost, and else by estimates, USD. */
export const spentOn = (arm: ArmSums): number => {
  const costUsd = meanCost(arm)
  return costUsd === null ? arm.estimatedUsd : costUsd * arm.nCalls
}

const newest = (ids: ReadonlyArray<string | null>): string | null =>
  ids.reduce((last, id) => last === null || (id !== null && id > last) ? id : last, null)

const none: ObservedSums = { nCalls: 0, nVerdicts: 0, weight: 0, successWeight: 0 }

const addObserved = (one = none, other = none): ObservedSums => ({
  nCalls: one.nCalls + other.nCalls,
  nVerdicts: one.nVerdicts + other.nVerdicts,
  weight: one.weight + other.weight,
  successWeight: one.successWeight + other.successWeight
})

/** The calls of one model of both sources: its decisions, and those that were observed. */
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

/** The models of a kind of task, each once, those with most calls first. */
const byCalls = (arms: ReadonlyArray<ArmSums>): ReadonlyArray<ArmSums> =>
  [...Map.groupBy(arms, ({ modelId }) => modelId).values()]
    .map(([first, ...others]) => others.reduce(joined, first!))
    .sort((one, other) => other.nCalls - one.nCalls || Order.String(one.modelId, other.modelId))

/** Days since the first of these calls, >= 1. */
const daysOf = (arms: ReadonlyArray<ArmSums>, nowMs: number): number =>
  Math.max(1, (nowMs - Math.min(...arms.map(({ firstMs }) => firstMs))) / dayMs)

/**
 * What 30 days have of the calls of a window, > 0. A window is not longer than the time since its first call.
 * That time counts as 30 days at least: calls of one day are no rate, so their month is what they came to.
 */
const perMonthOf = (arms: ReadonlyArray<ArmSums>, nowMs: number, windowDays: number): number =>
  monthDays / Math.min(windowDays, Math.max(monthDays, daysOf(arms, nowMs)))

/** The kinds of task of a window, those that cost most first. */
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

/** A model on a kind of task, as it is compared. */
export interface Compared {
  readonly modelId: string
  readonly nCalls: number
  /** Its verdicts, and the part of them that decisions have. */
  readonly nVerdicts: number
  readonly nDecided: number
  /** The part of the calls that telemetry shows. */
  readonly nObserved: number
  /** Its success by verdicts on decisions, and their weight: how others' tasks were sorted is not known. */
  readonly rate: { readonly mean: number; readonly n: number }
  /** Its predictions: the mean over calls with verdicts, and that of the kind's newest decision. */
  readonly predictedMean: number | null
  readonly predictedNewest: number | null
  /** The belief about its success, with the prediction as its prior. */
  readonly belief: Beta
  readonly success: { readonly mean: number; readonly low: number; readonly high: number }
  readonly basis: "verdicts" | "mixed" | "prediction"
  readonly nCosted: number
  /** Mean cost of a call, USD. The variance of the mean is Infinity for an estimate, or for one call. */
  readonly costUsd: number
  readonly costVariance: number
  readonly isEstimate: boolean
}

/** The cost of a call of a model, by what is known of its calls, else by an estimate; null without either. */
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
 * A model that runs a kind of task, by default the one with most calls, and the models that may replace it:
 * the others that ran, and the candidates. Null if its success or cost is not known.
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
  // A prediction of 0 or 1 has no distribution.
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
