/** The success that a pick must reach: tau, from the cost/quality slider, or under a value less. */
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { EngineSettings } from "../../Settings.ts"

/** tau at both ends of the slider. */
export type ThresholdRule = Pick<EngineSettings, "thresholdMin" | "thresholdMax">

/**
 * tau = min + (slider / 10) * (max - min), raised by a request's `minQuality`; with six decimals, as
 * predictions have, and never below `minQuality`.
 *
 * @param slider in [0, 10]
 * @returns probability in [0, 1]
 */
export const threshold = (
  { thresholdMax, thresholdMin }: ThresholdRule,
  slider: number,
  minQuality: number | null
): number =>
  Math.max(
    Rounding.probability(thresholdMin + (slider / 10) * (thresholdMax - thresholdMin)),
    leastSuccess(minQuality)
  )

/**
 * The success that a pick must reach where a value of success weighs it against costs: `minQuality` alone.
 *
 * @returns probability in [0, 1]
 */
export const leastSuccess = (minQuality: number | null): number => Rounding.probabilityFrom(minQuality ?? 0)

/** The request with its account's value of success, unless it has its own or asks for low latency. */
export const underValue = (request: RecommendRequest, ofAccount: number | null): RecommendRequest =>
  ofAccount === null || request.successValueUsd !== null || request.optimizeFor === "latency"
    ? request
    : { ...request, successValueUsd: ofAccount }
