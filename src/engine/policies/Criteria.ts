/** The criteria of a choice: how much success it needs, and whether it minimises cost or latency. */
import type { OptimizeFor, RecommendRequest, SelectionPolicy } from "../../domain/Recommendation.ts"
import * as Rounding from "../../domain/Rounding.ts"
import { thresholdAt, type ThresholdRule } from "../../domain/SliderThreshold.ts"

export interface Criteria {
  /** Minimum success, in [0, 1]: tau or, with a value of success, the request's `min_quality`. */
  readonly threshold: number
  /** Value of a right result, USD, >= 0; null if cost or latency decides. */
  readonly valueUsd: number | null
  /** The slider, in [0, 10], has no effect if the request has a value of success. */
  readonly slider: number
  readonly optimizeFor: OptimizeFor
  readonly selectionPolicy: SelectionPolicy
  /** True if the threshold or the value is lower than the request asks for. */
  readonly isLowered: boolean
}

export interface CriteriaLevels {
  readonly asked: Criteria
  /** The criteria with the lowest threshold or value; null without a budget, or if `asked` is as low. */
  readonly lowest: Criteria | null
}

export type SentCriteria = Pick<
  RecommendRequest, "constraints" | "costQualityTradeoff" | "optimizeFor" | "successValueUsd"
>

/** The request's `minQuality` as a probability; 0 if it has none. */
const leastSuccess = (minQuality: number | null): number => Rounding.probabilityFrom(minQuality ?? 0)

/**
 * Returns the tau (success threshold) of a slider, in [0, 1], or a higher `minQuality`.
 *
 * @param slider at most 10; may be below 0 if a budget lowers it
 */
export const threshold = (rule: ThresholdRule, slider: number, minQuality: number | null): number =>
  Math.max(thresholdAt(slider, rule), leastSuccess(minQuality))

export const criteriaOf = (
  settings: ThresholdRule,
  { constraints, costQualityTradeoff, optimizeFor, successValueUsd }: SentCriteria,
  selectionPolicy: SelectionPolicy
): Criteria => ({
  threshold: successValueUsd === null
    ? threshold(settings, costQualityTradeoff, constraints.minQuality)
    : leastSuccess(constraints.minQuality),
  valueUsd: successValueUsd,
  slider: costQualityTradeoff,
  optimizeFor,
  selectionPolicy,
  isLowered: false
})
