/** The success that a pick must reach: tau by the cost/quality slider, or `minQuality` under a value. */
import * as Rounding from "../../../domain/Rounding.ts"
import { thresholdAt, type ThresholdRule } from "../../../domain/SliderThreshold.ts"

/**
 * tau of the slider, raised by a request's `minQuality` and never below it.
 *
 * @param slider in [0, 10]
 * @returns probability in [0, 1]
 */
export const threshold = (
  rule: ThresholdRule,
  slider: number,
  minQuality: number | null
): number => Math.max(thresholdAt(slider, rule), leastSuccess(minQuality))

/**
 * The success that a pick must reach under a value: `minQuality` alone.
 *
 * @returns probability in [0, 1]
 */
export const leastSuccess = (minQuality: number | null): number => Rounding.probabilityFrom(minQuality ?? 0)
