/** Stage: how the account's budget stands, read beside the recall. */
import { Effect } from "effect"
import { AccountBudgets, type OpenBudget } from "../../accounts/AccountBudgets.ts"
import type { Budget } from "../../domain/account/Budget.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** How the account's budget stands; null without one. Fails past the recall budget. */
export const readBudget = Effect.fnUntraced(function*(
  accountId: AccountId,
  budget: Budget | null
): Effect.fn.Return<OpenBudget | null, LedgerUnavailable, Settings> {
  if (budget === null) return null
  const { recallBudgetMs } = yield* Settings
  const budgets = yield* AccountBudgets
  return yield* budgets.read(accountId, budget).pipe(LedgerUnavailable.within(recallBudgetMs))
}, span("budget"))
