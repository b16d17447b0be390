/* Predicted success against realized success, and the models that repeatedly miss their predictions. */
import { interval95 } from "../../../src/stats/Wilson.ts"
import { driftWords } from "./Alerts.ts"
import type { Answers, Bin, Calibration, ClusterRow, Slice } from "./Answers.ts"
import { shares } from "./charts/Axis.ts"
import { planeChart } from "./charts/PlaneChart.ts"
import { asTable, type Column, element, type Element, figures, note, section, table } from "./Element.ts"
import { count, counted, interval, nameOf, percent, pointsOr, price } from "./Figures.ts"

const filled = (bins: ReadonlyArray<Bin>) =>
  bins.flatMap(({ avg_predicted: predicted, avg_realized: realized, hi, lo, n }) =>
    n === 0 || predicted === null || realized === null
      ? []
      : [{ lo, hi, n, predicted, realized, ...interval95(realized, n) }])

const binColumns: ReadonlyArray<Column<ReturnType<typeof filled>[number]>> = [
  { title: "Predicted between", cell: ({ hi, lo }) => `${percent(lo)} and ${percent(hi)}` },
  figures("Outcomes", ({ n }) => count(n)),
  figures("Predicted on average", ({ predicted }) => percent(predicted)),
  figures("Realized", ({ realized }) => percent(realized)),
  figures("95 % interval", ({ high, low }) => interval(low, high))
]

const meansWords = ({ bins, n }: Slice): string => {
  const mean = (of: "avg_predicted" | "avg_realized") =>
    bins.reduce((total, bin) => total + bin.n * (bin[of] ?? 0), 0) / n
  return n === 0 ? "not known" : `${percent(mean("avg_predicted"))}, ${percent(mean("avg_realized"))}`
}

const sliceColumns: ReadonlyArray<Column<Slice>> = [
  {
    title: "Task type",
    cell: ({ slice_key: key }) => key === "global" ? "all together" : key.replaceAll("_", " ")
  },
  figures("Outcomes", ({ n }) => count(n)),
  figures("Predicted, realized", meansWords),
  figures("Off by, on average", ({ ece }) => pointsOr(ece)),
  figures("With few outcomes allowed for", ({ ece_shrunk: ece }) => pointsOr(ece)),
  figures("Off by, in quality", ({ ece_quality: ece }) => pointsOr(ece))
]

export const reliabilitySection = ({ calibration }: Answers): Element => {
  const bins = filled(calibration.reports[0]?.bins ?? [])
  const title = "How accurate are the predictions?"
  if (bins.length === 0) {
    return section("reliability", title, note("In this window no outcome can be compared with a prediction."))
  }
  return section(
    "reliability",
    title,
    note("On the dashed line, what was predicted came true. Each point is a tenth of the scale with its 95 %"
      + " interval; off by is the mean distance from the line. Few outcomes are allowed for by 20 more, of"
      + " all task types."),
    element(
      "div",
      { class: "pair" },
      element(
        "figure",
        {},
        element("figcaption", {}, "Predicted against realized success"),
        planeChart({
          label: `Predicted against realized success, in ${counted(bins.length, "bin")}. The table contains`
            + " the figures.",
          points: bins.map(({ high, low, n, predicted, realized }) => ({
            title: `${percent(predicted)} predicted, ${percent(realized)} realized (${interval(low, high)}),`
              + ` ${counted(n, "outcome")}`,
            x: predicted, y: realized, yLow: low, yHigh: high
          })),
          x: { title: "Predicted success", tickLabel: percent, domain: shares },
          y: { title: "Realized success", tickLabel: percent, domain: shares },
          hasDiagonal: true
        }),
        asTable(table("Predicted against realized success, by prediction", binColumns, bins))
      ),
      element("div", {}, table("Calibration by task type", sliceColumns, calibration.reports))
    )
  )
}

/** Compares a drifting model's mean bill with that of the busiest other model on the kind of task. */
const costOfLeaving = (
  flag: Calibration["drift_flags"][number],
  cells: ReadonlyArray<ClusterRow>
): string => {
  const billed = cells.flatMap((cell) => {
    const { cluster, mean_cost_usd: usd, n_outcomes: n } = cell
    return cluster === flag.cluster && usd !== null ? [{ name: nameOf(cell), usd, n }] : []
  })
  const own = billed.find(({ name }) => name === nameOf(flag))
  const [busiest] = billed.filter((each) => each !== own).sort((one, other) => other.n - one.n)
  if (own === undefined || busiest === undefined) return ""
  return ` A call of it was billed ${price(own.usd)} there, and one of ${busiest.name}, which ran most beside`
    + ` it, ${price(busiest.usd)}.`
}

/** Lists models that repeatedly did worse, or better, than predicted; null if there is no such model. */
export const driftSection = ({ calibration: { drift_flags: flags }, dashboard }: Answers): Element | null =>
  flags.length === 0 ? null : section(
    "drift",
    "Drift",
    note("These models repeatedly missed their predictions in one direction."),
    element("ul", { class: "flags" }, ...flags.map((flag) =>
      element("li", {},
        element("span", { "aria-hidden": "true", class: flag.direction },
          flag.direction === "over_predicting" ? "▼ " : "▲ "),
        driftWords(flag), costOfLeaving(flag, dashboard.cluster_models))))
  )
