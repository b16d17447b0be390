/** The criteria of a choice: how much success it needs, and whether it minimises cost or latency. */
import type { RecommendRequest, SelectionPolicy } from "../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../domain/SliderThreshold.ts"
import { leastSuccess, threshold } from "../recommend/choice/Threshold.ts"
import type { Criteria } from "./Policy.ts"

/** The fields of a request that say how much success it asks for. */
export type SentCriteria = Pick<
  RecommendRequest, "constraints" | "costQualityTradeoff" | "optimizeFor" | "successValueUsd"
>

/** The criteria of a request. */
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
  selectionPolicy
})
