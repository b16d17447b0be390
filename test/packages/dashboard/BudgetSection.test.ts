import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Answers } from "../../../packages/dashboard/src/Answers.ts"
import { budgetSection } from "../../../packages/dashboard/src/BudgetSection.ts"
import { noBudget } from "../../../src/accounts/BudgetAnswer.ts"
import { AccountBudgetResponse } from "../../../src/domain/account/Budget.ts"
import { answersOn, htmlIn } from "./answers.ts"

const textOf = (budget: Answers["budget"]): string => htmlIn(budgetSection({ ...answersOn([]), budget }))

const standing: AccountBudgetResponse = {
  budgetUsd: 50, period: "day", hard: false, periodStart: "2026-11-23T00:00:00.000Z", periodEnd: "2026-11-24T00:00:00.000Z", requests: 120,
  spentUsd: 12.5, estimatedUsd: 2.5, leftOutUsd: 0, expectedRequests: 300, expectedUsd: 48, billsPerEstimate: 1.1, multiplier: 0
}
const of = (but: Partial<AccountBudgetResponse> = {}) =>
  textOf(Schema.encodeSync(AccountBudgetResponse)({ ...standing, ...but }))

describe("the section of the budget", () => {
  it("is left away for an account without one", () => {
    assert.strictEqual(textOf(Schema.encodeSync(AccountBudgetResponse)(noBudget)), "")
  })

  it("gives what is spent, which part is estimated, and what is expected, beside the budget", () => {
    const text = of()
    assert.include(text, "Budget of $50.00 per day")
    assert.include(text, "Spent $12.50, $2.50 of it estimated; the period ends 24 Nov, 00:00 UTC")
    assert.include(text, "No request is held back now")
    assert.include(text, "$48.00, an estimate")
    assert.include(text, "▲ budget")
  })

  it("says that cheaper models are preferred, and that the budget is overspent", () => {
    const text = of({ spentUsd: 51, multiplier: 3.25 })
    assert.include(text, "Overspent. Cheaper models are preferred")
    assert.include(text, "3.25")
  })

  it("draws no expectation that is not known", () => {
    assert.notInclude(of({ expectedUsd: null }), "Expected by the end")
  })

  it("says that the budget cannot be read, in place of none", () => {
    assert.include(textOf(null), "cannot be read now")
  })
})
