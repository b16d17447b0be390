/** Port: an account's own settings. */
import { Context, Effect } from "effect"
import type { Budget } from "../domain/account/Budget.ts"
import type { GuaranteeTerms } from "../domain/account/Guarantee.ts"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { AccountId } from "../domain/Scope.ts"
import { stricter, type TaskText } from "../domain/text/TaskText.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** Settings of an account. A null field follows the service. */
export interface AccountSetting {
  readonly selectionPolicy: SelectionPolicy | null
  /** `none` if the account is stricter than the service. An account is never less strict. */
  readonly taskText: TaskText | null
  /** The spending limit per day or month; null without a budget. */
  readonly budget: Budget | null
  /** The account's guarantee; null without one. */
  readonly guarantee: GuaranteeTerms | null
  /** Value of a right result, USD, if a request has none; null if the threshold decides. */
  readonly successValueUsd: number | null
}

export const followsService: AccountSetting = {
  selectionPolicy: null, taskText: null, budget: null, guarantee: null, successValueUsd: null
}

/** The settings if they cannot be read. No text is kept then, because the account's setting may be `none`. */
export const unreadSettings: AccountSetting = { ...followsService, taskText: "none" }

/**
 * The settings of accounts, which `sextant account set` changes. Without a driver all accounts follow the
 * service.
 */
interface AccountSettingsPort {
  /**
   * Reads the settings, at most a few seconds old. The last read settings are used while the store is slow or
   * unavailable.
   */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountSetting, LedgerUnavailable>
  readonly write: (
    accountId: AccountId,
    change: Partial<AccountSetting>
  ) => Effect.Effect<void, LedgerUnavailable>
}

export const AccountSettings = Context.Reference<AccountSettingsPort>("sextant/accounts/AccountSettings", {
  defaultValue: () => ({ read: () => Effect.succeed(followsService), write: () => Effect.void })
})

/**
 * Returns the part of an account's tasks to keep. If the account's setting cannot be read, no text is kept,
 * because the setting may be `none`.
 */
export const taskTextOf = Effect.fnUntraced(function*(
  accountId: AccountId,
  ofService: TaskText,
  withinMs: number
): Effect.fn.Return<TaskText> {
  if (ofService === "none") return "none"
  const accounts = yield* AccountSettings
  return yield* accounts.read(accountId).pipe(
    LedgerUnavailable.within(withinMs),
    Effect.map(({ taskText }) => stricter(ofService, taskText)),
    Effect.catchTag("LedgerUnavailable", () => Effect.succeed<TaskText>("none"))
  )
})
