/* Stacked columns over time, with a line. */
import { element, type Element } from "../Element.ts"
import { niceDomain, picture, pixels, shareOf } from "./Axis.ts"

/** A part of a column: solid if billed, hollow at list prices. */
interface Part {
  readonly value: number
  readonly isHollow?: boolean
  readonly hue?: number
  readonly title: string
}

interface Column {
  readonly name: string
  readonly parts: ReadonlyArray<Part>
  readonly line?: { readonly value: number; readonly isHollow: boolean; readonly title: string } | null
  /** The query that a click adds to the selection. */
  readonly state?: string
}

interface LegendEntry {
  readonly name: string
  readonly kind: string
}

export interface ColumnChart {
  readonly label: string
  readonly columns: ReadonlyArray<Column>
  readonly legend?: ReadonlyArray<LegendEntry>
  readonly valueLabel: (value: number) => string
}

/** Number of colours; the style sheet names them `.hue-0` and so on. */
export const hues = 8

/** Maximum number of labels below the columns that fit on a phone. */
const labelsMax = 4
/** Maximum width of a column, percent of the chart. */
const widthMax = 9
/** Height of the chart without the labels below it, px. */
const height = 170
const above = 8
const below = 24

/** Selects the labelled columns: the last column, and others at equal distances. */
const isLabelled = (count: number) => {
  const step = Math.ceil(count / labelsMax)
  return (index: number): boolean => (count - 1 - index) % step === 0
}

const percents = (value: number): string => `${Number(value.toFixed(3))}%`

const trackHeight = 12

/** One bar that is filled up to a share in [0, 1] and hollow beyond. */
export const shareTrack = (filled: number): Element => {
  const part = (x: number, width: number, kind: string) =>
    width === 0 ? null : element("rect", {
      x: percents(100 * x), width: percents(100 * width), y: "1", height: pixels(trackHeight - 2), class: kind
    })
  return picture(
    { kind: "track", height: trackHeight }, part(0, filled, "bar"), part(filled, 1 - filled, "bar hollow")
  )
}

export const columnChart = (chart: ColumnChart): Element => {
  const { columns, label, legend = [], valueLabel } = chart
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
  /** Draws a line's horizontal piece over one column, and joins it to the piece over the previous column. */
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
        // The clickable area of a column has the full height, so that a pointer can hit an empty column.
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
