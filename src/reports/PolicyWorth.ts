/* Estimates the success and cost of policies from trusted outcomes in columns. */
import { namedOf } from "../domain/model/ModelVariant.ts"
import type { EstimateBasis, PolicyEstimate, PolicyValueResponse } from "../domain/reports/PolicyValue.ts"
import type { ComparisonLack, SavingsComparison } from "../domain/reports/SavingsComparison.ts"
import { thresholdAt } from "../domain/SliderThreshold.ts"
import { percentile95, resample, type Resamples } from "../stats/Bootstrap.ts"
import { clamp } from "../stats/Clamp.ts"
import { type PolicyWorth, replicates, worth } from "../stats/DoublyRobust.ts"
import { type Evidence, evidenceOf } from "../stats/LogEvidence.ts"
import { bestSingle, oracleSuccess } from "../stats/Oracle.ts"
import type { OutcomeLog } from "../stats/OutcomeLog.ts"
import { crossFit } from "../stats/OutcomeModel.ts"
import * as Rules from "../stats/PolicyRules.ts"
import { ofDeal, ofDeployed, ofRules, type PolicySums } from "../stats/PolicySums.ts"
import { statisticsByFold } from "../stats/SufficientStatistics.ts"
import * as Wilson from "../stats/Wilson.ts"
import type { OutcomeColumns } from "./OutcomeColumns.ts"

/** The inputs of the off-policy estimators, which judge a policy by the outcomes of another policy. */
interface OpeInputs {
  readonly evidence: Evidence
  readonly resamples: Resamples
}

/** Minimum share of picks that the logged policy could also have made, for the basis `doubly-robust`. */
const wellSupported = 0.95
/** Minimum number of effective outcomes at which an estimate is called doubly robust. */
const sampleMin = 10

const basisOf = ({ effectiveSampleSize, inversePropensity, supportedShare }: PolicyWorth): EstimateBasis =>
  inversePropensity === null
    ? "model-based"
    : supportedShare >= wellSupported && effectiveSampleSize >= sampleMin
    ? "doubly-robust"
    : "partly-model-based"

/** Returns the middle 95 % of the resampled values, limited to [0, 1] and widened to contain the estimate. */
const rateInterval = (estimate: number | null, values: Float64Array) => {
  const { high, low } = percentile95(values.filter(Number.isFinite))
  return estimate === null || Number.isNaN(low)
    ? { low: null, high: null }
    : { low: Math.min(estimate, clamp(low, 0, 1)), high: Math.max(estimate, clamp(high, 0, 1)) }
}

const estimatesOf = (of: PolicyWorth) => ({
  doublyRobustValue: of.doublyRobust,
  ipsValue: of.inversePropensity,
  directValue: of.direct,
  supportedShare: of.supportedShare
})

/** A policy that the report compares with the deployed policy. */
interface UndeployedPolicy {
  readonly name: string
  readonly rule: Rules.PolicyRule
  /** The model that the policy picks wherever it is a candidate; null for other policies. */
  readonly modelId: string | null
}

const counterfactual = (
  { modelId, name }: Omit<UndeployedPolicy, "rule">,
  sums: PolicySums,
  inputs: OpeInputs
): PolicyEstimate => {
  const value = worth(sums)
  const interval = rateInterval(value.doublyRobust, replicates(sums, inputs.resamples))
  return {
    policy: name,
    ...(modelId === null ? { modelId } : namedOf(modelId)),
    n: value.rows,
    successValue: value.doublyRobust,
    costValue: value.costUsd,
    matchedShare: value.rows === 0 ? 0 : value.matched / value.rows,
    successLow: interval.low,
    successHigh: interval.high,
    effectiveSampleSize: value.effectiveSampleSize,
    basis: basisOf(value),
    ...estimatesOf(value)
  }
}

