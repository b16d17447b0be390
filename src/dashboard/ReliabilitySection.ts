/* The section of calibration: predicted success against realized success. */
import type { ChartConfiguration } from "chart.js"
import { interval95 } from "../stats/Wilson.ts"
import type { Answers, Bin, Slice } from "./Answers.ts"
import { chart, type Drawing } from "./Charts.ts"
import { asTable, type Column, element, note, section, table } from "./Element.ts"
import { count, counted, errorOr, interval, percent } from "./Figures.ts"
import { meansOf } from "./Headline.ts"

/** A bin with outcomes. */
interface FilledBin {
  readonly lo: number
  readonly hi: number
  readonly n: number
  readonly predicted: number
  readonly realized: number
  readonly low: number
  readonly high: number
}

const filled = (bins: ReadonlyArray<Bin>): ReadonlyArray<FilledBin> =>
  bins.flatMap(({ avg_predicted: predicted, avg_realized: realized, hi, lo, n }) =>
    n === 0 || predicted === null || realized === null
      ? []
      : [{ lo, hi, n, predicted, realized, ...interval95(realized, n) }])

const percentTicks = { callback: (value: string | number) => `${Math.round(Number(value) * 100)} %` }

type Data = ChartConfiguration["data"]["datasets"]

/** Points with their 95 % intervals, the line of perfect predictions, and columns of outcomes. */
const datasetsOf = (
  bins: ReadonlyArray<FilledBin>,
  { estimated, muted, realized, text }: Parameters<Drawing>[0]
): Data => [
  {
    type: "line",
    yAxisID: "y",
    label: "Perfect predictions",
    data: [{ x: 0, y: 0 }, { x: 1, y: 1 }],
    borderColor: muted,
    borderDash: [6, 5],
    borderWidth: 1.5,
    pointRadius: 0,
    order: 3
  },
  ...bins.map(({ high, low, predicted }) => ({
    type: "line" as const,
    yAxisID: "y",
    label: "95 % interval",
    data: [{ x: predicted, y: low }, { x: predicted, y: high }],
    borderColor: realized,
    borderWidth: 2,
    pointStyle: "line" as const,
    pointRadius: 4,
    order: 2
  })),
  {
    type: "scatter",
    yAxisID: "y",
    label: "Realized success",
    clip: false,
    data: bins.map(({ predicted, realized }) => ({ x: predicted, y: realized })),
    backgroundColor: realized,
    borderColor: text,
    pointRadius: 5.5,
    order: 1
  },
  {
    type: "bar",
    label: "Outcomes",
    data: bins.map(({ hi, lo, n }) => ({ x: (lo + hi) / 2, y: n })),
    yAxisID: "counts",
    backgroundColor: estimated,
    barThickness: 18,
    order: 4
  }
]

const optionsOf = (
  bins: ReadonlyArray<FilledBin>,
  line: string
): NonNullable<ChartConfiguration["options"]> => ({
  scales: {
    x: {
      type: "linear",
      // By default bars shift the scale and its grid by half of their width.
      offset: false,
      grid: { offset: false },
      min: 0,
      max: 1,
      title: { display: true, text: "Predicted success" },
      ticks: { ...percentTicks, stepSize: 0.2, maxRotation: 0 }
    },
    counts: {
      type: "linear",
      position: "left",
      stack: "y",
      stackWeight: 1,
      beginAtZero: true,
      grace: "20%",
      grid: { color: line },
      title: { display: true, text: "Outcomes" },
      // The topmost label would overlap the lowest one of the axis above.
      ticks: { maxTicksLimit: 4, precision: 0, callback: (n, at, all) => at === all.length - 1 ? "" : n }
    },
    y: {
      type: "linear",
      position: "left",
      min: 0,
      max: 1,
      stack: "y",
      stackWeight: 3,
      title: { display: true, text: "Realized success" },
      ticks: { ...percentTicks, stepSize: 0.2 }
    }
  },
  plugins: {
    legend: { display: false },
    tooltip: {
      filter: ({ dataset }) => dataset.label === "Realized success" || dataset.label === "Outcomes",
      callbacks: {
        label: ({ dataIndex }) => {
          const bin = bins[dataIndex]
          return bin === undefined
            ? ""
            : `${percent(bin.predicted)} predicted, ${percent(bin.realized)} realized, `
              + `${counted(bin.n, "outcome")}`
        }
      }
    }
  }
})

/** Realized over predicted success with 95 % intervals, above the number of outcomes of each bin. */
const drawingOf = (bins: ReadonlyArray<FilledBin>): Drawing => (palette) => ({
  type: "scatter",
  data: { datasets: datasetsOf(bins, palette) },
  options: optionsOf(bins, palette.line)
})

const binColumns: ReadonlyArray<Column<FilledBin>> = [
  { title: "Predicted between", cell: ({ hi, lo }) => `${percent(lo)} and ${percent(hi)}` },
  { title: "Outcomes", cell: ({ n }) => count(n), isNumeric: true },
  { title: "Predicted on average", cell: ({ predicted }) => percent(predicted), isNumeric: true },
  { title: "Realized", cell: ({ realized }) => percent(realized), isNumeric: true },
  { title: "95 % interval", cell: ({ high, low }) => interval(low, high), isNumeric: true }
]

const sliceColumns: ReadonlyArray<Column<Slice>> = [
  { title: "Task type", cell: ({ slice_key: key }) => key === "global" ? "all together" : key },
  { title: "Outcomes", cell: ({ n }) => count(n), isNumeric: true },
  {
    title: "Predicted, realized",
    cell: (slice) => {
      const means = meansOf(slice)
      return means === null ? "not known" : `${percent(means.predicted)}, ${percent(means.realized)}`
    },
    isNumeric: true
  },
  { title: "Error", cell: ({ ece }) => errorOr(ece), isNumeric: true },
  { title: "Error, shrunk", cell: ({ ece_shrunk: ece }) => errorOr(ece), isNumeric: true },
  { title: "Error of quality", cell: ({ ece_quality: ece }) => errorOr(ece), isNumeric: true }
]

/** Predicted against realized success, of all task types together and of each. */
export const reliabilitySection = ({ calibration }: Answers): HTMLElement => {
  const [global] = calibration.reports
  const bins = filled(global?.bins ?? [])
  const title = "How accurate are the predictions?"
  if (bins.length === 0) {
    return section("reliability", title, note("In this window no outcome can be compared with a prediction."))
  }
  const label = `Reliability diagram: in ${counted(bins.length, "bin")}, predicted against realized success.`
    + " The table contains the figures."
  return section(
    "reliability",
    title,
    note(
      "Each point is a tenth of the scale: the mean prediction, and the share that succeeded with its 95 %"
        + " interval. On the dashed line they are equal. The columns below count the outcomes: with few, a"
        + " point is uncertain."
    ),
    element(
      "div",
      { class: "pair" },
      element(
        "figure",
        {},
        element("figcaption", {}, "Predicted against realized success"),
        chart(label, drawingOf(bins), "tall"),
        asTable(table("Predicted against realized success, by prediction", binColumns, bins))
      ),
      element("div", {}, table("Calibration by task type", sliceColumns, calibration.reports), note(
        "The error is the mean distance from the dashed line. Shrunk: with the error of all task types"
          + " added as 20 more outcomes, so that few outcomes do not look like a large error."
      ))
    )
  )
}
