import type { defaults } from "../../Settings.ts"

/**
 * tau = min + (slider / 10) * (max - min), raised by a request's `minQuality`.
 *
 * @param slider in [0, 10]
 * @returns probability in [0, 1]
 */
export const threshold = (
  { thresholdMax, thresholdMin }: Pick<typeof defaults, "thresholdMin" | "thresholdMax">,
  slider: number,
  minQuality: number | null
): number => Math.max(thresholdMin + (slider / 10) * (thresholdMax - thresholdMin), minQuality ?? 0)
