/** Stage: what the account's budget leaves for a request, and what the request takes of it. */
import { Effect } from "effect"
import { AccountBudgets } from "../../accounts/AccountBudgets.ts"
import { AccountSettings } from "../../accounts/AccountSettings.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { PacedBudget } from "./choice/Paced.ts"

/** The account's budget and how it stands; null without one. Fails past the recall budget. */
export const readBudget = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<PacedBudget | null, LedgerUnavailable, Settings> {
  const { recallBudgetMs } = yield* Settings
  const accounts = yield* AccountSettings
  const budgets = yield* AccountBudgets
  return yield* accounts.read(accountId).pipe(
    Effect.flatMap(({ budget }) =>
      budget === null
        ? Effect.succeed(null)
        : Effect.map(budgets.standing(accountId, budget), (standing) => ({ budget, standing }))),
    deadline(recallBudgetMs, () => LedgerUnavailable.timedOut(recallBudgetMs))
  )
}, span("budget"))

/** What a decision is expected to cost: its pick, or in shadow the declared baseline, which runs. USD. */
const expectedUsd = ({ costDeclaredUsd, costRecommendedUsd, isShadow }: Decision): number =>
  isShadow ? costDeclaredUsd ?? costRecommendedUsd : costRecommendedUsd

/** Takes note of a decision, which the ledger will show only seconds later. */
export const noteSpending = Effect.fnUntraced(function*(
  { budget }: PacedBudget,
  decision: Decision,
  leastUsd: number
): Effect.fn.Return<void> {
  const budgets = yield* AccountBudgets
  yield* budgets.note(decision.accountId, budget, { estimateUsd: expectedUsd(decision), leastUsd })
})
