/** Finds the nearest setting (threshold, or value of success) at which a rule picks another model. */

/** How a setting is measured: its range, the round numbers near it, and the distance between two settings. */
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

/** Values of a right result, USD, are rounded to two or three digits; distances are those of logarithms. */
export const valueScale: FlipScale = {
  least: 0,
  most: 1e6,
  // The factor below 1 gives a power of ten the finer rounding steps of numbers just below that power.
  stepsNear: (near) => [1, 2].map((digits) => 10 ** (digits - Math.floor(Math.log10(near * (1 - 1e-9))))),
  distance: (one, other) => Math.abs(Math.log(one / other))
}

export interface FlipRule {
  readonly scale: FlipScale
  /** The settings (bars) at which the pick may change. Between two bars, the pick stays the same. */
  readonly bars: ReadonlyArray<number>
  readonly modelIdAt: (setting: number) => string | undefined
}

interface ValuedOption {
  readonly success: number
  readonly usd: number
}

/** Values of a right result at which a likelier option's net value is `lessUsd` below a cheaper option's. */
const evenAt = (options: ReadonlyArray<ValuedOption>, lessUsd: number): ReadonlyArray<number> =>
  options.flatMap((likelier) =>
    options.flatMap((cheaper) => {
      const bar = (likelier.usd - cheaper.usd - lessUsd) / (likelier.success - cheaper.success)
      return likelier.success > cheaper.success && bar > 0 ? [bar] : []
    }))

/** Values of a right result at which the pick may change, if a likelier option wins ties up to `tieUsd`. */
export const valueBars = (options: ReadonlyArray<ValuedOption>, tieUsd: number): ReadonlyArray<number> =>
  // Each value is lowered slightly, because the likelier option already wins at the exact value.
  evenAt(options, tieUsd).map((bar) => bar * (1 - 1e-12))

/** Returns {@link valueBars} and the values at which two options are worth exactly the same. */
export const optimisticValueBars = (
  options: ReadonlyArray<ValuedOption>,
  tieUsd: number
): ReadonlyArray<number> =>
  // The value of an exact tie is raised slightly, because an optimistic prediction does not win a tie.
  [...valueBars(options, tieUsd), ...evenAt(options, 0).map((bar) => bar * (1 + 1e-12))]

/** Share of a bar by which rounding may move the bar. */
const barRounding = 1e-9

export interface Flip {
  readonly modelId: string
  /** `most`: lowering the setting to `at` picks `modelId`; `least`: raising the setting to `at` does. */
  readonly side: "most" | "least"
  /** A setting of few digits at which the rule picks `modelId`. */
  readonly at: number
}

/** Finds a round number in (above, upTo], near `upTo` for `most`, near `above` for `least`; else null. */
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
 * Finds the setting nearest to the present one at which the pick changes; null if none is found. An interval
 * without a round number is skipped, because callers set round numbers.
 */
export const nearestFlip = ({ bars, modelIdAt, scale }: FlipRule, setting: number): Flip | null => {
  const { distance, least, most } = scale
  const pick = modelIdAt(setting)
  // The first interval begins just below the lowest setting, because callers may choose that setting.
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
  const own = [...ends, most].findIndex((end) => end >= setting)
  const at = own === -1 ? ends.length + 1 : own
  // If the setting is on a bar, the pick may be the next interval's, so the setting's interval is searched.
  const lower = (isBar(ends[at], setting)
    ? flipBetween(ends[at - 1] ?? floor, setting * (1 - 2 * barRounding), "most")
    : null) ?? firstFrom(at - 1, -1, "most")
  const higher = (isBar(ends[at - 1], setting)
    ? flipBetween(setting, ends[at] ?? most, "least")
    : null) ?? firstFrom(at + 1, 1, "least")
  if (lower === null || higher === null) return lower ?? higher
  return distance(setting, lower.at) <= distance(setting, higher.at) ? lower : higher
}