/** Wilson's interval is used, because its width is above 0 even if all outcomes are equal. */
const observedMean = (log: OutcomeLog) => {
  const success = log.success.reduce((sum, each) => sum + each, 0) / log.rows
  const { high, low } = Wilson.interval95(success, log.rows)
  return {
    successValue: success,
    successLow: low,
    successHigh: high,
    effectiveSampleSize: log.rows,
    basis: "empirical" as const
  }
}

/**
 * If every row followed the recommendation, the estimate is the mean outcome. If callers overruled some
 * recommendations, perhaps on hard tasks, the estimate is doubly robust.
 */
const deployed = (inputs: OpeInputs, sums: PolicySums): PolicyEstimate => {
  const judged = counterfactual({ name: "deployed", modelId: null }, sums, inputs)
  return judged.matchedShare < 1 ? judged : { ...judged, ...observedMean(inputs.evidence.log) }
}

const sliders = [0, 2.5, 5, 7.5, 10]

/** Pairs of a quantile of the price of a further success and a factor: {@link Rules.valuesAmong}. Chosen. */
const valuePlaces = [[0.1, 1], [0.5, 1], [0.9, 1], [0.9, 3], [0.9, 10]] as const

const policy = (name: string, rule: Rules.PolicyRule, modelId: string | null = null): UndeployedPolicy =>
  ({ name, rule, modelId })

const policiesOf = (log: OutcomeLog, modelIds: ReadonlyArray<string>): ReadonlyArray<UndeployedPolicy> => {
  const half = Math.floor(log.rows / 2)
  const best = bestSingle(log, half)
  return [
    policy("cheapest-eligible", Rules.cheapestEligible),
    policy("always-premium", Rules.alwaysPremium),
    policy("always-cheapest", Rules.alwaysCheapest),
    ...(best === null ? [] : [policy("best-single", Rules.single(best, half), modelIds[best])]),
    ...sliders.map((slider) => policy(`slider-${slider}`, Rules.cheapestAt(thresholdAt(slider)))),
    ...Rules.valuesAmong(log, valuePlaces).map((usd) => policy(`value-${usd}`, Rules.worthMost(usd)))
  ]
}

const counterfactuals = (
  inputs: OpeInputs,
  modelIds: ReadonlyArray<string>
): ReadonlyArray<PolicyEstimate> => {
  const policies = policiesOf(inputs.evidence.log, modelIds)
  return ofRules(inputs.evidence, policies.map(({ rule }) => rule))
    .map((sums, index) => counterfactual(policies[index]!, sums, inputs))
}

/** Returns the success gained by choosing per task, compared with the same models assigned at random. */
const routingLift = (inputs: OpeInputs, sums: PolicySums) => {
  const dealt = ofDeal(inputs.evidence)
  const ours = worth(sums).doublyRobust
  const theirs = worth(dealt)
  if (ours === null || theirs.doublyRobust === null) {
    return { routingLift: null, routingLiftLow: null, routingLiftHigh: null, routingLiftBasis: null }
  }
  const without = replicates(dealt, inputs.resamples)
  const { high, low } = percentile95(
    replicates(sums, inputs.resamples).map((value, i) => value - without[i]!).filter(Number.isFinite)
  )
  return {
    routingLift: ours - theirs.doublyRobust,
    routingLiftLow: low,
    routingLiftHigh: high,
    routingLiftBasis: basisOf(theirs)
  }
}

/** Success under the advice and under the baseline. `qualityFields` describes each value. */
export type QualityEstimate = Omit<SavingsComparison, "baselineCostPerCallUsd" | "costPerCallUsd">

/** Minimum number of effective outcomes on each side of a comparison. Chosen. */
const comparedMin = 30

const isComparable = ({ effectiveSampleSize, inversePropensity }: PolicyWorth): boolean =>
  inversePropensity !== null && effectiveSampleSize >= comparedMin

