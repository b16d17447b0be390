/** Policy: warns if a budget has lowered the criteria, and records the amount that a decision reserves. */
import { reservedUsd } from "./BudgetCriteria.ts"
import type { PolicyMaker } from "./Policy.ts"

/**
 * `costMarginUsd` is the amount that a decision reserves above its expected bill, USD; 0 if the plan has no
 * attempts.
 */
export const reserveBudget: PolicyMaker = ({ budget, request: { shadow }, settings }) => {
  if (budget === null) return null
  const { billsPerEstimate } = budget.state
  return (choice) => ({
    ...choice,
    warnings: choice.criteria.isLowered ? [...choice.warnings, "budget_paced"] : choice.warnings,
    fields: shadow ? choice.fields : [...choice.fields, {
      recorded: ({ isIdle, pick }) => ({
        costMarginUsd: isIdle ? 0 : billsPerEstimate * (reservedUsd(settings, pick) - pick.cost.costUsd)
      })
    }]
  })
}
