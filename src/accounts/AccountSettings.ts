import { Context, Effect } from "effect"
import { deadlineIfPending } from "../resilience/Deadline.ts"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { AccountId } from "../domain/Scope.ts"
import { stricter, type TaskText } from "../domain/text/TaskText.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** What an account has of its own; null where it follows the service. */
export interface AccountSetting {
  readonly selectionPolicy: SelectionPolicy | null
  /** `none` where the account is stricter than its service; it is never laxer. */
  readonly taskText: TaskText | null
}

export const followsService: AccountSetting = { selectionPolicy: null, taskText: null }

/** Settings per account, told by `sextant account set`. Without a driver all accounts follow the service. */
export interface AccountSettingsPort {
  /** What was set a few seconds ago at the latest; while the store is out or slow, what was read last. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountSetting, LedgerUnavailable>
  /** Changes what is given and leaves the rest. */
  readonly write: (
    accountId: AccountId,
    change: Partial<AccountSetting>
  ) => Effect.Effect<void, LedgerUnavailable>
}

export const AccountSettings = Context.Reference<AccountSettingsPort>("sextant/accounts/AccountSettings", {
  defaultValue: () => ({ read: () => Effect.succeed(followsService), write: () => Effect.void })
})

/** What is kept of an account's tasks; `none` too while its setting cannot be read: it may have said so. */
export const taskTextOf = Effect.fnUntraced(function*(
  accountId: AccountId,
  ofService: TaskText,
  withinMs: number
): Effect.fn.Return<TaskText> {
  if (ofService === "none") return "none"
  const accounts = yield* AccountSettings
  return yield* accounts.read(accountId).pipe(
    deadlineIfPending(withinMs, () => LedgerUnavailable.timedOut(withinMs)),
    Effect.map(({ taskText }) => stricter(ofService, taskText)),
    Effect.catchTag("LedgerUnavailable", () => Effect.succeed<TaskText>("none"))
  )
})
