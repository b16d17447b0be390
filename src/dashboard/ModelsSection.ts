import type { Answers, Calibration, Cell } from "./Answers.ts"
import { type Column, element, note, section, table } from "./Element.ts"
import { count, counted, interval, percent, priceOr, shareOr } from "./Figures.ts"

type Flag = Calibration["drift_flags"][number]

const directions: { readonly [D in Flag["direction"]]: string } = {
  over_predicting: "does worse than predicted",
  under_predicting: "does better than predicted"
}

/** Models that keep missing their predictions, per kind of task. */
export const driftSection = ({ calibration }: Answers): HTMLElement => {
  const flags = calibration.drift_flags
  return section(
    "drift",
    "Drift",
    ...(flags.length === 0
      ? [note("As far as the outcomes of this window tell, no model keeps missing its predictions.")]
      : [
        note("These models keep missing their predictions in one direction."),
        element("ul", { class: "flags" }, ...flags.map(({ cluster, direction, model_id: modelId }) =>
          element("li", {},
            element("span", { "aria-hidden": "true", class: direction },
              direction === "over_predicting" ? "▼ " : "▲ "),
            element("strong", {}, modelId), ` ${directions[direction]} on ${cluster}.`)))
      ])
  )
}

const range = ({ success_high: high, success_low: low }: Cell): string => {
  const words = interval(low, high)
  return words === "" ? "" : ` (${words})`
}

const columns: ReadonlyArray<Column<Cell>> = [
  { title: "Kind of task", cell: ({ cluster }) => cluster },
  { title: "Model", cell: ({ model_id: modelId }) => modelId },
  { title: "Recommended", cell: ({ n_recommended: n }) => count(n), isNumeric: true },
  { title: "Outcomes", cell: ({ n_outcomes: n }) => count(n), isNumeric: true },
  {
    title: "Succeeded (95 % interval)",
    cell: (cell) => cell.success_rate === null ? "not known" : `${percent(cell.success_rate)}${range(cell)}`,
    isNumeric: true
  },
  { title: "Predicted", cell: ({ predicted_success: share }) => shareOr(share), isNumeric: true },
  { title: "Billed per call", cell: ({ mean_cost_usd: cost }) => priceOr(cost), isNumeric: true },
  { title: "Bills", cell: ({ n_billed: n }) => count(n), isNumeric: true }
]

/** How many pairs are shown before the reader asks for all. */
const shownFirst = 12
const everything = "Success and cost of each model by kind of task"

const weightOf = ({ n_outcomes: told, n_recommended: picked }: Cell): number => told + picked

/** How each model did on each kind of task, counted where it really ran. */
export const modelsSection = ({ dashboard }: Answers): HTMLElement => {
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
    note(
      "Success counts where the model really ran and somebody told how it went; half a success counts one"
        + " half. With few outcomes the interval is wide: read it, not the rate."
    ),
    table(isLong ? `The ${shownFirst} busiest pairs of task and model` : everything, columns, busiest),
    ...(isLong
      ? [element("details", {}, element("summary", {}, `All ${cells.length} pairs, sorted by kind of task`),
        table(everything, columns, cells))]
      : []),
    ...(leftOut === 0 ? [] : [note(`${counted(leftOut, "pair")} with fewer decisions are left out.`)])
  )
}
