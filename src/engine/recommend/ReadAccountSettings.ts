/** Stage: reads the account's settings once for all stages of a request. */
import { Effect } from "effect"
import { type AccountSetting, AccountSettings } from "../../accounts/AccountSettings.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/**
 * The account's settings. Fails past the recall budget; the reading then goes on in the background and serves
 * later requests.
 */
export const readAccountSettings = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<AccountSetting, LedgerUnavailable, Settings> {
  const { recallBudgetMs } = yield* Settings
  const accounts = yield* AccountSettings
  return yield* accounts.read(accountId).pipe(LedgerUnavailable.within(recallBudgetMs))
}, span("accountSettings"))
