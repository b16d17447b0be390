/* The answer about an account's budget: its limit, spending, forecast and multiplier. */
import type { AccountBudgetResponse } from "../domain/account/Budget.ts"
import type { OpenBudget } from "./AccountBudgets.ts"

export const noBudget: AccountBudgetResponse = {
  budgetUsd: null, period: null, hard: null, periodStart: null, periodEnd: null, requests: null,
  spentUsd: null, estimatedUsd: null, leftOutUsd: null, expectedRequests: null, expectedUsd: null,
  billsPerEstimate: null, multiplier: null
}

export const budgetAnswerOf = ({ budget, state }: OpenBudget): AccountBudgetResponse => ({
  budgetUsd: budget.usd,
  period: budget.period,
  hard: budget.isHard,
  periodStart: new Date(state.period.startMs).toISOString(),
  periodEnd: new Date(state.period.endMs).toISOString(),
  requests: state.requests,
  spentUsd: state.spentUsd,
  estimatedUsd: state.estimatedUsd,
  leftOutUsd: state.leftOutUsd,
  expectedRequests: state.requestsLeft,
  expectedUsd: state.expectedUsd,
  billsPerEstimate: state.billsPerEstimate,
  multiplier: state.shift
})
