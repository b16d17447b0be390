/* The budget of an account, and its answer. */
import { Schema } from "effect"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

export const BudgetPeriod = Schema.Literals(["day", "month"]).annotate({
  identifier: "BudgetPeriod", description: "Period of a budget: a day or a month, in UTC."
})
export type BudgetPeriod = typeof BudgetPeriod.Type

export interface Budget {
  readonly usd: number
  readonly period: BudgetPeriod
  /** True if a recommendation that exceeds the budget is refused. */
  readonly isHard: boolean
}

/** Highest budget, and lowest budget above 0, USD. A division by a budget near 0 could overflow. */
export const budgetUsdMax = 1e9
export const budgetUsdMin = 1e-9

/** Reads a budget such as `50/day`; null for any other text or amount. */
export const parseBudget = (text: string): Pick<Budget, "period" | "usd"> | null => {
  const [, amount, period] = /^(\d+(?:\.\d+)?(?:e-?\d+)?)\/(day|month)$/.exec(text) ?? []
  const usd = Number(amount)
  const isZero = amount !== undefined && /^[0.]+(?:e|$)/.test(amount)
  return amount !== undefined && (isZero || usd >= budgetUsdMin) && usd <= budgetUsdMax
    ? { usd, period: period as BudgetPeriod }
    : null
}

const Amount = (description: string) => described(Schema.NullOr(UsdFigure), description)

export const AccountBudgetResponse = wire({
  budgetUsd: Amount("The budget per period, in US dollars. Without a budget every field is null."),
  period: described(Schema.NullOr(BudgetPeriod), "Period of the budget."),
  hard: described(
    Schema.NullOr(Schema.Boolean),
    "Whether a recommendation that exceeds the budget is refused with 429 `budget_exhausted`. If a budget "
      + "that is not hard is used up, the cheapest model that reaches `min_quality` is recommended."
  ),
  periodStart: described(Schema.NullOr(Moment), "Start of the current period."),
  periodEnd: described(Schema.NullOr(Moment), "End of the current period."),
  requests: described(Schema.NullOr(Schema.Int), "Recommendations in the period, count."),
  spentUsd: Amount(
    "Spending in the period, in US dollars: bills, or else costs at list prices, and a reserve for each "
      + "recommendation without a report. The reserve is the estimate times the ratio of bills to estimates, "
      + "and more in the first hour or two."
  ),
  estimatedUsd: Amount("The part of `spent_usd` that is estimated, in US dollars."),
  leftOutUsd: Amount(
    "Parts of bills that `spent_usd` leaves out, in US dollars, because they exceed 50 times the most "
      + "expensive candidate's estimate. If this amount is above 0, check the bills above that limit."
  ),
  expectedRequests: described(
    Schema.NullOr(Figure), "Expected number of further recommendations in the period."
  ),
  expectedUsd: Amount(
    "Expected spending by the period's end, in US dollars, at the cost per request of the last 24 hours."
  ),
  billsPerEstimate: described(
    Schema.NullOr(Figure), "The ratio of bills to estimates over the last 24 hours, near 1 with few bills."
  ),
  multiplier: described(
    Schema.NullOr(Figure),
    "Shift of requests down the cost/quality slider, in its units; 0 while the budget is large enough for "
      + "the expected requests."
  )
}, { identifier: "AccountBudgetResponse", description: "An account's budget and its spending." })
export type AccountBudgetResponse = typeof AccountBudgetResponse.Type
