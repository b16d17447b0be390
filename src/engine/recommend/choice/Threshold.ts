/** tau, the success that a pick must reach, from the cost/quality slider. */
import type { EngineSettings } from "../../Settings.ts"

/** tau at both ends of the slider. */
export type ThresholdRule = Pick<EngineSettings, "thresholdMin" | "thresholdMax">

/**
 * tau = min + (slider / 10) * (max - min), raised by a request's `minQuality`.
 *
 * @param slider in [0, 10]
 * @returns probability in [0, 1]
 */
export const threshold = (
  { thresholdMax, thresholdMin }: ThresholdRule,
  slider: number,
  minQuality: number | null
): number => Math.max(thresholdMin + (slider / 10) * (thresholdMax - thresholdMin), minQuality ?? 0)
