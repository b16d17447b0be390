/* The section of savings over time. */
import type { Answers } from "./Answers.ts"
import { barsOf, type Day } from "./Bars.ts"
import { barChart } from "./charts/BarChart.ts"
import { asTable, type Column, element, type Element, note, section, stateLink, table } from "./Element.ts"
import { count, money } from "./Figures.ts"
import { isKnown, type Tier, tiersOf, withInterval } from "./SavingTiers.ts"

const title = "Saved against the model you would otherwise use"

const savingWords = ({ summary }: Day, { kind }: Tier): string => {
  const saved = kind.of(summary)
  return saved === null || saved.n === 0 ? "none" : withInterval(money(saved.savings_usd), saved)
}

const columnsOf = (tiers: ReadonlyArray<Tier>): ReadonlyArray<Column<Day>> => [
  {
    title: "Day (UTC)",
    cell: ({ day }) => stateLink(day, `?dates=${day}/${day}#decisions`)
  },
  ...tiers.flatMap((tier): ReadonlyArray<Column<Day>> => [
    {
      title: `Followed, with ${tier.kind.has}`,
      cell: ({ summary }) => count(tier.kind.of(summary)?.n ?? 0),
      isNumeric: true
    },
    { title: tier.kind.title, cell: (day) => savingWords(day, tier), isNumeric: true }
  ])
]

const figure = (days: ReadonlyArray<Day>, tiers: ReadonlyArray<Tier>): Element => {
  const bars = barsOf(days, tiers.map(({ kind }) => ({ summary }) => kind.of(summary)?.savings_usd ?? 0))
  return element(
    "figure",
    {},
    element("figcaption", {}, title),
    barChart({
      label: `${title}, by day: ${tiers.map(({ kind }) => kind.title).join(", ")}. The table contains the`
        + " figures.",
      groups: bars.map(({ label }) => label),
      states: bars.map(({ dates }) => `?dates=${dates}#decisions`),
      series: tiers.map(({ kind }, at) =>
        ({ name: kind.title, isHollow: kind.isListed, values: bars.map(({ values }) => values[at] ?? 0) })),
      valueLabel: money
    }),
    asTable(table(title, columnsOf(tiers), days))
  )
}

/** The savings of the headline by day, whose sums they are; null without any day. */
export const savingsSection = ({ dashboard, savings }: Answers): Element | null => {
  const days = dashboard.savings_by_day
  if (days.length === 0) return null
  const tiers = tiersOf(savings.summary).filter(({ saved }) => isKnown(saved))
  return section(
    "savings",
    "Savings over time",
    note("The days add up to the headline. A cost counts on the day of its decision. Below zero, the advice"
      + " cost more. Select a day for its decisions."),
    tiers.length === 0 ? note("What the advice saved is not known, as above.") : figure(days, tiers)
  )
}
