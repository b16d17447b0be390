/* Predicted success against realized success, and the models that repeatedly miss their predictions. */
import { interval95 } from "../../../src/stats/Wilson.ts"
import { driftWords } from "./Alerts.ts"
import type { Answers, Bin, Calibration, ClusterRow, Slice } from "./Answers.ts"
import { shares } from "./charts/Axis.ts"
import { columnChart } from "./charts/ColumnChart.ts"
import { planeChart } from "./charts/PlaneChart.ts"
import { asTable, type Column, element, type Element, folded, note, section, table } from "./Element.ts"
import { count, counted, interval, modelName, percent, pointsOr, price } from "./Figures.ts"
import { meansOf } from "./Grounds.ts"

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

/** Realized over predicted success with 95 % intervals, above the number of outcomes of each bin. */
const chartsOf = (label: string, bins: ReadonlyArray<FilledBin>, all: ReadonlyArray<Bin>): Element =>
  element(
    "div",
    {},
    planeChart({
      label,
      points: bins.map(({ high, low, n, predicted, realized }) => ({
        title: `${percent(predicted)} predicted, ${percent(realized)} realized (${interval(low, high)}),`
          + ` ${counted(n, "outcome")}`,
        x: predicted, y: realized, yLow: low, yHigh: high
      })),
      x: { title: "Predicted success", tickLabel: percent, domain: shares },
      y: { title: "Realized success", tickLabel: percent, domain: shares },
      hasDiagonal: true
    }),
    columnChart({
      label: "Outcomes by predicted success. The table contains the figures.",
      columns: all.map(({ hi, n }) => ({
        name: percent(hi), parts: [{ value: n, isHollow: true, title: `up to ${percent(hi)}: ${count(n)}` }]
      })),
      valueLabel: count,
      title: "Outcomes",
      height: 84,
      maxTicks: 2,
      gutter: percent(1).length,
      isDense: true
    })
  )

const binColumns: ReadonlyArray<Column<FilledBin>> = [
  { title: "Predicted between", cell: ({ hi, lo }) => `${percent(lo)} and ${percent(hi)}` },
  { title: "Outcomes", cell: ({ n }) => count(n), isNumeric: true },
  { title: "Predicted on average", cell: ({ predicted }) => percent(predicted), isNumeric: true },
  { title: "Realized", cell: ({ realized }) => percent(realized), isNumeric: true },
  { title: "95 % interval", cell: ({ high, low }) => interval(low, high), isNumeric: true }
]

const sliceColumns: ReadonlyArray<Column<Slice>> = [
  {
    title: "Task type",
    cell: ({ slice_key: key }) => key === "global" ? "all together" : key.replaceAll("_", " ")
  },
  { title: "Outcomes", cell: ({ n }) => count(n), isNumeric: true },
  {
    title: "Predicted, realized",
    cell: (slice) => {
      const means = meansOf(slice)
      return means === null ? "not known" : `${percent(means.predicted)}, ${percent(means.realized)}`
    },
    isNumeric: true
  },
  { title: "Off by, on average", cell: ({ ece }) => pointsOr(ece), isNumeric: true },
  { title: "With few outcomes allowed for", cell: ({ ece_shrunk: ece }) => pointsOr(ece), isNumeric: true },
  { title: "Off by, in quality", cell: ({ ece_quality: ece }) => pointsOr(ece), isNumeric: true }
]

/** Predicted against realized success, of all task types together and of each. */
export const reliabilitySection = ({ calibration }: Answers): Element => {
  const [global] = calibration.reports
  const bins = filled(global?.bins ?? [])
  const title = "How accurate are the predictions?"
  if (bins.length === 0) {
    return section("reliability", title, note("In this window no outcome can be compared with a prediction."))
  }
  const label = `Predicted against realized success, in ${counted(bins.length, "bin")}.`
    + " The table contains the figures."
  return section(
    "reliability",
    title,
    note("On the dashed line, what was predicted came true. With few outcomes a point is uncertain."),
    element(
      "div",
      { class: "pair" },
      element(
        "figure",
        {},
        element("figcaption", {}, "Predicted against realized success"),
        chartsOf(label, bins, global?.bins ?? []),
        asTable(table("Predicted against realized success, by prediction", binColumns, bins))
      ),
      element("div", {}, table("Calibration by task type", sliceColumns, calibration.reports))
    ),
    folded(
      "How to read this",
      note("Each point is a tenth of the scale: the mean prediction, and the share that succeeded with its"
        + " 95 % interval. The columns below count the outcomes."),
      note("Off by: the mean distance from the dashed line. With few outcomes allowed for: with that of all"
        + " task types added as 20 more outcomes, so that few outcomes do not look like a large error.")
    )
  )
}

/**
 * What leaving a flagged model costs: a call of it, and of the model that ran most beside it. Its success is
 * not said: over a window it may be as predicted, and have fallen of late.
 */
const costOfLeaving = (
  flag: Calibration["drift_flags"][number],
  cells: ReadonlyArray<ClusterRow>
): string => {
  const name = modelName(flag.model_id, flag.effort)
  const billed = cells.flatMap(({ cluster, effort, mean_cost_usd: usd, model_id: modelId, n_outcomes: n }) =>
    cluster === flag.cluster && usd !== null ? [{ name: modelName(modelId, effort), usd, n }] : [])
  const own = billed.find((each) => each.name === name)
  const [busiest] = billed.filter((each) => each !== own).sort((one, other) => other.n - one.n)
  if (own === undefined || busiest === undefined) return ""
  return ` A call of it was billed ${price(own.usd)} there, and one of ${busiest.name}, which ran most beside`
    + ` it, ${price(busiest.usd)}.`
}

/** Models that repeatedly miss their predictions, by kind of task. */
export const driftSection = ({ calibration, dashboard }: Answers): Element => {
  const flags = calibration.drift_flags
  return section(
    "drift",
    "Drift",
    ...(flags.length === 0
      ? [note("In this window no model repeatedly misses its predictions.")]
      : [
        note("These models repeatedly missed their predictions in one direction."),
        element("ul", { class: "flags" }, ...flags.map((flag) =>
          element("li", {},
            element("span", { "aria-hidden": "true", class: flag.direction },
              flag.direction === "over_predicting" ? "▼ " : "▲ "),
            driftWords(flag), costOfLeaving(flag, dashboard.cluster_models))))
      ])
  )
}
