/** Finds the nearest setting (threshold, or value of success) at which a rule picks another model. */

/** The scale of a setting: the range that callers may set, and the distance between two settings. */
interface FlipScale {
  readonly least: number
  readonly most: number
  /** Returns numbers of steps per unit (powers of ten) for rounding near a setting, the roundest first. */
  readonly stepsNear: (near: number) => ReadonlyArray<number>
  readonly distance: (one: number, other: number) => number
}

/** The scale of the threshold tau: two to four decimals. */
export const tauScale = (
  { thresholdMax, thresholdMin }: { readonly thresholdMax: number; readonly thresholdMin: number }
): FlipScale => ({
  least: thresholdMin,
  most: thresholdMax,
  stepsNear: () => [1e2, 1e3, 1e4],
  distance: (one, other) => Math.abs(one - other)
})

/** The scale of a right result's value: US dollars, two or three digits, logarithmic distance. */
export const valueScale: FlipScale = {
  least: 0,
  most: 1e6,
  // A slightly smaller number gives a power of ten as many digits as the numbers below it.
  stepsNear: (near) => [1, 2].map((digits) => 10 ** (digits - Math.floor(Math.log10(near * (1 - 1e-9))))),
  distance: (one, other) => Math.abs(Math.log(one / other))
}

export interface FlipRule {
  readonly scale: FlipScale
  /** The settings at which the pick may change. The pick stays the same above a bar. */
  readonly bars: ReadonlyArray<number>
  readonly modelIdAt: (setting: number) => string | undefined
}

interface ValuedOption {
  readonly success: number
  readonly usd: number
}

/** The values at which the likelier of two options is worth `lessUsd` less than the cheaper option. */
const evenAt = (options: ReadonlyArray<ValuedOption>, lessUsd: number): ReadonlyArray<number> =>
  options.flatMap((likelier) =>
    options.flatMap((cheaper) => {
      const bar = (likelier.usd - cheaper.usd - lessUsd) / (likelier.success - cheaper.success)
      return likelier.success > cheaper.success && bar > 0 ? [bar] : []
    }))

/** The values at which the best option may change, if the likelier option wins a tie of `tieUsd`. */
export const valueBars = (options: ReadonlyArray<ValuedOption>, tieUsd: number): ReadonlyArray<number> =>
  // Each bar is lowered slightly, so that the value of the tie lies above the bar.
  evenAt(options, tieUsd).map((bar) => bar * (1 - 1e-12))

/** Computes {@link valueBars} for optimistic options, which win no tie. */
export const optimisticValueBars = (
  options: ReadonlyArray<ValuedOption>,
  tieUsd: number
): ReadonlyArray<number> =>
  // Each bar is raised slightly, so that the value at which the options are equal lies below the bar.
  [...valueBars(options, tieUsd), ...evenAt(options, 0).map((bar) => bar * (1 + 1e-12))]

/** The share of a bar by which rounding may move it. */
const barRounding = 1e-9

export interface Flip {
  readonly modelId: string
  /** `most` means the highest such setting below the present setting; `least` means the lowest above it. */
  readonly side: "most" | "least"
  /** The setting is rounded to few digits. The rule picks `modelId` at exactly this setting. */
  readonly at: number
}

/** Finds the roundest number in (above, upTo] near the end of `side`; null if all have many digits. */
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
 * Finds the setting nearest to the present one at which the pick changes; null if the pick never changes. An
 * interval without a number of few digits is skipped, because no caller sets such a number.
 */
export const nearestFlip = ({ bars, modelIdAt, scale }: FlipRule, setting: number): Flip | null => {
  const { distance, least, most } = scale
  const pick = modelIdAt(setting)
  // Callers can set `least` itself, so the open end of the first interval lies just below `least`.
  const floor = least - 1e-9
  const ends = [...new Set(bars)].filter((bar) => bar > floor && bar < most).sort((a, b) => a - b)
  const isBar = (end: number | undefined, at: number): boolean =>
    end !== undefined && Math.abs(end - at) <= barRounding * Math.abs(end)
  const flipBetween = (above: number, upTo: number, side: Flip["side"]): Flip | null => {
    const at = roundIn(scale, above, upTo, side)
    const modelId = at === null ? undefined : modelIdAt(at)
    if (at === null || modelId === undefined) return null
    if (modelId !== pick) return { modelId, side, at }
    // A number within rounding of the bar may lie on its other side, so the next number is tried.
    if (side === "least") return isBar(above, at) ? flipBetween(Math.max(above, at), upTo, side) : null
    return isBar(upTo, at) ? flipBetween(above, at * (1 - 2 * barRounding), side) : null
  }
  const flipIn = (i: number, side: Flip["side"]): Flip | null =>
    flipBetween(ends[i - 1] ?? floor, ends[i] ?? most, side)
  const firstFrom = (start: number, step: 1 | -1, side: Flip["side"]): Flip | null => {
    for (let i = start; i >= 0 && i <= ends.length; i += step) {
      const flip = flipIn(i, side)
      if (flip !== null) return flip
    }
    return null
  }
  // Index of the interval that holds the setting.
  const own = [...ends, most].findIndex((end) => end >= setting)
  const at = own === -1 ? ends.length + 1 : own
  // A setting within rounding of a bar may have the pick of the interval beyond the bar.
  const lower = (isBar(ends[at], setting)
    ? flipBetween(ends[at - 1] ?? floor, setting * (1 - 2 * barRounding), "most")
    : null) ?? firstFrom(at - 1, -1, "most")
  const higher = (isBar(ends[at - 1], setting)
    ? flipBetween(setting, ends[at] ?? most, "least")
    : null) ?? firstFrom(at + 1, 1, "least")
  if (lower === null || higher === null) return lower ?? higher
  return distance(setting, lower.at) <= distance(setting, higher.at) ? lower : higher
}
