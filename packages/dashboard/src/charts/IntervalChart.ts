/* Rows of values with their intervals on one axis. */
import { type Content, element, type Element } from "../Element.ts"
import { across, type Domain, labelAcross, niceDomain, picture } from "./Axis.ts"

export type MarkShape = "circle" | "square" | "triangle"

export interface IntervalRow {
  readonly name: string
  readonly words: string
  readonly value: number
  /** The lower end of the interval; null if no interval is known. */
  readonly low: number | null
  readonly high: number | null
  readonly shape?: MarkShape
  /** True if the value is predicted or at list prices. */
  readonly isHollow?: boolean
  readonly isEmphasized?: boolean
}

export interface IntervalChart {
  /** The description for a reader who cannot see the chart. */
  readonly label: string
  readonly rows: ReadonlyArray<IntervalRow>
  readonly tickLabel: (value: number) => string
  /** A value to compare all rows with, and its name below the axis. */
  readonly reference?: { readonly value: number; readonly name: string }
}

const shapes: { readonly [S in MarkShape]: string } = {
  circle: "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
  square: "M-5-5h10v10h-10z",
  triangle: "M0-6l6 11h-12z"
}

export const mark = (
  x: string,
  y: string,
  { isHollow = false, shape = "circle", title }:
    & Pick<IntervalRow, "isHollow" | "shape">
    & { readonly title: string }
): Element =>
  element(
    "svg",
    { x, y, class: "at" },
    element("path", { d: shapes[shape], class: isHollow ? "mark hollow" : "mark" },
      element("title", {}, title))
  )

/** Minimum height of a row, px; a name of several lines makes the row higher. */
const rowHeight = 30

/** The picture of one value with its interval. */
export const intervalTrack = (
  row: IntervalRow,
  domain: Domain,
  reference: number | null = null,
  ticks: ReadonlyArray<number> = [domain.low, domain.high]
): Element =>
  picture(
    { kind: "track", height: rowHeight },
    ...ticks.map((tick) =>
      element("line", {
        x1: across(domain, tick), x2: across(domain, tick), y1: "0", y2: "100%", class: "grid"
      })),
    reference === null ? null : element("line", {
      x1: across(domain, reference), x2: across(domain, reference), y1: "0", y2: "100%",
      class: "reference"
    }),
    row.low === null || row.high === null ? null : element("line", {
      x1: across(domain, row.low), x2: across(domain, row.high), y1: "50%", y2: "50%",
      class: row.isHollow === true ? "interval hollow" : "interval"
    }),
    mark(across(domain, row.value), "50%", { ...row, title: `${row.name}: ${row.words}` })
  )

const axisOf = (
  domain: Domain,
  ticks: ReadonlyArray<number>,
  { reference, tickLabel }: Pick<IntervalChart, "reference" | "tickLabel">
): Element =>
  picture(
    { kind: "axis", height: reference === undefined ? 20 : 38 },
    ...ticks.map((tick, index) => {
      const isBetween = ticks.length > labelsMax && (index - Math.max(0, ticks.indexOf(0))) % 2 !== 0
      return labelAcross(domain, tick, 15, tickLabel(tick), isBetween ? "label between" : "label")
    }),
    reference === undefined ? null : labelAcross(domain, reference.value, 33, `▲ ${reference.name}`)
  )

/** If an axis has more labels than this, a phone shows every second label, including the zero. */
const labelsMax = 5

export const intervalChart = (chart: IntervalChart): Element => {
  const drawn = chart.rows.flatMap(({ high, low, value }) => [value, low ?? value, high ?? value])
  const { ticks, ...domain } = niceDomain([...drawn, chart.reference?.value ?? drawn[0] ?? 0], 4)
  const row = (name: Content, picture: Element, words: Content, isEmphasized = false) =>
    element(
      "div",
      { class: isEmphasized ? "row emphasized" : "row" },
      element("span", { class: "name" }, name), picture, element("span", { class: "words" }, words)
    )
  return element(
    "div",
    { class: "chart intervals", role: "img", "aria-label": chart.label },
    ...chart.rows.map((each) => {
      const track = intervalTrack(each, domain, chart.reference?.value, ticks)
      return row(each.name, track, each.words, each.isEmphasized)
    }),
    row("", axisOf(domain, ticks, chart), "")
  )
}
