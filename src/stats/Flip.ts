/** The nearest threshold at which another model is picked. */

/** A decision rule over one set of candidates, which can be applied at other thresholds. */
export interface TauRule {
  /** Thresholds at which its pick may change, in any order: between two of them the pick is the same. */
  readonly bars: ReadonlyArray<number>
  /** The model that it picks at this threshold. */
  readonly modelIdAt: (threshold: number) => string | undefined
}

/** The nearest threshold that callers can set at which another model would be picked. */
export interface Flip {
  readonly modelId: string
  /** `most`: at this tau, coming from above; `least`: coming from below. */
  readonly side: "most" | "least"
  /** At most four decimals, in [0, 1]. At exactly this tau the rule picks `modelId`. */
  readonly threshold: number
}

/** Digits after the point that are tried, shortest first. */
const decimals = [2, 3, 4]

/** The shortest decimal in (above, upTo], as near as it can to the end that `side` names; null for none. */
export const roundableThreshold = (above: number, upTo: number, side: Flip["side"]): number | null => {
  for (const digits of decimals) {
    const scale = 10 ** digits
    const whole = Math.round((side === "most" ? upTo : above) * scale)
    const found = [0, -1, 1].map((step) => (whole + step) / scale)
      .find((value) => value > above && value <= upTo)
    if (found !== undefined) return found
  }
  return null
}

/** Predictions between which the rule has one pick: tau in (above, upTo]. */
interface Interval {
  readonly above: number
  readonly upTo: number
}

/** The flip of the first interval that has one. */
const firstOf = (
  intervals: ReadonlyArray<Interval>,
  flipIn: (interval: Interval) => Flip | null
): Flip | null => {
  for (const interval of intervals) {
    const flip = flipIn(interval)
    if (flip !== null) return flip
  }
  return null
}

/**
 * The flip nearest to tau, null for none: applies the rule once per interval, outward from tau on both sides,
 * down to the slider's own minimum. An interval too thin for four decimals is skipped: no caller sets such a
 * threshold.
 */
export const nearestFlip = (
  settings: { readonly thresholdMin: number },
  rule: TauRule,
  threshold: number
): Flip | null => {
  const bars = [...new Set(rule.bars)].sort((a, b) => a - b)
  const pick = rule.modelIdAt(threshold)
  // The minimum itself can be set, so the open end lies just under it.
  const floor = settings.thresholdMin - 1e-9
  // Above the highest prediction nothing clears, and the likeliest stays the pick.
  const intervals = bars.map((bar, i) => ({
    above: Math.max(floor, bars[i - 1] ?? floor),
    upTo: i === bars.length - 1 ? 1 : bar
  }))
  const flipOn = (side: Flip["side"]) => ({ above, upTo }: Interval): Flip | null => {
    const modelId = upTo > above ? rule.modelIdAt(upTo) : pick
    if (modelId === undefined || modelId === pick) return null
    const written = roundableThreshold(above, upTo, side)
    return written === null ? null : { modelId, side, threshold: written }
  }
  const lower = firstOf(intervals.filter(({ upTo }) => upTo < threshold).reverse(), flipOn("most"))
  const higher = firstOf(intervals.filter(({ above }) => above >= threshold), flipOn("least"))
  if (lower === null || higher === null) return lower ?? higher
  return threshold - lower.threshold <= higher.threshold - threshold ? lower : higher
}
