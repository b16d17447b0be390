/** The nearest setting of a decision rule, a threshold or a value of success, at which its pick changes. */

/** A setting: the range in which callers set it, and how near two numbers of it are. */
interface FlipScale {
  readonly least: number
  readonly most: number
  /** Powers of ten whose parts are tried for a number near this one, the roundest first. */
  readonly stepsNear: (near: number) => ReadonlyArray<number>
  /** Distance of two numbers of the range, >= 0. */
  readonly distance: (one: number, other: number) => number
}

/** tau, with two to four decimals, from end to end of the slider. */
export const tauScale = (
  { thresholdMax, thresholdMin }: { readonly thresholdMax: number; readonly thresholdMin: number }
): FlipScale => ({
  least: thresholdMin,
  most: thresholdMax,
  stepsNear: () => [1e2, 1e3, 1e4],
  distance: (one, other) => Math.abs(one - other)
})

/**
 * What a right result is worth, US dollars, with two or three digits; near is what differs by a small factor.
 */
export const valueScale: FlipScale = {
  least: 0,
  most: 1e6,
  // A hair less, so that what is just under a power of ten has the digits of that.
  stepsNear: (near) => [1, 2].map((digits) => 10 ** (digits - Math.floor(Math.log10(near * (1 - 1e-9))))),
  distance: (one, other) => Math.abs(Math.log(one / other))
}

/** A decision rule over one set of candidates, which can be applied at other settings. */
export interface FlipRule {
  readonly scale: FlipScale
  /** Settings at which its pick may change, in any order: above one, up to the next, the pick is the same. */
  readonly bars: ReadonlyArray<number>
  /** The model that it picks at this setting. */
  readonly modelIdAt: (setting: number) => string | undefined
}

interface ValuedOption {
  readonly success: number
  readonly usd: number
}

/** Values of success at which two of these are worth the same, but for so many USD of the likelier. */
const evenAt = (options: ReadonlyArray<ValuedOption>, lessUsd: number): ReadonlyArray<number> =>
  options.flatMap((likelier) =>
    options.flatMap((cheaper) => {
      const bar = (likelier.usd - cheaper.usd - lessUsd) / (likelier.success - cheaper.success)
      return likelier.success > cheaper.success && bar > 0 ? [bar] : []
    }))

/**
 * Values of success between which the best of these is the same: where two are worth the same, but for a tie,
 * which the likelier wins.
 */
export const valueBars = (options: ReadonlyArray<ValuedOption>, tieUsd: number): ReadonlyArray<number> =>
  // A hair less, so that the bar itself lies above.
  evenAt(options, tieUsd).map((bar) => bar * (1 - 1e-12))

/** {@link valueBars} where an optimistic option wins no tie: it also wins where it is worth more at last. */
export const optimisticValueBars = (
  options: ReadonlyArray<ValuedOption>,
  tieUsd: number
): ReadonlyArray<number> =>
  // A hair more, so that the bar itself lies below.
  [...valueBars(options, tieUsd), ...evenAt(options, 0).map((bar) => bar * (1 + 1e-12))]

/** The nearest setting that callers can make at which another model would be picked. */
export interface Flip {
  readonly modelId: string
  /** `most`: at this setting, coming from above; `least`: coming from below. */
  readonly side: "most" | "least"
  /** As few digits as it takes. At exactly this setting the rule picks `modelId`. */
  readonly at: number
}

/** The roundest number in (above, upTo], as near as it can to the end that `side` names; null for none. */
export const roundIn = (
  { stepsNear }: Pick<FlipScale, "stepsNear">,
  above: number,
  upTo: number,
  side: Flip["side"]
): number | null => {
  const near = side === "most" ? upTo : above
  for (const steps of stepsNear(near)) {
    const whole = Math.round(near * steps)
    const of = (count: number) => steps < 1 ? count * Math.round(1 / steps) : count / steps
    const found = [whole, whole - 1, whole + 1].map(of)
      .find((value) => value > above && value <= upTo)
    if (found !== undefined) return found
  }
  return null
}

/**
 * The flip nearest to a setting, null for none: applies the rule once per interval, outward on both sides. An
 * interval too thin for the digits is skipped: no caller sets such a number.
 */
export const nearestFlip = ({ bars, modelIdAt, scale }: FlipRule, setting: number): Flip | null => {
  const { distance, least, most } = scale
  const pick = modelIdAt(setting)
  // The least itself can be set, so the open end lies just under it.
  const floor = least - 1e-9
  const ends = [...new Set(bars)].filter((bar) => bar > floor && bar < most).sort((a, b) => a - b)
  const flipIn = (i: number, side: Flip["side"]): Flip | null => {
    const at = roundIn(scale, ends[i - 1] ?? floor, ends[i] ?? most, side)
    const modelId = at === null ? undefined : modelIdAt(at)
    return at === null || modelId === undefined || modelId === pick ? null : { modelId, side, at }
  }
  const firstFrom = (start: number, step: 1 | -1, side: Flip["side"]): Flip | null => {
    for (let i = start; i >= 0 && i <= ends.length; i += step) {
      const flip = flipIn(i, side)
      if (flip !== null) return flip
    }
    return null
  }
  // The interval up to each end, one more up to the most, and what lies above; this one holds the setting.
  const own = [...ends, most].findIndex((end) => end >= setting)
  const at = own === -1 ? ends.length + 1 : own
  const lower = firstFrom(at - 1, -1, "most")
  const higher = firstFrom(at + 1, 1, "least")
  if (lower === null || higher === null) return lower ?? higher
  return distance(setting, lower.at) <= distance(setting, higher.at) ? lower : higher
}
