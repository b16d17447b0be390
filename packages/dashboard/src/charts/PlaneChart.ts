/* Points in a plane with their intervals: predicted against realized success, or success against cost. */
import { element, type Element } from "../Element.ts"
import { across, type Domain, labelAcross, niceDomain, picture, pixels, shareOf, shares } from "./Axis.ts"
import { type IntervalRow, mark } from "./IntervalChart.ts"

interface PlanePoint extends Pick<IntervalRow, "isHollow" | "shape"> {
  /** The name of the point with its figures, as a tooltip. */
  readonly title: string
  readonly name?: string
  /** The id of a folded element that a click on the point opens. */
  readonly opens?: string
  readonly x: number
  readonly y: number
  readonly xLow?: number | null
  readonly xHigh?: number | null
  readonly yLow?: number | null
  readonly yHigh?: number | null
}

interface PlaneAxis {
  readonly title: string
  readonly tickLabel: (value: number) => string
  /** The range of the axis; by default it contains all points. */
  readonly domain?: Domain
}

export interface PlaneChart {
  readonly label: string
  readonly points: ReadonlyArray<PlanePoint>
  readonly x: PlaneAxis
  readonly y: PlaneAxis
  /** True to draw a line from the lower left to the upper right. */
  readonly hasDiagonal?: boolean
  /** Height of the plane without the labels below it, px. */
  readonly height?: number
}

const above = 26
const below = 44

const scaleOf = ({ domain }: PlaneAxis, values: ReadonlyArray<number | null | undefined>) => {
  if (domain === shares) return { ...shares, ticks: [0, 0.25, 0.5, 0.75, 1] }
  const known = values.filter((value): value is number => value != null)
  return niceDomain(domain === undefined ? known : [domain.low, domain.high], 4)
}

/** A box in the plane: shares of the width, and pixels from the top. */
interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const isCrossed = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

const coveredBy = (
  { x, xHigh, xLow, y, yHigh, yLow }: PlanePoint,
  acrossOf: (value: number) => number,
  downOf: (value: number) => number
): ReadonlyArray<Box> => {
  const [px, py] = [acrossOf(x), downOf(y)]
  const aside = { left: px - 0.012, right: px + 0.012 }
  return [
    { left: acrossOf(xLow ?? x), right: acrossOf(xHigh ?? x), top: py - 3, bottom: py + 3 },
    { ...aside, top: downOf(yHigh ?? y), bottom: downOf(yLow ?? y) },
    { ...aside, top: py - 6, bottom: py + 6 }
  ]
}

/** About the width of a label's letter, as a share of a plane of 270 pixels, as on a phone. */
const letterShare = 0.025

/** Places for a label: `dy` px below its point, above if negative, and left of the point if `isBefore`. */
const namePlaces = [
  { dy: -8, isBefore: false }, { dy: -8, isBefore: true },
  { dy: 17, isBefore: false }, { dy: 17, isBefore: true },
  { dy: 34, isBefore: false }, { dy: 34, isBefore: true },
  { dy: -26, isBefore: false }, { dy: -26, isBefore: true }
] as const

/** The place inside the plane at which a label covers the fewest drawn boxes, if possible near its point. */
const placeOf = (name: string, px: number, py: number, drawn: ReadonlyArray<Box>) => {
  const places = namePlaces.map(({ dy, isBefore }) => {
    const length = name.length * letterShare
    const left = isBefore ? px - 0.02 - length : px + 0.02
    const box: Box = { left, right: left + length, top: py + dy - 11, bottom: py + dy + 3 }
    const isOutside = box.left < 0 || box.right > 1 || box.top < 0
    // A reader may take a distant label for the label of another point.
    const isFar = dy < -20 || dy > 20
    const crossed = drawn.filter((other) => isCrossed(box, other)).length
    return { dy, isBefore, box, cost: isOutside ? Infinity : crossed + (isFar ? 0.9 : 0) }
  })
  return places.reduce((best, one) => one.cost < best.cost ? one : best)
}

export const planeChart = (
  { hasDiagonal = false, height = 250, label, points, x, y }: PlaneChart
): Element => {
  const ofX = scaleOf(x, points.flatMap((point) => [point.x, point.xLow, point.xHigh]))
  const ofY = scaleOf(y, points.flatMap((point) => [point.y, point.yLow, point.yHigh]))
  const down = (value: number): string => pixels(above + (1 - shareOf(ofY, value)) * (height - above))
  const labels = ofY.ticks.map(y.tickLabel)
  const line = (kind: string, [x1, x2]: readonly [string, string], [y1, y2]: readonly [string, string]) =>
    element("line", { x1, x2, y1, y2, class: kind })
  const drawn = points.flatMap((point) => {
    const [px, py] = [across(ofX, point.x), down(point.y)]
    const kind = point.isHollow === true ? "interval thin hollow" : "interval thin"
    const { xHigh = null, xLow = null, yHigh = null, yLow = null } = point
    return [
      yLow === null || yHigh === null ? null : line(kind, [px, px], [down(yLow), down(yHigh)]),
      xLow === null || xHigh === null ? null : line(kind, [across(ofX, xLow), across(ofX, xHigh)], [py, py]),
      point.opens === undefined
        ? mark(px, py, point)
        : element("g", { "data-opens": point.opens }, mark(px, py, point))
    ]
  })
  const covered = points.flatMap((point) =>
    coveredBy(point, (value) => shareOf(ofX, value), (value) => Number(down(value))))
  const named: Array<Box> = []
  // Labels come after the marks in the document, so that no interval is drawn over a label.
  const names = points.flatMap(({ name, x: at, y: up }) => {
    if (name === undefined) return []
    const { box, dy, isBefore } = placeOf(name, shareOf(ofX, at), Number(down(up)), covered)
    // A label over another label cannot be read, so a phone hides the later one.
    const isCrowded = named.some((other) => isCrossed(box, other))
    if (!isCrowded) named.push(box)
    covered.push(...Array.from({ length: covered.length + 1 }, () => box))
    const [x, anchor] = isBefore ? ["-10", "end"] : ["10", "start"]
    return [element("svg", { x: across(ofX, at), y: down(up), class: "at" }, element("text", {
      x, y: String(dy), class: isCrowded ? "label name between" : "label name", "text-anchor": anchor
    }, name))]
  })
  return element(
    "div",
    { class: "chart plane", role: "img", "aria-label": label },
    picture(
      { kind: "plot", height: height + below, gutter: Math.max(...labels.map(({ length }) => length)) },
      element("text", { x: "0", y: "12", class: "label title" }, y.title),
      ...ofY.ticks.flatMap((tick, index) => [
        line("grid", ["0", "100%"], [down(tick), down(tick)]),
        element("text", { x: "-8", y: pixels(Number(down(tick)) + 4), "text-anchor": "end", class: "label" },
          labels[index] ?? "")
      ]),
      ...ofX.ticks.flatMap((tick) => [
        line("grid", [across(ofX, tick), across(ofX, tick)], [String(above), String(height)]),
        labelAcross(ofX, tick, height + 18, x.tickLabel(tick))
      ]),
      element("text", { x: "100%", y: pixels(height + 38), "text-anchor": "end", class: "label title" },
        x.title),
      hasDiagonal ? line("reference", ["0", "100%"], [String(height), String(above)]) : null,
      ...drawn,
      ...names
    )
  )
}
