/* Bars over time or over bins: one or two beside each other, above and below zero. */
import { element, type Element } from "../Element.ts"
import { niceDomain, picture, pixels, shareOf } from "./Axis.ts"

interface BarSeries {
  readonly name: string
  /** Hollow bars are estimates or at list prices, filled ones were measured. */
  readonly isHollow: boolean
  /** One value per group, null for no bar. */
  readonly values: ReadonlyArray<number | null>
}

export interface BarChart {
  /** What a reader who cannot see the chart is told of it. */
  readonly label: string
  /** The names of the groups, from left to right. */
  readonly groups: ReadonlyArray<string>
  readonly series: ReadonlyArray<BarSeries>
  /** What selecting a group adds to what is selected, for a pointer: the table has the same links. */
  readonly states?: ReadonlyArray<string>
  readonly valueLabel: (value: number) => string
  /** Of the drawing without its labels, px. */
  readonly height?: number
  readonly maxTicks?: number
  /** Bars of bins that follow one another, below a chart that labels them. */
  readonly isDense?: boolean
  /** Least room for the labels on the left, characters; as another chart above has it. */
  readonly gutter?: number
  /** What the bars count, above them; none where the legend says it. */
  readonly title?: string
}

/** Most labels below the bars, count: as many as fit beside each other on a telephone. */
const labelsMax = 4
/** Widest bar, percent of the chart. */
const widthMax = 9
const below = 24

/** Which groups are labelled: all when there are few, else some at equal distances, and the last one. */
const isLabelled = (count: number) => {
  const step = Math.ceil(count / labelsMax)
  return (index: number): boolean => (count - 1 - index) % step === 0
}

const percents = (value: number): string => `${Number(value.toFixed(3))}%`

/** What a group takes of the chart, so that a pointer finds bars of no height. */
const band = (of: { readonly x: number; readonly width: number; readonly height: number }): Element =>
  element("rect", {
    x: percents(of.x), width: percents(of.width), y: "0", height: pixels(of.height), class: "band"
  })

const legend = (series: ReadonlyArray<BarSeries>): Element =>
  element("ul", { class: "legend" }, ...series.map(({ isHollow, name }) =>
    element("li", {}, element("span", { class: isHollow ? "swatch hollow" : "swatch" }), name)))

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

/** Bars of one or several series by group, with a line at zero and a legend where there are several. */
export const barChart = (
  chart: BarChart
): Element => {
  const { groups, gutter = 0, height = 190, isDense = false, label, maxTicks = 4, series } = chart
  const { states, title, valueLabel } = chart
  const above = title === undefined ? 8 : 26
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null))
  const domain = niceDomain([0, ...known], maxTicks)
  const down = (value: number): number => above + (1 - shareOf(domain, value)) * (height - above)
  // Whole dollars need no cents beside an axis, and the bars need the room.
  const labels = domain.ticks.map((tick) => valueLabel(tick).replace(/\.00$/, ""))
  const share = 100 / Math.max(1, groups.length)
  const width = isDense ? share * 0.82 : Math.min(widthMax, share * 0.72 / Math.max(1, series.length))
  const isNamed = isLabelled(groups.length)
  const barsAt = (index: number) =>
    series.map(({ isHollow, name, values }, at) => {
      const value = values[index] ?? null
      if (value === null || value === 0) return null
      const x = share * (index + 0.5) + width * (at - series.length / 2)
      const [top, bottom] = [down(Math.max(0, value)), down(Math.min(0, value))]
      return element(
        "rect",
        {
          x: percents(x), width: percents(width * 0.94),
          y: pixels(top), height: pixels(Math.max(1, bottom - top)),
          class: isHollow ? "bar hollow" : "bar"
        },
        element("title", {}, `${groups[index] ?? ""}, ${name}: ${valueLabel(value)}`)
      )
    })
  return element(
    "div",
    { class: "chart bars", role: "img", "aria-label": label },
    picture(
      {
        kind: "plot",
        height: height + (isDense ? 4 : below),
        gutter: Math.max(gutter, ...labels.map(({ length }) => length))
      },
      title === undefined ? null : element("text", { x: "0", y: "12", class: "label title" }, title),
      ...domain.ticks.flatMap((tick, index) => [
        element("line", {
          x1: "0", x2: "100%", y1: pixels(down(tick)), y2: pixels(down(tick)),
          class: tick === 0 ? "zero" : "grid"
        }),
        element("text", { x: "-8", y: pixels(down(tick) + 4), "text-anchor": "end", class: "label" },
          labels[index] ?? "")
      ]),
      ...groups.flatMap((_, index) => {
        const state = states?.[index]
        return state === undefined ? barsAt(index) : [element(
          "g", { "data-state": state }, band({ x: share * index, width: share, height }), ...barsAt(index)
        )]
      }),
      ...groups.map((group, index) => {
        if (!isNamed(index) || isDense) return null
        const isAtEnd = groups.length > labelsMax && index === groups.length - 1
        return element("text", {
          x: isAtEnd ? "100%" : percents(share * (index + 0.5)), y: pixels(height + 18), class: "label",
          "text-anchor": isAtEnd ? "end" : "middle"
        }, group)
      })
    ),
    series.length > 1 ? legend(series) : null
  )
}
