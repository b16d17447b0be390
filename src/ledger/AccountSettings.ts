import { Context, Effect } from "effect"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** What an account has of its own; null where it follows the service. */
export interface AccountSetting {
  readonly selectionPolicy: SelectionPolicy | null
}

export const followsService: AccountSetting = { selectionPolicy: null }

/** Settings per account, told by `sextant account set`. Without a driver all accounts follow the service. */
export interface AccountSettingsPort {
  /** What was set a few seconds ago at the latest; while the store is out or slow, what was read last. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountSetting, LedgerUnavailable>
  readonly write: (accountId: AccountId, setting: AccountSetting) => Effect.Effect<void, LedgerUnavailable>
}

export const AccountSettings = Context.Reference<AccountSettingsPort>("sextant/ledger/AccountSettings", {
  defaultValue: () => ({ read: () => Effect.succeed(followsService), write: () => Effect.void })
})
