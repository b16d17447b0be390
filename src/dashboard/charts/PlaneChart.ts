/* Points in a plane with their intervals: predicted against realized success, or success against cost. */
import { element, type Element } from "../Element.ts"
import { across, type Domain, labelAcross, niceDomain, picture, pixels, shareOf, shares } from "./Axis.ts"
import { type IntervalRow, mark } from "./IntervalChart.ts"

export interface PlanePoint extends Pick<IntervalRow, "isHollow" | "shape"> {
  /** What the point is, with its figures. */
  readonly title: string
  /** A short name beside the point; none when left out. */
  readonly name?: string
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
  /** Around all points when left out. */
  readonly domain?: Domain
}

export interface PlaneChart {
  /** What a reader who cannot see the chart is told of it. */
  readonly label: string
  readonly points: ReadonlyArray<PlanePoint>
  readonly x: PlaneAxis
  readonly y: PlaneAxis
  /** A line from the lower left to the upper right, where both values are equal. */
  readonly hasDiagonal?: boolean
  /** Of the drawing without its labels, px. */
  readonly height?: number
}

const above = 26
const below = 44

const scaleOf = ({ domain }: PlaneAxis, values: ReadonlyArray<number | null | undefined>) => {
  if (domain === shares) return { ...shares, ticks: [0, 0.25, 0.5, 0.75, 1] }
  const known = values.filter((value): value is number => value != null)
  return niceDomain(domain === undefined ? known : [domain.low, domain.high], 4)
}

/** Points with intervals up and across, on two labelled axes. */
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
      mark(px, py, point),
      point.name === undefined ? null : element("svg", { x: px, y: py, class: "at" }, element("text", {
        x: shareOf(ofX, point.x) > 0.7 ? "-10" : "10", y: "-8", class: "label name",
        "text-anchor": shareOf(ofX, point.x) > 0.7 ? "end" : "start"
      }, point.name))
    ]
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
      ...drawn
    )
  )
}