const notCompared = (n: number, nBaselineRan: number, lacks: ComparisonLack): QualityEstimate => ({
  n, nBaselineRan, lacks, success: null, successLow: null, successHigh: null, baselineSuccess: null,
  baselineSuccessLow: null, baselineSuccessHigh: null, difference: null, differenceLow: null,
  differenceHigh: null, basis: null
})

/**
 * Compares the advice with the named baselines on the same rows. For errors that resampling cannot show,
 * random noise is added to advice and baseline, separately for each.
 */
const comparison = (inputs: OpeInputs, baseline: Int32Array): QualityEstimate => {
  const { evidence, resamples } = inputs
  const { log } = evidence
  if (log.rows === 0) return notCompared(0, 0, "verified_outcomes")
  const entries = baseline.map((entry, row) => log.recommended[row]! < 0 ? -1 : entry)
  const ofAdvice = ofDeployed(evidence, (row) => entries[row]! >= 0)
  const [ofBaseline] = ofRules(evidence, [Rules.chosen(entries)])
  const [ours, theirs] = [worth(ofAdvice), worth(ofBaseline!)]
  const [success, baselineSuccess] = [ours.doublyRobust, theirs.doublyRobust]
  if (success === null || baselineSuccess === null) return notCompared(0, 0, "baseline")
  if (!isComparable(ours)) return notCompared(theirs.rows, theirs.matched, "followed_outcomes")
  if (!isComparable(theirs)) return notCompared(theirs.rows, theirs.matched, "baseline_outcomes")
  const advised = replicates(ofAdvice, resamples)
  const usual = replicates(ofBaseline!, { ...resamples, noise: resamples.noise.toReversed() })
  const interval = percentile95(advised.map((value, i) => value - usual[i]!).filter(Number.isFinite))
  const difference = success - baselineSuccess
  const [within, baselineWithin] = [rateInterval(success, advised), rateInterval(baselineSuccess, usual)]
  return {
    n: theirs.rows,
    nBaselineRan: theirs.matched,
    lacks: null,
    success,
    successLow: within.low,
    successHigh: within.high,
    baselineSuccess,
    baselineSuccessLow: baselineWithin.low,
    baselineSuccessHigh: baselineWithin.high,
    difference,
    differenceLow: Math.max(-1, Math.min(difference, interval.low)),
    differenceHigh: Math.min(1, Math.max(difference, interval.high)),
    basis: basisOf(theirs)
  }
}

/** Returns the share of rows whose model was picked at random; 0 if there are no rows. */
const stochasticShare = ({ propensity, rows }: OutcomeLog): number =>
  rows === 0 ? 0 : propensity.reduce((count, each) => each < 1 ? count + 1 : count, 0) / rows

export interface PolicyWorths {
  readonly report: Omit<PolicyValueResponse["report"], "nTrusted" | "nTotalReconciled">
  readonly quality: QualityEstimate
}

/**
 * Estimates the policies. This file must import nothing that is slow to load, because each thread loads it.
 */
export const policyWorths = ({ baseline, log, modelIds }: OutcomeColumns): PolicyWorths => {
  const statistics = statisticsByFold(log)
  const inputs: OpeInputs = {
    evidence: evidenceOf(log, crossFit(log, statistics)),
    resamples: resample(log.blocks)
  }
  const sums = ofDeployed(inputs.evidence)
  const ours = log.rows === 0 ? null : deployed(inputs, sums)
  const oracle = oracleSuccess(log, statistics)
  // If no row followed the recommendation, there is no success to compare with the success of the oracle.
  const achieved = ours === null || ours.matchedShare === 0 ? null : ours.successValue
  return {
    report: {
      stochasticShare: stochasticShare(log),
      policies: ours === null ? [] : [ours, ...counterfactuals(inputs, modelIds)],
      // A regret of 0 means "not known" if `nTrusted`, or `matchedShare` of the deployed policy, is 0.
      regretVsOracle: oracle === null || achieved === null ? 0 : oracle - achieved,
      ...routingLift(inputs, sums)
    },
    quality: comparison(inputs, baseline)
  }
}
