/** Port: the models, prices and default candidates that accounts have of their own. */
import { Context, Effect } from "effect"
import { type AccountModels, noAccountModels } from "../domain/AccountModels.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { deadline } from "../resilience/Deadline.ts"

/** An account's document. The object stays the same one while nothing is written, so it may key a cache. */
export interface StoredModels {
  readonly document: AccountModels
  /** When it was written; null for an account that has none. */
  readonly updatedAt: Date | null
}

/** What an account has that has set nothing. */
export const noModels: StoredModels = { document: noAccountModels, updatedAt: null }

/** Documents by account. Without a driver no account has one. */
interface AccountModelsPort {
  /** The document, at most a second old; the last one read while the store is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<StoredModels, LedgerUnavailable>
  /** Replaces the document; an empty one removes it. This process reads it at once. */
  readonly write: (
    accountId: AccountId,
    document: AccountModels
  ) => Effect.Effect<StoredModels, LedgerUnavailable>
}

export const AccountModelsStore = Context.Reference<AccountModelsPort>(
  "sextant/accounts/AccountModelsStore",
  { defaultValue: () => ({ read: () => Effect.succeed(noModels), write: () => Effect.succeed(noModels) }) }
)

/** The account's document, read within a time limit, ms. */
export const readAccountModels = Effect.fnUntraced(function*(
  accountId: AccountId,
  withinMs: number
): Effect.fn.Return<AccountModels, LedgerUnavailable> {
  const store = yield* AccountModelsStore
  const { document } = yield* store.read(accountId).pipe(
    deadline(withinMs, () => LedgerUnavailable.timedOut(withinMs))
  )
  return document
})
