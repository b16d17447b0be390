/* Models of accounts in the process, for tests. */
import { Clock, Effect, Layer } from "effect"
import { AccountModelsStore, noModels, storedModels, type StoredModels } from "../../src/accounts/AccountModels.ts"
import { identitiesAfter } from "../../src/catalog/ModelIdentities.ts"
import { isEmpty } from "../../src/domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../../src/domain/model/Model.ts"
import type { AccountId } from "../../src/domain/Scope.ts"

/** A store of documents in memory, with the contract of `accounts/sql/AccountModelsSql`. */
export const layer: Layer.Layer<never> = Layer.effect(
  AccountModelsStore,
  Effect.sync(() => {
    const stored = new Map<AccountId, StoredModels>()
    const of = (accountId: AccountId) => stored.get(accountId) ?? noModels
    return {
      read: (accountId: AccountId) => Effect.sync(() => of(accountId)),
      write: (accountId: AccountId, document: StoredModels["document"], shared: CatalogSnapshot) =>
        Effect.map(Clock.currentTimeMillis, (nowMs): StoredModels => {
          const now = new Date(nowMs)
          const identities = identitiesAfter(shared, of(accountId), document, now.toISOString())
          if (isEmpty(document) && identities.length === 0) {
            stored.delete(accountId)
            return noModels
          }
          const next = storedModels(document, now, identities)
          stored.set(accountId, next)
          return next
        })
    }
  })
)
