/* The account's budget: its spending, and the forecast for the end of its period. */
import type { Answers } from "./Answers.ts"
import { intervalChart } from "./charts/IntervalChart.ts"
import { asTable, element, type Element, facts, note, section } from "./Element.ts"
import { count, money, moneyTick, price } from "./Figures.ts"

/** "21 Nov, 00:00 UTC" */
const momentOf = (iso: string): string =>
  `${new Date(iso).toLocaleString("en-GB", {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC"
  })} UTC`

export const budgetSection = ({ budget }: Pick<Answers, "budget">): Element | null => {
  if (budget === null) return section("budget", "Budget", note("How the budget stands cannot be read now."))
  const { budget_usd: whole, expected_usd: expected, multiplier, period, requests, spent_usd: spent } = budget
  if (whole === null || spent === null || period === null) return null
  const estimated = budget.estimated_usd ?? 0
  const spentWords = `${money(spent)}${estimated > 0 ? `, ${money(estimated)} of it estimated` : ""}`
  const ends = budget.period_end === null ? "" : `; the period ends ${momentOf(budget.period_end)}`
  const pacing = (multiplier ?? 0) > 0
    ? "Cheaper models are preferred to keep it."
    : "No request is held back now."
  return section(
    "budget",
    `Budget of ${money(whole)} per ${period}`,
    note(`${spent > whole ? "Overspent. " : ""}${pacing} It covers the whole account.`),
    element(
      "figure",
      {},
      element("figcaption", {}, `Spent ${spentWords}${ends}`),
      intervalChart({
        label: `Spent ${spentWords}, of a budget of ${money(whole)}. The table has the figures.`,
        rows: [
          { name: "Spent so far", words: spentWords, value: spent, low: 0, high: spent },
          ...(expected === null ? [] : [{
            name: "Expected by the end", words: `${money(expected)}, an estimate`, value: expected, low: 0,
            high: expected, isHollow: true
          }])
        ],
        tickLabel: moneyTick,
        reference: { value: whole, name: "budget" }
      }),
      asTable(facts("The budget", [
        {
          name: "Once it is used up",
          value: budget.hard === true ? "requests are refused" : "the cheapest models run"
        },
        { name: "Recommendations of the period", value: requests === null ? "not known" : count(requests) },
        { name: "Bills left out as implausible", value: price(budget.left_out_usd ?? 0) },
        {
          name: "Preference for cheaper models moved by",
          value: multiplier === null ? "not known" : multiplier.toFixed(2)
        }
      ]))
    )
  )
}
