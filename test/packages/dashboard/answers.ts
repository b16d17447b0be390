import { Schema } from "effect"
import type { Answers } from "../../../packages/dashboard/src/Answers.ts"
import type { Element } from "../../../packages/dashboard/src/Element.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { noBudget } from "../../../src/accounts/BudgetAnswer.ts"
import { AccountBudgetResponse } from "../../../src/domain/account/Budget.ts"
import { DashboardResponse } from "../../../src/domain/reports/Dashboard.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { PolicyValueResponse } from "../../../src/domain/reports/PolicyValue.ts"
import { CalibrationResponse, SavingsResponse } from "../../../src/domain/reports/Report.ts"
import { calibration } from "../../reports/reference/Calibration.ts"
import { overview } from "../../reports/reference/Overview.ts"
import { taskReportOf } from "../../../src/reports/savings/Tasks.ts"
import { taskSums } from "../../reports/reference/Tasks.ts"
import { savings } from "../../reports/reference/Savings.ts"
import { columnsOf } from "../../../src/reports/OutcomeColumns.ts"
import { policyWorths } from "../../../src/reports/PolicyWorth.ts"
import { comparisonOf } from "../../../src/reports/savings/Savings.ts"
import { policyValue, trustedOf } from "../../reports/reference/PolicyValue.ts"

/** Elements as HTML with plain spaces; empty for none. */
export const htmlIn = (shown: Element | ReadonlyArray<Element | null> | null): string =>
  [shown].flat().map((each) => each === null ? "" : htmlOf(each)).join("").replaceAll("\u00a0", " ")

/** What the service would answer on these rows. */
export const answersOn = (rows: ReadonlyArray<LedgerRow>): Answers => {
  const window = { namespace: null, days: 30 }
  const found = savings(rows, "lane")
  const { quality } = policyWorths(columnsOf(trustedOf(rows)))
  const encoded = Schema.encodeSync(SavingsResponse)({
    ...window, groupBy: "lane", ...found, comparison: comparisonOf(quality, found.summary),
    tasks: taskReportOf(taskSums(rows))
  })
  return {
    savings: encoded,
    grouped: encoded,
    previous: null,
    asked: null,
    command: "sextant",
    calibration: Schema.encodeSync(CalibrationResponse)({ ...window, ...calibration(rows) }),
    policyValue: Schema.encodeSync(PolicyValueResponse)({
      ...window, orgId: "acme", since: "2026-11-01T00:00:00.000Z", report: policyValue(rows)
    }),
    dashboard: Schema.encodeSync(DashboardResponse)({ ...window, ...overview(rows) }),
    calls: null,
    advice: null,
    budget: Schema.encodeSync(AccountBudgetResponse)(noBudget),
    guarantees: { guarantee: null, kinds: [] },
    health: { models: [] }
  }
}
