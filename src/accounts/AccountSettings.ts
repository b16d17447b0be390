/** Port: an account's own settings. */
import { Context, Effect } from "effect"
import type { Budget } from "../domain/account/Budget.ts"
import type { GuaranteeTerms } from "../domain/account/Guarantee.ts"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { AccountId } from "../domain/Scope.ts"
import { stricter, type TaskText } from "../domain/text/TaskText.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** If `selectionPolicy` or `taskText` is null, the service's setting applies. */
export interface AccountSetting {
  readonly selectionPolicy: SelectionPolicy | null
  /** `none` if the account keeps no task text. An account cannot keep more text than the service keeps. */
  readonly taskText: TaskText | null
  /** The account's spending limit per day or month; null if the account has no budget. */
  readonly budget: Budget | null
  readonly guarantee: GuaranteeTerms | null
  /** Value of a right result for requests that state none, USD; null if the account sets none. */
  readonly successValueUsd: number | null
}

export const followsService: AccountSetting = {
  selectionPolicy: null, taskText: null, budget: null, guarantee: null, successValueUsd: null
}

/** While the settings cannot be read, no task text is kept, because the account's may be `none`. */
export const unreadSettings: AccountSetting = { ...followsService, taskText: "none" }

/** Without a driver, the service's settings apply to all accounts. */
interface AccountSettingsPort {
  /** Reads settings that may be some seconds old, or older while the store is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountSetting, LedgerUnavailable>
  readonly write: (
    accountId: AccountId,
    change: Partial<AccountSetting>
  ) => Effect.Effect<void, LedgerUnavailable>
}

export const AccountSettings = Context.Reference<AccountSettingsPort>("sextant/accounts/AccountSettings", {
  defaultValue: () => ({ read: () => Effect.succeed(followsService), write: () => Effect.void })
})

/** Returns the stricter `taskText` of service and account; `none` if the store is slow or unavailable. */
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
