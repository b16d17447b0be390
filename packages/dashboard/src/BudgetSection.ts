/* The section of the account's budget: its spending, and the forecast for the end of its period. */
import type { Answers, Budget } from "./Answers.ts"
import { intervalChart } from "./charts/IntervalChart.ts"
import { asTable, element, type Element, type Fact, facts, note, section } from "./Element.ts"
import { count, money, moneyTick, price } from "./Figures.ts"

/** A budget whose amounts are known. */
interface Standing {
  readonly budgetUsd: number
  readonly spentUsd: number
  readonly estimatedUsd: number
  readonly expectedUsd: number | null
  readonly period: string
}

/** How a budget stands; null for an account without one. */
const standingOf = (budget: Budget): Standing | null => {
  const { budget_usd: budgetUsd, estimated_usd: estimatedUsd, period, spent_usd: spentUsd } = budget
  return budgetUsd === null || spentUsd === null || period === null
    ? null
    : { budgetUsd, spentUsd, estimatedUsd: estimatedUsd ?? 0, expectedUsd: budget.expected_usd, period }
}

const orUnknown = (value: number | null, words: (value: number) => string): string =>
  value === null ? "not known" : words(value)

const factsOf = (budget: Budget, standing: Standing): ReadonlyArray<Fact> => [
  { name: "Budget", value: `${money(standing.budgetUsd)} per ${standing.period}` },
  {
    name: "Once it is used up",
    value: budget.hard === true ? "requests are refused" : "the cheapest models run"
  },
  { name: "Spent, bills and estimates", value: money(standing.spentUsd) },
  { name: "Part that is estimated", value: money(standing.estimatedUsd) },
  { name: "Expected by the period's end", value: orUnknown(standing.expectedUsd, money) },
  { name: "Recommendations of the period", value: orUnknown(budget.requests, count) },
  { name: "Bills left out as implausible", value: price(budget.left_out_usd ?? 0) },
  {
    name: "Preference for cheaper models moved by",
    value: orUnknown(budget.multiplier, (shift) => shift.toFixed(2))
  }
]

/** "21 Nov, 00:00 UTC" */
const momentOf = (iso: string): string =>
  `${new Date(iso).toLocaleString("en-GB", {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC"
  })} UTC`

/** "$12.30 of $50.00": what is spent, of which bills are the larger part or not. */
const spentWords = ({ estimatedUsd, spentUsd }: Standing): string =>
  `${money(spentUsd)}${estimatedUsd > 0 ? `, ${money(estimatedUsd)} of it estimated` : ""}`

const pacingWords = ({ budgetUsd, spentUsd }: Standing, { multiplier }: Budget): string => {
  const over = spentUsd > budgetUsd ? "Overspent. " : ""
  return (multiplier ?? 0) > 0
    ? `${over}Cheaper models are preferred to keep it.`
    : `${over}No request is held back now.`
}

const chartOf = (standing: Standing): Element => {
  const { budgetUsd, expectedUsd, spentUsd } = standing
  return intervalChart({
    label: `Spent ${spentWords(standing)}, of a budget of ${money(budgetUsd)}. The table has the figures.`,
    rows: [
      { name: "Spent so far", words: spentWords(standing), value: spentUsd, low: 0, high: spentUsd },
      ...(expectedUsd === null ? [] : [{
        name: "Expected by the end", words: `${money(expectedUsd)}, an estimate`, value: expectedUsd,
        low: 0, high: expectedUsd, isHollow: true
      }])
    ],
    tickLabel: moneyTick,
    reference: { value: budgetUsd, name: "budget" }
  })
}

/** How the budget stands; null while the account has none. */
export const budgetSection = ({ budget }: Answers): Element | null => {
  if (budget === null) return section("budget", "Budget", note("How the budget stands cannot be read now."))
  const standing = standingOf(budget)
  if (standing === null) return null
  const ends = budget.period_end === null ? "" : `; the period ends ${momentOf(budget.period_end)}`
  return section(
    "budget",
    `Budget of ${money(standing.budgetUsd)} per ${standing.period}`,
    note(`${pacingWords(standing, budget)} It covers the whole account.`),
    element(
      "figure",
      {},
      element("figcaption", {}, `Spent ${spentWords(standing)}${ends}`),
      chartOf(standing),
      asTable(facts("The budget", factsOf(budget, standing)))
    )
  )
}
