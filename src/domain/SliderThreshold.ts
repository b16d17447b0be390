/* tau: the predicted success that a pick must reach, by the cost/quality slider. */
import * as Rounding from "./Rounding.ts"

/** tau at both ends of the slider, probability. Specification. */
export const thresholdMin = 0.55
export const thresholdMax = 0.92

/** What a slider means: tau at both of its ends. */
export interface ThresholdRule {
  readonly thresholdMin: number
  readonly thresholdMax: number
}

/**
 * tau = min + (slider / 10) * (max - min), with six decimals, as predictions have.
 *
 * @param slider in [0, 10]
 */
export const thresholdAt = (slider: number, rule: ThresholdRule = { thresholdMin, thresholdMax }): number =>
  Rounding.probability(rule.thresholdMin + (slider / 10) * (rule.thresholdMax - rule.thresholdMin))
