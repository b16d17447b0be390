/** Port: accounts' own models, prices and default candidates. */
import { Context, Effect } from "effect"
import { type AccountModels, noAccountModels } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import {
  type ModelIdentity, type ModelRestarts, noRestarts, restartsOf
} from "../domain/model/ModelIdentity.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** An account's document. The object stays the same one while nothing is written, so it may key a cache. */
export interface StoredModels {
  readonly document: AccountModels
  /** When it was written; null for an account that never wrote one. */
  readonly updatedAt: Date | null
  /** What ids stood for that are no longer declared, or that changed. */
  readonly identities: ReadonlyArray<ModelIdentity>
  /** When those changed. */
  readonly restarts: ModelRestarts
}

/** What an account has that has set nothing. */
export const noModels: StoredModels = {
  document: noAccountModels, updatedAt: null, identities: [], restarts: noRestarts
}

/** A document as it was written. */
export const storedModels = (
  document: AccountModels,
  updatedAt: Date,
  identities: ReadonlyArray<ModelIdentity>
): StoredModels => ({ document, updatedAt, identities, restarts: restartsOf(identities) })

/** Documents by account. Without a driver no account has one. */
interface AccountModelsPort {
  /** The document, at most a second old; the last one read while the store is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<StoredModels, LedgerUnavailable>
  /**
   * Replaces the document; an empty one removes it, but for what its ids stood for. This process reads it at
   * once. The catalog says which models become others by it.
   */
  readonly write: (
    accountId: AccountId,
    document: AccountModels,
    shared: CatalogSnapshot
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
): Effect.fn.Return<StoredModels, LedgerUnavailable> {
  const store = yield* AccountModelsStore
  return yield* store.read(accountId).pipe(LedgerUnavailable.within(withinMs))
})
