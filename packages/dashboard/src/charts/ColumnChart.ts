/* Columns over time, stacked of parts that are solid or hollow, with a line over them. */
import { element, type Element } from "../Element.ts"
import { niceDomain, picture, pixels, shareOf } from "./Axis.ts"

/** A part of a column; solid was billed or measured, hollow is at list prices. */
interface Part {
  readonly value: number
  readonly isHollow?: boolean
  /** The place of its colour among {@link hues}; the accent when left out. */
  readonly hue?: number
  readonly title: string
}

interface Column {
  /** Below the column: "21 Nov". */
  readonly name: string
  /** From the bottom up. */
  readonly parts: ReadonlyArray<Part>
  /** Where a line passes over the column; null for none. */
  readonly line?: { readonly value: number; readonly isHollow: boolean; readonly title: string } | null
  /** What selecting it adds to what is selected, for a pointer: the table has the same links. */
  readonly state?: string
}

interface LegendEntry {
  readonly name: string
  readonly kind: string
}

export interface ColumnChart {
  /** What a reader who cannot see the chart is told of it. */
  readonly label: string
  /** From left to right. */
  readonly columns: ReadonlyArray<Column>
  readonly legend?: ReadonlyArray<LegendEntry>
  readonly valueLabel: (value: number) => string
  /** Of the drawing without its labels, px. */
  readonly height?: number
}

/** Colours that are told apart, count; the style sheet has them as `.hue-0` and so on. */
export const hues = 8

/** Most labels below the columns, count: as many as fit beside each other on a telephone. */
const labelsMax = 4
/** Widest column, percent of the chart. */
const widthMax = 9
const above = 8
const below = 24

/** Which columns are labelled: all when there are few, else some at equal distances, and the last one. */
const isLabelled = (count: number) => {
  const step = Math.ceil(count / labelsMax)
  return (index: number): boolean => (count - 1 - index) % step === 0
}

const percents = (value: number): string => `${Number(value.toFixed(3))}%`

/** Height of {@link shareTrack}, px. */
const trackHeight = 12

/** One bar, filled up to a share in [0, 1] and hollow from there, for a place that has its words. */
export const shareTrack = (filled: number): Element => {
  const part = (x: number, width: number, kind: string) =>
    width === 0 ? null : element("rect", {
      x: percents(100 * x), width: percents(100 * width), y: "1", height: pixels(trackHeight - 2), class: kind
    })
  return picture(
    { kind: "track", height: trackHeight }, part(0, filled, "bar"), part(filled, 1 - filled, "bar hollow")
  )
}

/** Stacked columns from zero, with a line and a legend where there are any. */
export const columnChart = (chart: ColumnChart): Element => {
  const { columns, height = 190, label, legend = [], valueLabel } = chart
  const tops = columns.flatMap(({ line, parts }) =>
    [parts.reduce((sum, { value }) => sum + value, 0), line?.value ?? 0])
  const domain = niceDomain([0, ...tops], 4)
  const down = (value: number): number => above + (1 - shareOf(domain, value)) * (height - above)
  const labels = domain.ticks.map(valueLabel)
  const share = 100 / Math.max(1, columns.length)
  const width = Math.min(widthMax, share * 0.72)
  const middle = (index: number): number => share * (index + 0.5)
  const isNamed = isLabelled(columns.length)
  const partsOf = ({ parts }: Column, index: number) => {
    let sum = 0
    return parts.filter(({ value }) => value > 0).map(({ hue, isHollow = false, title, value }) => {
      const bottom = down(sum)
      sum += value
      return element("rect", {
        x: percents(middle(index) - width / 2), width: percents(width),
        y: pixels(down(sum)), height: pixels(Math.max(1, bottom - down(sum))),
        class: `bar${hue === undefined ? "" : ` hue-${hue}`}${isHollow ? " hollow" : ""}`
      }, element("title", {}, title))
    })
  }
  /** A step over the column, and the way to it from the one before. */
  const lineOf = ({ line }: Column, index: number): ReadonlyArray<Element> => {
    if (line == null) return []
    const half = Math.min(share / 2, width / 2 + 1)
    const y = pixels(down(line.value))
    const kind = line.isHollow ? "own hollow" : "own"
    const previous = columns[index - 1]?.line
    return [
      ...(previous == null ? [] : [element("line", {
        x1: percents(middle(index - 1) + half), x2: percents(middle(index) - half),
        y1: pixels(down(previous.value)), y2: y, class: `${kind} way`
      })]),
      element("line", { x1: percents(middle(index) - half), x2: percents(middle(index) + half), y1: y, y2: y,
        class: kind }, element("title", {}, line.title))
    ]
  }
  return element(
    "div",
    { class: "chart bars", role: "img", "aria-label": label },
    picture(
      { kind: "plot", height: height + below, gutter: Math.max(...labels.map(({ length }) => length)) },
      ...domain.ticks.flatMap((tick, index) => [
        element("line", {
          x1: "0", x2: "100%", y1: pixels(down(tick)), y2: pixels(down(tick)),
          class: tick === 0 ? "zero" : "grid"
        }),
        element("text", { x: "-8", y: pixels(down(tick) + 4), "text-anchor": "end", class: "label" },
          labels[index] ?? "")
      ]),
      ...columns.flatMap((column, index) => {
        const { state } = column
        if (state === undefined) return partsOf(column, index)
        // What a column takes of the chart, so that a pointer finds one of no height.
        const band = { x: percents(share * index), width: percents(share), y: "0", height: pixels(height) }
        return [element("g", { "data-state": state },
          element("rect", { ...band, class: "band" }), ...partsOf(column, index))]
      }),
      ...columns.flatMap(lineOf),
      ...columns.map(({ name }, index) => {
        if (!isNamed(index)) return null
        const isAtEnd = columns.length > labelsMax && index === columns.length - 1
        return element("text", {
          x: isAtEnd ? "100%" : percents(middle(index)), y: pixels(height + 18), class: "label",
          "text-anchor": isAtEnd ? "end" : "middle"
        }, name)
      })
    ),
    legend.length === 0 ? null : element("ul", { class: "legend" }, ...legend.map(({ kind, name }) =>
      element("li", {}, element("span", { class: `swatch ${kind}` }), name)))
  )
}
