/** Port: accounts' own models, prices and default candidates. */
import { Context, Effect } from "effect"
import { type AccountModels, noAccountModels } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import {
  type ModelIdentity, type ModelRestarts, noRestarts, restartsOf
} from "../domain/model/ModelIdentity.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/** The object usually stays the same until the document changes, so a cache can use it as a key. */
export interface StoredModels {
  readonly document: AccountModels
  /** Time of the last write; null if nothing is stored for the account. */
  readonly updatedAt: Date | null
  readonly identities: ReadonlyArray<ModelIdentity>
  /** Times at which ids last began to name another model. */
  readonly restarts: ModelRestarts
}

export const noModels: StoredModels = {
  document: noAccountModels, updatedAt: null, identities: [], restarts: noRestarts
}

export const storedModels = (
  document: AccountModels,
  updatedAt: Date,
  identities: ReadonlyArray<ModelIdentity>
): StoredModels => ({ document, updatedAt, identities, restarts: restartsOf(identities) })

/** Without a driver, no account has a document. */
interface AccountModelsPort {
  /** Reads a document at most a second old, or the last one while the store is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<StoredModels, LedgerUnavailable>
  /**
   * Replaces the account's models, at once for this process. If the new document is empty, only what
   * ids last meant may stay stored. `shared` is the service's catalog of models.
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

export const readAccountModels = Effect.fnUntraced(function*(
  accountId: AccountId,
  withinMs: number
): Effect.fn.Return<StoredModels, LedgerUnavailable> {
  const store = yield* AccountModelsStore
  return yield* store.read(accountId).pipe(LedgerUnavailable.within(withinMs))
})
