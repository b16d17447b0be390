/* The threshold tau, the predicted success that a model must reach, which the slider sets. */
import * as Rounding from "./Rounding.ts"

/** tau at the cheap end of the slider, a probability. Source: the specification. */
export const thresholdMin = 0.55
export const thresholdMax = 0.92

export interface ThresholdRule {
  readonly thresholdMin: number
  readonly thresholdMax: number
}

/** tau = min + (slider / 10) * (max - min), to six decimals. A budget may lower the slider below 0. */
export const thresholdAt = (slider: number, rule: ThresholdRule = { thresholdMin, thresholdMax }): number =>
  Rounding.probability(rule.thresholdMin + (slider / 10) * (rule.thresholdMax - rule.thresholdMin))
