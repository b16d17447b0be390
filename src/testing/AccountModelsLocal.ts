/* Models of accounts in the process, for tests. */
import { Clock, Effect, Layer } from "effect"
import { AccountModelsStore, noModels, type StoredModels } from "../accounts/AccountModels.ts"
import { isEmpty } from "../domain/AccountModels.ts"
import type { AccountId } from "../domain/Scope.ts"

/** A store of documents in memory, with the contract of `accounts/sql/AccountModelsSql`. */
export const layer: Layer.Layer<never> = Layer.effect(
  AccountModelsStore,
  Effect.sync(() => {
    const stored = new Map<AccountId, StoredModels>()
    return {
      read: (accountId: AccountId) => Effect.sync(() => stored.get(accountId) ?? noModels),
      write: (accountId: AccountId, document: StoredModels["document"]) =>
        Effect.map(Clock.currentTimeMillis, (nowMs): StoredModels => {
          if (isEmpty(document)) {
            stored.delete(accountId)
            return noModels
          }
          const next = { document, updatedAt: new Date(nowMs) }
          stored.set(accountId, next)
          return next
        })
    }
  })
)
