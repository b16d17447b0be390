import { Effect, Layer, type Redacted } from "effect"
import { type KeyRejected, Keys, type KeysUnavailable } from "./Keys.ts"
import { type KeyStore, makeKeys, type StoredKey } from "./KeyStore.ts"

/** What `KeysSql` keeps in the database. */
export const storeInMemory = (): KeyStore => {
  const stored = new Map<string, StoredKey>()
  const nameOf = (accountId: string, keyId: string) => `${accountId}_${keyId}`
  return {
    find: (accountId, keyId) => Effect.sync(() => stored.get(nameOf(accountId, keyId)) ?? null),
    insert: (key) =>
      Effect.sync(() => {
        const name = nameOf(key.accountId, key.keyId)
        if (stored.has(name)) return false
        stored.set(name, key)
        return true
      }),
    list: Effect.sync(() =>
      [...stored.values()].map(({ accountId, keyId, createdAt, revokedAt }) =>
        ({ accountId, keyId, createdAt, revokedAt }))
    ),
    revoke: (accountId, keyId, revokedAt) =>
      Effect.sync(() => {
        const key = stored.get(nameOf(accountId, keyId))
        if (key === undefined || key.revokedAt !== null) return false
        stored.set(nameOf(accountId, keyId), { ...key, revokedAt })
        return true
      })
  }
}

/** In-process keys for tests; a malformed one among `keys` fails the layer. */
export const layer = (
  keys: ReadonlyArray<Redacted.Redacted<string>>
): Layer.Layer<Keys, KeyRejected | KeysUnavailable> =>
  Layer.effect(
    Keys,
    Effect.tap(makeKeys(storeInMemory()), ({ register }) => Effect.forEach(keys, register, { discard: true }))
  )
