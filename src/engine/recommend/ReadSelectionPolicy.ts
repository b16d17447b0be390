/** Stage: how the account wants its picks made. */
import { Effect } from "effect"
import { AccountSettings } from "../../accounts/AccountSettings.ts"
import type { SelectionPolicy } from "../../domain/Recommendation.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The account's own policy, or the service's where it has none. Fails past the recall budget. */
export const readSelectionPolicy = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<SelectionPolicy, LedgerUnavailable, Settings> {
  const { recallBudgetMs, selectionPolicy: ofService } = yield* Settings
  const accounts = yield* AccountSettings
  const own = yield* accounts.read(accountId).pipe(
    deadline(recallBudgetMs, () => LedgerUnavailable.timedOut(recallBudgetMs))
  )
  return own.selectionPolicy ?? ofService
}, span("selectionPolicy")) // The span keeps its earlier name: saved searches of traces use it.
