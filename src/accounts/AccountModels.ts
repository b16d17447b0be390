/** Port: accounts' own models, prices and default candidates. */
import { Context, Effect } from "effect"
import { type AccountModels, noAccountModels } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import {
  type ModelIdentity, type ModelRestarts, noRestarts, restartsOf
} from "../domain/model/ModelIdentity.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"

/**
 * An account's document. The object stays the same until the document changes, so a cache can use it as a
 * key.
 */
export interface StoredModels {
  readonly document: AccountModels
  /** Time of the last write; null if the account never wrote one. */
  readonly updatedAt: Date | null
  /** The former models of ids that changed or are no longer declared. */
  readonly identities: ReadonlyArray<ModelIdentity>
  /** Times of these changes. */
  readonly restarts: ModelRestarts
}

/** The models of an account that has set nothing. */
export const noModels: StoredModels = {
  document: noAccountModels, updatedAt: null, identities: [], restarts: noRestarts
}

export const storedModels = (
  document: AccountModels,
  updatedAt: Date,
  identities: ReadonlyArray<ModelIdentity>
): StoredModels => ({ document, updatedAt, identities, restarts: restartsOf(identities) })

/** The documents of accounts. Without a driver, no account has a document. */
interface AccountModelsPort {
  /**
   * Reads the account's document, which is at most a second old. The last read document is used while the
   * store is slow or unavailable.
   */
  readonly read: (accountId: AccountId) => Effect.Effect<StoredModels, LedgerUnavailable>
  /**
   * Replaces the document. This process uses the new models of the account at once. An empty document removes
   * everything except the identities of former models. The shared catalog is needed to find the models that
   * begin anew without evidence, because their ids now name other models.
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

/** Reads the account's document within a time limit, ms. */
export const readAccountModels = Effect.fnUntraced(function*(
  accountId: AccountId,
  withinMs: number
): Effect.fn.Return<StoredModels, LedgerUnavailable> {
  const store = yield* AccountModelsStore
  return yield* store.read(accountId).pipe(LedgerUnavailable.within(withinMs))
})
