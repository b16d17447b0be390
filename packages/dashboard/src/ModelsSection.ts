/* The section of models: success and cost by kind of task. */
import type { Answers, ClusterRow } from "./Answers.ts"
import { type Column, type Element, figures, folded, note, section, stateLink, table } from "./Element.ts"
import { count, counted, interval, kindOfTask, nameOf, percent, priceOr, shareOr } from "./Figures.ts"

const columns: ReadonlyArray<Column<ClusterRow>> = [
  { title: "Kind of task", cell: ({ cluster }) => kindOfTask(cluster) },
  {
    title: "Model",
    cell: (row) => stateLink(nameOf(row), `?${new URLSearchParams({ model: nameOf(row) })}`)
  },
  figures("Recommended", ({ n_recommended: n }) => count(n)),
  figures("Outcomes", ({ n_outcomes: n }) => count(n)),
  figures("Succeeded (95 % interval)", ({ success_high: high, success_low: low, success_rate: rate }) =>
    rate === null ? "not known" : `${percent(rate)}${low === null ? "" : ` (${interval(low, high)})`}`),
  figures("Predicted", ({ predicted_success: share }) => shareOr(share)),
  figures("Billed per call", ({ n_cost_outliers: n = 0, ...cell }) =>
    priceOr(n > 0 ? cell.mean_cost_without_outliers_usd ?? null : cell.mean_cost_usd)),
  figures("Bills", ({ n_billed: n, n_cost_outliers: implausible = 0 }) =>
    implausible > 0 ? `${count(n)}, ${count(implausible)} left out as implausible` : count(n))
]

const shownFirst = 12
const everything = "Success and cost of each model by kind of task"

const weightOf = ({ n_outcomes: outcomes, n_recommended: recommended }: ClusterRow): number =>
  outcomes + recommended

/** Success and cost of each model by kind of task. */
export const modelsSection = ({ dashboard }: Answers): Element => {
  const { cluster_models: cells, cluster_models_left_out: leftOut } = dashboard
  const title = "Models by kind of task"
  const isLong = cells.length > shownFirst
  const busiest = isLong
    ? cells.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, shownFirst)
    : cells
  if (cells.length === 0) return section("models", title, note("No decision in this window."))
  return section(
    "models",
    title,
    note("Counted where the model ran; a partial success counts half. With few outcomes, read the interval."),
    table(isLong ? `The ${shownFirst} busiest pairs of task and model` : everything, columns, busiest),
    ...(isLong
      ? [folded(`All ${cells.length} pairs, sorted by kind of task`, table(everything, columns, cells))]
      : []),
    ...(leftOut === 0 ? [] : [note(`${counted(leftOut, "pair")} with fewer decisions are left out.`)])
  )
}
