/* The budget of an account, and the answer about it. */
import { Schema } from "effect"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

export const BudgetPeriod = Schema.Literals(["day", "month"]).annotate({
  identifier: "BudgetPeriod", description: "Period of a budget: each day or each month, in UTC."
})
export type BudgetPeriod = typeof BudgetPeriod.Type

/** So many US dollars in each period, >= 0. */
export interface Budget {
  readonly usd: number
  readonly period: BudgetPeriod
  /** Whether a recommendation that does not fit into what is left is refused. */
  readonly isHard: boolean
}

/** The highest budget, and the lowest but 0, USD: shares of a lower one would be no finite numbers. */
export const budgetUsdMax = 1e9
export const budgetUsdMin = 1e-9

/** Reads `50/day`; null for any other text, and for an amount that is neither 0 nor in [1e-9, 1e9]. */
export const parseBudget = (text: string): Pick<Budget, "period" | "usd"> | null => {
  const [, amount, period] = /^(\d+(?:\.\d+)?(?:e-?\d+)?)\/(day|month)$/.exec(text) ?? []
  const usd = Number(amount)
  const isZero = amount !== undefined && /^[0.]+(?:e|$)/.test(amount)
  return amount !== undefined && (isZero || usd >= budgetUsdMin) && usd <= budgetUsdMax
    ? { usd, period: period as BudgetPeriod }
    : null
}

/** An amount of an answer; null where there is no budget. */
const Amount = (description: string) => described(Schema.NullOr(UsdFigure), description)

export const AccountBudgetResponse = wire({
  budgetUsd: Amount("The budget of each period, in US dollars; null without a budget, as is all else."),
  period: described(Schema.NullOr(BudgetPeriod), "Period of the budget."),
  hard: described(
    Schema.NullOr(Schema.Boolean),
    "Whether a recommendation is refused with 429 `budget_exhausted` that does not fit into what is left; "
      + "otherwise the cheapest model is recommended."
  ),
  periodStart: described(Schema.NullOr(Moment), "When the running period began."),
  periodEnd: described(Schema.NullOr(Moment), "When it ends and the next one begins."),
  requests: described(Schema.NullOr(Schema.Int), "Recommendations of the period, count."),
  spentUsd: Amount(
    "Their cost, in US dollars: bills and, for recommendations without a report, a reserve. The reserve "
      + "is the estimate times the ratio of bills to estimates, or for an hour or two the upper quartile."
  ),
  estimatedUsd: Amount("The part of `spent_usd` that is estimated, in US dollars."),
  leftOutUsd: Amount(
    "Parts of bills that are left out of `spent_usd`, in US dollars, because they exceed 50 times the most "
      + "expensive candidate's estimate. Above 0, look at those bills."
  ),
  expectedRequests: described(
    Schema.NullOr(Figure), "Recommendations that are expected until the period's end."
  ),
  expectedUsd: Amount(
    "Expected spending by the period's end, at the cost per request of the last 24 hours, in US dollars."
  ),
  billsPerEstimate: described(
    Schema.NullOr(Figure), "The ratio of bills to estimates over the last 24 hours; 1 without bills."
  ),
  multiplier: described(
    Schema.NullOr(Figure),
    "How far requests are moved down the cost/quality slider, in its units; 0 while the budget has enough "
      + "for all that is expected."
  )
}, { identifier: "AccountBudgetResponse", description: "An account's budget, and what is spent of it." })
export type AccountBudgetResponse = typeof AccountBudgetResponse.Type
