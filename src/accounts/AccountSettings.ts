/** Port: an account's own settings. */
import { Context, Effect } from "effect"
import type { Budget } from "../domain/account/Budget.ts"
import type { GuaranteeTerms } from "../domain/account/Guarantee.ts"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { AccountId } from "../domain/Scope.ts"
import { stricter, type TaskText } from "../domain/text/TaskText.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** Settings of an account; null where it follows the service. */
export interface AccountSetting {
  readonly selectionPolicy: SelectionPolicy | null
  /** `none` where the account is stricter than the service; an account is never laxer. */
  readonly taskText: TaskText | null
  /** What the account may spend in each day or month; null without a budget. */
  readonly budget: Budget | null
  /** Null without a guarantee. */
  readonly guarantee: GuaranteeTerms | null
  /** What a right result is worth where a request does not say, USD; null where the threshold decides. */
  readonly successValueUsd: number | null
}

export const followsService: AccountSetting = {
  selectionPolicy: null, taskText: null, budget: null, guarantee: null, successValueUsd: null
}

/** In place of settings that could not be read. No text is kept then, because the account's may be `none`. */
export const unreadSettings: AccountSetting = { ...followsService, taskText: "none" }

/** Settings by account, set with `sextant account set`. Without a driver all accounts follow the service. */
interface AccountSettingsPort {
  /** The settings, at most a few seconds old; the last ones read while the store is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountSetting, LedgerUnavailable>
  /** Changes the given fields and leaves the others. */
  readonly write: (
    accountId: AccountId,
    change: Partial<AccountSetting>
  ) => Effect.Effect<void, LedgerUnavailable>
}

export const AccountSettings = Context.Reference<AccountSettingsPort>("sextant/accounts/AccountSettings", {
  defaultValue: () => ({ read: () => Effect.succeed(followsService), write: () => Effect.void })
})

/** What is kept of an account's tasks; `none` while its setting cannot be read, because it may be `none`. */
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
