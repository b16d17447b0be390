/* The sections of drift and of models by kind of task. */
import type { Answers, Calibration, ClusterRow } from "./Answers.ts"
import { type Column, element, type Element, folded, note, section, table } from "./Element.ts"
import {
  count, counted, day, interval, kindOfTask, modelName, percent, price, priceOr, shareOr
} from "./Figures.ts"

type Flag = Calibration["drift_flags"][number]

/** "gpt-5 keeps doing worse than predicted on hard code.", or did so until it was left. */
export const driftWords = (
  { cluster, direction, effort, left_at: left = null, model_id: modelId }: Flag
): string => {
  const name = modelName(modelId, effort)
  const side = direction === "over_predicting" ? "worse" : "better"
  const how = `${side} than predicted on ${kindOfTask(cluster)}`
  return left === null ? `${name} keeps doing ${how}.` : `${name} did ${how}: it was left on ${day(left)}.`
}

/**
 * What leaving a flagged model costs: a call of it, and of the model that ran most beside it. Its success is
 * not said: over a window it may be as predicted, and have fallen of late.
 */
const costOfLeaving = (flag: Flag, cells: ReadonlyArray<ClusterRow>): string => {
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

const range = ({ success_high: high, success_low: low }: ClusterRow): string => {
  const words = interval(low, high)
  return words === "" ? "" : ` (${words})`
}

const columns: ReadonlyArray<Column<ClusterRow>> = [
  { title: "Kind of task", cell: ({ cluster }) => kindOfTask(cluster) },
  { title: "Model", cell: ({ effort, model_id: modelId }) => modelName(modelId, effort) },
  { title: "Recommended", cell: ({ n_recommended: n }) => count(n), isNumeric: true },
  { title: "Outcomes", cell: ({ n_outcomes: n }) => count(n), isNumeric: true },
  {
    title: "Succeeded (95 % interval)",
    cell: (cell) => cell.success_rate === null ? "not known" : `${percent(cell.success_rate)}${range(cell)}`,
    isNumeric: true
  },
  { title: "Predicted", cell: ({ predicted_success: share }) => shareOr(share), isNumeric: true },
  {
    title: "Billed per call",
    cell: (cell) =>
      priceOr((cell.n_cost_outliers ?? 0) > 0
        ? cell.mean_cost_without_outliers_usd ?? null
        : cell.mean_cost_usd),
    isNumeric: true
  },
  {
    title: "Bills",
    cell: ({ n_billed: n, n_cost_outliers: implausible = 0 }) =>
      implausible > 0 ? `${count(n)}, ${count(implausible)} left out as implausible` : count(n),
    isNumeric: true
  }
]

/** Pairs of task and model that are shown at first, count. */
const shownFirst = 12
const everything = "Success and cost of each model by kind of task"

const weightOf = ({ n_outcomes: outcomes, n_recommended: recommended }: ClusterRow): number =>
  outcomes + recommended

/** How each model did on each kind of task, counted where the model ran. */
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
    note("Counted where the model ran. With few outcomes, read the interval, not the rate."),
    table(isLong ? `The ${shownFirst} busiest pairs of task and model` : everything, columns, busiest),
    ...(isLong
      ? [folded(`All ${cells.length} pairs, sorted by kind of task`, table(everything, columns, cells))]
      : []),
    ...(leftOut === 0 ? [] : [note(`${counted(leftOut, "pair")} with fewer decisions are left out.`)]),
    folded("How to read this", note("The success rate counts calls that ran the model and have feedback; a"
      + " partial success counts half. Predicted is the mean prediction for those of the runs that had one."))
  )
}
