/** What a request asks of its choice: how much success, and what it keeps low. */
import type { RecommendRequest, SelectionPolicy } from "../../domain/Recommendation.ts"
import type { ThresholdRule } from "../../domain/SliderThreshold.ts"
import { leastSuccess, threshold } from "../recommend/choice/Threshold.ts"
import type { Criteria } from "./Policy.ts"

/** The fields of a request that say how much success it asks for. */
export type SentCriteria = Pick<
  RecommendRequest, "constraints" | "costQualityTradeoff" | "optimizeFor" | "successValueUsd"
>

/** What a request asks of its choice. */
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
