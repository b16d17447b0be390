/* The words that explain a choice by a threshold or by a value of success. */
import { variantName } from "../../domain/model/ModelVariant.ts"
import type { ThresholdRule } from "../../domain/SliderThreshold.ts"
import { decimal, dollars, duration, percent } from "../../domain/text/Words.ts"
import { type Flip, nearestFlip, roundIn, tauScale } from "../../stats/NearestFlip.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import { lowest, ruleOf } from "../recommend/choice/DecisionRule.ts"
import type { Choice } from "./Policy.ts"

export const adjectives = {
  cost: { lowest: "the cheapest", low: "as cheap as any", equal: "at the same cost" },
  latency: { lowest: "the fastest", low: "as fast as any", equal: "and about as fast" }
} as const

/** Explains why the recommended model is the pick, if a threshold decides. */
export const thresholdMerit = (
  { criteria: { threshold }, eligible, objective, pick, ranked }: Choice
): string => {
  const { of, optimizeFor, tie } = objective
  const words = adjectives[optimizeFor]
  const tau = `tau ${decimal(threshold)}`
  if (ranked.length === 1) {
    return `the only candidate, ${eligible.length === 1 ? "which reaches" : "though short of"} ${tau}`
  }
  if (eligible.length === 0) {
    return `the likeliest of ${ranked.length} candidates, none of which reaches ${tau}`
  }
  if (eligible.length === 1) return `the only one of ${ranked.length} candidates that reaches ${tau}`
  const isTied = eligible.some((each) => each !== pick && of(each) <= of(pick) + tie)
  const rank = `${isTied ? words.low : words.lowest} of the ${eligible.length} candidates that reach ${tau}`
  if (optimizeFor === "cost") return rank
  return pick.latencyMs === null
    ? `${rank}, its latency being assumed to be the mean of theirs`
    : `${rank}, at ${duration(pick.latencyMs.p75)}`
}

/** Explains that a candidate costs more or takes longer than the pick before a draw. */
const lostTo = (
  { deterministic, objective: { of, optimizeFor } }: Choice,
  candidate: Scored
): string => {
  const rival = variantName(deterministic.card.modelId)
  if (optimizeFor === "latency") {
    return candidate.latencyMs === null
      ? `no latency of it is known, and ${rival} is faster than the mean`
      : `slower than ${rival} at ${duration(of(deterministic))}`
  }
  const rivalCost = dollars(deterministic.cost.costUsd)
  return dollars(candidate.cost.costUsd) === rivalCost
    ? `a shade dearer than ${rival}`
    : `dearer than ${rival} at ${rivalCost}`
}

/** Explains why another candidate is not the pick, if a threshold decides. */
export const thresholdShortfall = (choice: Choice, candidate: Scored): string => {
  const { criteria: { threshold }, deterministic, eligible, objective: { of, optimizeFor, tie } } = choice
  const isShort = candidate.predictedSuccess < threshold
  if (isShort && eligible.length > 0 && deterministic.predictedSuccess >= threshold) {
    return `short of tau ${decimal(threshold)}`
  }
  const rival = variantName(deterministic.card.modelId)
  const isLessLikely = candidate.predictedSuccess < deterministic.predictedSuccess
  if (isLessLikely && eligible.length === 0) return `less likely than ${rival}`
  if (of(candidate) > of(deterministic) + tie) return lostTo(choice, candidate)
  return `${isLessLikely ? "less likely" : "no better"} than ${rival} ${adjectives[optimizeFor].equal}`
}

const worthWords = ({ objective: { of } }: Choice, candidate: Scored): string => {
  const lossUsd = of(candidate)
  return lossUsd > 0 ? `a loss of ${dollars(lossUsd)}` : `worth ${dollars(-lossUsd)}`
}

/** Explains why the recommended model is the pick, if a value of success decides. */
export const valueMerit = (choice: Choice, valueUsd: number): string => {
  const { criteria: { threshold }, eligible, objective, pick, ranked } = choice
  const worth = `${worthWords(choice, pick)} a task at ${dollars(valueUsd)} a success`
  const bar = threshold > 0 ? ` min_quality ${decimal(threshold)}` : ""
  if (eligible.length === 0) return `${worth}, the likeliest of ${ranked.length}, none of which reaches${bar}`
  const rival = lowest(objective, eligible.filter((each) => each !== pick))
  if (rival === undefined) return ranked.length === 1 ? worth : `${worth}, the only one that reaches${bar}`
  return `${worth}; ${variantName(rival.card.modelId)}, ${percent(rival.predictedSuccess)} at`
    + ` ${dollars(rival.cost.costUsd)}, is ${worthWords(choice, rival)}`
}

/** Explains why another candidate is not the pick, if a value of success decides. */
export const valueShortfall = (choice: Choice, candidate: Scored): string => {
  const { criteria: { threshold }, deterministic, eligible } = choice
  const rival = variantName(deterministic.card.modelId)
  if (candidate.predictedSuccess < threshold && eligible.length > 0) {
    return `short of min_quality ${decimal(threshold)}`
  }
  return eligible.length === 0
    ? `no likelier than ${rival}`
    : `${worthWords(choice, candidate)} a task where ${rival} is ${worthWords(choice, deterministic)}`
}

/**
 * Names the nearest tau or value at which another model is picked, if there is one. May name a tau that the
 * pick reaches if the pick misses tau.
 */
export const changeOf = (settings: ThresholdRule) => (choice: Choice): string => {
  const { candidates, criteria, eligible, objective, pick, ranked } = choice
  const { threshold } = criteria
  const { valueUsd } = objective
  // No reached tau is named for an optimistic pick, whose prediction may be lower at a lower tau.
  const isOptimistic = pick.predictedSuccess > pick.forecast.mixed
    && [pick.optimisticSuccess, pick.highPriorSuccess].includes(pick.predictedSuccess)
  // At a tau of at most `next`, another candidate reaches tau, and may be cheaper.
  const next = ranked.reduce(
    (most, each) => each === pick ? most : Math.max(most, each.predictedSuccess), settings.thresholdMin
  )
  const clearing = eligible.length > 0 || isOptimistic || valueUsd !== null
    ? null
    : roundIn(tauScale(settings), next, Math.min(pick.predictedSuccess, settings.thresholdMax), "most")
  const flip = nearestFlip(ruleOf(settings, objective, candidates, threshold), valueUsd ?? threshold)
  const settingWords = ({ at, side }: Flip) =>
    valueUsd === null ? `tau is at ${side} ${at}` : `a success is worth at ${side} ${dollars(at)}`
  const parts = [
    ...(clearing === null ? [] : [`it clears tau from ${clearing} down`]),
    ...(flip === null ? [] : [`Sextant picks ${variantName(flip.modelId)} if ${settingWords(flip)}`])
  ]
  return parts.length === 0 ? "" : `; ${parts.join(" and ")}`
}
