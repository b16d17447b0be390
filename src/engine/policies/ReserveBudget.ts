/** Policy: says that a budget has lowered the criteria, and records what the decision reserves of it. */
import { reservedUsd } from "./BudgetCriteria.ts"
import type { PolicyMaker } from "./Policy.ts"

/**
 * The decision stores its reserve as the part above the estimate, USD. A choice without a call reserves 0,
 * and a decision in shadow reserves nothing.
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
