// An account's decisions and reports in the database, and how its budget stands by them.
import { Effect, Layer } from "effect"
import { AccountBudgets } from "../../../src/accounts/AccountBudgets.ts"
import { AccountSettings } from "../../../src/accounts/AccountSettings.ts"
import * as AccountBudgetsSql from "../../../src/accounts/sql/AccountBudgetsSql.ts"
import * as AccountSettingsSql from "../../../src/accounts/sql/AccountSettingsSql.ts"
import type { Budget } from "../../../src/domain/account/Budget.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import { type Label, reported, type ReportedOutcome, unmeasured } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { planOf, reportOf, submissionOf } from "../../ledger/LedgerContract.ts"
import { decision } from "../../support/builders.ts"

const budgets = AccountBudgetsSql.layer(defaults.pacing)
export const daily: Budget = { usd: 10, period: "day", isHard: false }

/** How the budget stands for a process that has read nothing yet. */
export const standingOf = (accountId: AccountId, budget = daily) =>
  Effect.flatMap(AccountBudgets, ({ read }) => read(accountId, budget)).pipe(
    Effect.map(({ state }) => state),
    Effect.provide(Layer.fresh(budgets))
  )

export const setBudget = (accountId: AccountId, budget: Budget | null) =>
  Effect.flatMap(AccountSettings, ({ write }) => write(accountId, { budget }))

/** A decision of now, whose pick costs 0.01 USD by its estimate and whose dearest candidate 0.02. */
export const decided = (accountId: AccountId, over: Partial<Decision> = {}, createdAt = new Date()): Decision =>
  decision({
    recommendationId: RecommendationId.make(createdAt.getTime()), accountId, createdAt, costRecommendedUsd: 0.01,
    costPremiumUsd: 0.02, recommendedModelId: "cheap",
    candidates: [
      { modelId: "cheap", predictedSuccess: 0.9, estCostUsd: 0.01, isEligible: true },
      { modelId: "dear", predictedSuccess: 0.95, estCostUsd: 0.02, isEligible: true }
    ],
    ...over
  })

/** Writes {@link decided}. */
export const record = Effect.fnUntraced(function*(...[accountId, over, createdAt]: Parameters<typeof decided>) {
  const made = decided(accountId, over, createdAt)
  yield* (yield* Ledger).record([made])
  return made
})

interface Said {
  readonly modelId: string
  readonly actualCostUsd?: number
  readonly computedCostUsd?: number
  readonly label?: Partial<Label>
}

/** What these reports of a decision come to. */
export const saidOf = ({ label, modelId, ...billed }: Said, revision: number): ReportedOutcome => {
  const report = reportOf({ ...unmeasured, chosenModelId: modelId, errorCause: null, ...billed, ...label })
  return reported([], report, revision, 1).outcomes[0]!
}

/** Applies reports that take the place of all that a decision has. */
export const report = Effect.fnUntraced(function*(decision: Decision, said: ReadonlyArray<Said>) {
  const ledger = yield* Ledger
  yield* ledger.applyReport(submissionOf(decision.accountId, {
    decision, plan: ({ revision }) => planOf({ outcomes: said.map((each) => saidOf(each, revision)) })
  }))
})

export const ports = Layer.mergeAll(AccountSettingsSql.layer, LedgerSql.layer)
