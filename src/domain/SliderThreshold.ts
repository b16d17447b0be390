/* The threshold tau, which is the predicted success that a model must reach. The cost/quality slider sets
   tau. */
import * as Rounding from "./Rounding.ts"

/** tau at the cheap end of the slider, a probability. Source: the specification. */
export const thresholdMin = 0.55
export const thresholdMax = 0.92

/** The values of tau at the two ends of the slider. */
export interface ThresholdRule {
  readonly thresholdMin: number
  readonly thresholdMax: number
}

/**
 * Returns tau = min + (slider / 10) * (max - min), rounded to six decimals like the predictions.
 *
 * @param slider in [0, 10]
 */
export const thresholdAt = (slider: number, rule: ThresholdRule = { thresholdMin, thresholdMax }): number =>
  Rounding.probability(rule.thresholdMin + (slider / 10) * (rule.thresholdMax - rule.thresholdMin))
