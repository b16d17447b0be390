import { Effect } from "effect"
import { deadlineUninterrupted } from "../../resilience/Deadline.ts"
import type { SelectionPolicy } from "../../domain/Recommendation.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { AccountSettings, followsService } from "../../accounts/AccountSettings.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Settings } from "../Settings.ts"
import { span } from "../../telemetry/Tracing.ts"

/**
 * The account's own policy, or the service's, within the recall budget. An account whose setting cannot be
 * read follows the service: the answer says which policy made it, so no warning of the contract is needed.
 */
export const readSelectionPolicy = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<SelectionPolicy, never, Settings> {
  const { recallBudgetMs, selectionPolicy: ofService } = yield* Settings
  const accounts = yield* AccountSettings
  const own = yield* accounts.read(accountId).pipe(
    deadlineUninterrupted(recallBudgetMs, () => LedgerUnavailable.timedOut(recallBudgetMs)),
    Effect.catchTag("LedgerUnavailable", (error) =>
      Effect.as(Effect.logWarning("The account's own settings are unavailable", error), followsService))
  )
  return own.selectionPolicy ?? ofService
}, span("selectionPolicy"))
