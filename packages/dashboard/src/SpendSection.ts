/* Spending by day and model, with a line for the cost of the callers' own model. */
import { dayMs, dayOf } from "../../../src/domain/Days.ts"
import type { Answers, Dashboard } from "./Answers.ts"
import { columnChart, hues } from "./charts/ColumnChart.ts"
import { asTable, type Column, element, type Element, figures, section, stateLink, table } from "./Element.ts"
import { count, day, money, moneyTick, nameOf, sum } from "./Figures.ts"
import { isKnown, tiersOf } from "./SavingTiers.ts"
import { ownModel } from "./Sentence.ts"

type Summary = Dashboard["savings_by_day"][number]["summary"]
type Spent = NonNullable<Dashboard["spend_by_day"]>[number]

/** If the chart spans more days than this, a column is a week; otherwise a day. */
const columnsMax = 92

export interface Period {
  /** The first and the last day of the period: `2026-11-01/2026-11-07`. */
  readonly dates: string
  readonly name: string
  readonly spent: ReadonlyArray<Spent>
  readonly summaries: ReadonlyArray<Summary>
}

/** The periods between the first and the last day with decisions, including periods without decisions. */
export const periodsOf = (
  { savings_by_day: days, spend_by_day: spent = [] }: Dashboard
): ReadonlyArray<Period> => {
  const timeOf = ({ day }: { readonly day: string }): number => Date.parse(`${day}T00:00:00Z`)
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined) return []
  const length = (timeOf(last) - timeOf(first)) / dayMs + 1
  const stepMs = length > columnsMax ? 7 * dayMs : dayMs
  return Array.from({ length: Math.ceil(length * dayMs / stepMs) }, (_, index) => {
    const from = timeOf(first) + index * stepMs
    const isIn = (each: { readonly day: string }) => timeOf(each) >= from && timeOf(each) < from + stepMs
    return {
      dates: `${dayOf(from)}/${dayOf(Math.min(from + stepMs - dayMs, timeOf(last)))}`,
      name: day(dayOf(from)),
      spent: spent.filter(isIn),
      summaries: days.filter(isIn).map(({ summary }) => summary)
    }
  })
}

const usdOf = ({ billed_usd: billed, list_prices_usd: listed }: Spent): number => billed + listed
const total = (spent: ReadonlyArray<Spent>): number => spent.reduce((usd, each) => usd + usdOf(each), 0)

export const modelsIn = (spent: ReadonlyArray<Spent>) =>
  [...Map.groupBy(spent, nameOf)]
    .map(([name, rows]) => ({ name, usd: total(rows) }))
    .sort((one, other) => Number(one.name === "") - Number(other.name === "") || other.usd - one.usd)
    .map(({ name, usd }, index) =>
      ({ name, usd, words: name === "" ? "all others" : name, hue: index % hues }))

/** A period's spending, had its compared calls run the callers' own model; null if no saving is known. */
const alternativeIn = ({ spent, summaries }: Period) => {
  const tiers = summaries.flatMap(tiersOf).filter(({ saved }) => isKnown(saved))
  if (tiers.length === 0) return null
  const savedBy = (isListed: boolean) => tiers.filter(({ kind }) => kind.isListed === isListed)
    .reduce((usd, { saved }) => usd + saved.savings_usd, 0)
  const [billed, listed] = [savedBy(false), savedBy(true)]
  const isHollow = Math.abs(listed) > Math.abs(billed)
  return { usd: total(spent) + billed + listed, isHollow, billed, listed }
}

const columns: ReadonlyArray<Column<Period>> = [
  { title: "Day (UTC)", cell: ({ dates, name }) => stateLink(name, `?tab=decisions&dates=${dates}`) },
  figures("Calls with a cost", ({ spent }) => count(spent.reduce((n, each) => n + each.n, 0))),
  figures("Spent", ({ spent }) => money(total(spent))),
  figures("At list prices", ({ spent }) => money(spent.reduce((usd, each) => usd + each.list_prices_usd, 0))),
  figures("Saved, billed", (period) => money(alternativeIn(period)?.billed ?? 0)),
  figures("Saved, at list prices", (period) => money(alternativeIn(period)?.listed ?? 0))
]

/** The section of spending by day; null if no cost is known. */
export const spendSection = (answers: Answers): Element | null => {
  const { dashboard } = answers
  const { spend_by_day: spent = [] } = dashboard
  const periods = periodsOf(dashboard)
  if (spent.length === 0 || periods.length === 0) return null
  const own = ownModel(answers)
  const models = modelsIn(spent)
  const hasHollow = spent.some(({ list_prices_usd: usd }) => usd > 0)
  const hasOwn = periods.some((each) => alternativeIn(each) !== null)
  const partsOf = ({ name, spent }: Period) => models.flatMap(({ hue, name: model, words }) => {
    const rows = spent.filter((each) => nameOf(each) === model)
    return [false, true].map((isHollow) => {
      const value = rows.reduce((usd, each) => usd + (isHollow ? each.list_prices_usd : each.billed_usd), 0)
      const how = isHollow ? " at list prices" : ""
      return { value, isHollow, hue, title: `${name}, ${words}: ${money(value)}${how}` }
    })
  })
  return section(
    "spend",
    "What it went to",
    element(
      "figure",
      {},
      columnChart({
        label: "Spending by day, stacked by model, beside that with your own model. The table contains the"
          + " figures.",
        columns: periods.map((period) => {
          const alternative = alternativeIn(period)
          return {
            name: period.name,
            parts: partsOf(period),
            state: `?tab=decisions&dates=${period.dates}`,
            line: alternative === null ? null : {
              value: alternative.usd, isHollow: alternative.isHollow,
              title: `${period.name}, with ${own}: ${money(alternative.usd)}`
            }
          }
        }),
        legend: [
          ...models.map(({ hue, usd, words }) => ({ name: `${words} ${sum(usd)}`, kind: `hue-${hue}` })),
          ...(hasHollow ? [{ name: "at list prices", kind: "hollow" }] : []),
          ...(hasOwn ? [{ name: `with ${own}`, kind: "line" }] : [])
        ],
        valueLabel: moneyTick
      }),
      asTable(table("Spending by day", columns, periods))
    )
  )
}
