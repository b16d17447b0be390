/* The section of savings over time. */
import type { Answers } from "./Answers.ts"
import { type Bar, barsOf, type Day } from "./Bars.ts"
import { barChart } from "./charts/BarChart.ts"
import { asTable, type Column, element, type Element, folded, note, section, table } from "./Element.ts"
import { count, money } from "./Figures.ts"

/**
 * One baseline: the savings against it, which are never added to the other's, and the requests they cover.
 */
interface Baseline {
  readonly title: string
  readonly estimated: (day: Day) => number
  readonly realized: (day: Day) => number
  readonly nEstimated: (day: Day) => number
  readonly nRealized: (day: Day) => number
}

const ofPremium: Baseline = {
  title: "Saved against the most expensive candidate",
  estimated: ({ summary }) => summary.estimated.savings_vs_premium_usd,
  realized: ({ summary }) => summary.realized.savings_vs_premium_est_usd,
  nEstimated: ({ summary }) => summary.estimated.n,
  nRealized: ({ summary }) => summary.realized.n_reconciled
}

const ofDeclared: Baseline = {
  title: "Saved against the model you would otherwise use",
  estimated: ({ summary }) => summary.estimated.savings_vs_declared_usd,
  realized: ({ summary }) => summary.realized.savings_vs_declared_est_usd,
  nEstimated: ({ summary }) => summary.estimated.n_declared,
  nRealized: ({ summary }) => summary.realized.n_declared
}

const chartOf = (label: string, bars: ReadonlyArray<Bar>): Element =>
  barChart({
    label,
    groups: bars.map((bar) => bar.label),
    series: [
      { name: "Estimated, all requests", isHollow: true, values: bars.map(({ estimated }) => estimated) },
      {
        name: "Billed, where a cost was reported",
        isHollow: false,
        values: bars.map(({ realized }) => realized)
      }
    ],
    valueLabel: money
  })

const columnsOf = (side: Baseline): ReadonlyArray<Column<Day>> => [
  { title: "Day (UTC)", cell: ({ day }) => day },
  { title: "Requests", cell: (day) => count(side.nEstimated(day)), isNumeric: true },
  { title: "Estimated saving", cell: (day) => money(side.estimated(day)), isNumeric: true },
  { title: "With a bill", cell: (day) => count(side.nRealized(day)), isNumeric: true },
  {
    title: "Billed saving",
    cell: (day) => side.nRealized(day) === 0 ? "none" : money(side.realized(day)),
    isNumeric: true
  }
]

const figure = (days: ReadonlyArray<Day>, side: Baseline): Element => {
  const isCovered = days.some((day) => side.nEstimated(day) > 0)
  const label = `${side.title}, by day: the estimated and the billed saving. The table contains the figures.`
  return element(
    "figure",
    {},
    element("figcaption", {}, side.title),
    ...(isCovered
      ? [chartOf(label, barsOf(days, side)), asTable(table(side.title, columnsOf(side), days))]
      : [note("No request in this window named that model (baseline_model_id).")])
  )
}

/** Savings against both baselines over time, the estimated beside the billed; null without any. */
export const savingsSection = ({ dashboard }: Answers): Element | null => {
  const days = dashboard.savings_by_day
  if (days.length === 0) return null
  return section(
    "savings",
    "Savings over time",
    note("Hollow: by estimates. Solid: bills against uncorrected estimates, unlike the headline."),
    element("div", { class: "pair" }, figure(days, ofPremium), figure(days, ofDeclared)),
    folded(
      "How to read this",
      note("Bills are of the requests whose feedback carried a cost. The two cover different requests, so do"
        + " not compare their heights. A bill counts on the day of its decision. Below zero, Sextant cost"
        + " more."),
      note("A solid bar takes that model's estimate as it is, and counts calls that ran another model, too."
        + " The headline counts followed calls alone, and corrects the estimate by that model's bills.")
    )
  )
}
