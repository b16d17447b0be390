/* The axes of charts: positions of values, and their labels. */
import { type Content, element, type Element } from "../Element.ts"

/** A range of values, with `low` < `high`. */
export interface Domain {
  readonly low: number
  readonly high: number
}

export const shares: Domain = { low: 0, high: 1 }

/** Round steps between labels, as multiples of a power of ten. */
const steps = [1, 2, 2.5, 5, 10]

/** The smallest round step that divides a range of this length into at most `most` parts. */
const stepOf = (length: number, most: number): number => {
  const least = length / most
  const power = 10 ** Math.floor(Math.log10(least))
  return power * (steps.find((step) => step * power >= least * (1 - 1e-9)) ?? 10)
}

/** A range that contains all finite values, begins and ends at a label, and is never empty. */
export const niceDomain = (
  values: ReadonlyArray<number>,
  most = 5
): Domain & { readonly ticks: ReadonlyArray<number> } => {
  const finite = values.filter(Number.isFinite)
  const least = finite.reduce((one, other) => Math.min(one, other), finite[0] ?? 0)
  const greatest = finite.reduce((one, other) => Math.max(one, other), finite[0] ?? 1)
  const size = Math.max(Math.abs(least), Math.abs(greatest))
  const isOne = greatest - least <= size * 1e-7 || size < 1e-12
  const margin = isOne ? size < 1e-12 ? 1 : size : 0
  const step = stepOf(greatest - least + margin, most)
  const from = Math.floor(least / step + 1e-9)
  const to = Math.max(from + 1, Math.ceil((greatest + margin) / step - 1e-9))
  // Each label is a multiple of the step, because repeated addition would add up rounding errors.
  const ticks = Array.from({ length: to - from + 1 }, (_, index) =>
    Number(((from + index) * step).toPrecision(12)))
  return { low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1, ticks }
}

/** The share of the range below the value, in [0, 1]; values outside the range are clamped. */
export const shareOf = ({ high, low }: Domain, value: number): number =>
  Math.min(1, Math.max(0, (value - low) / (high - low)))

/** The distance of a value from the left end: "37.5%". */
export const across = (domain: Domain, value: number): string =>
  `${Number((shareOf(domain, value) * 100).toFixed(3))}%`

export const pixels = (value: number): string => String(Number(value.toFixed(1)))

/** A label at a value of a horizontal axis; labels at the ends stay inside the axis. */
export const labelAcross = (
  domain: Domain, value: number, y: number, text: string, kind = "label"
): Element => {
  const share = shareOf(domain, value)
  const anchor = share < 0.04 ? "start" : share > 0.96 ? "end" : "middle"
  const place = { x: across(domain, value), y: pixels(y), "text-anchor": anchor }
  return element("text", { ...place, class: kind }, text)
}

/**
 * A picture as wide as its parent. Widths are in percent and heights in pixels, so that texts have the same
 * size on every screen. `gutter` is the length of the longest label on the left, in characters.
 */
export const picture = (
  { gutter = 0, height, kind }: { readonly kind: string; readonly height: number; readonly gutter?: number },
  ...children: ReadonlyArray<Content>
): Element =>
  element(
    "svg",
    {
      class: `${kind} gutter-${Math.min(gutterMax, gutter)}`,
      width: "100%",
      height: pixels(height),
      xmlns: "http://www.w3.org/2000/svg",
      focusable: "false",
      "aria-hidden": "true"
    },
    ...children
  )

/** The margin on the left grows for labels up to this length, in characters. */
export const gutterMax = 12
