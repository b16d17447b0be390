/* Keys in the process, for tests. */
import { Clock, Effect, Layer, type Redacted } from "effect"
import { type KeyRejected, Keys, type KeysUnavailable } from "../../src/accounts/Keys.ts"
import { endedMs, type KeyStore, makeKeys, type StoredKey, useMarkMs } from "../../src/accounts/KeyStore.ts"

/** A store of keys in memory, with the contract of `accounts/sql/KeysSql`. */
export const storeInMemory = (): KeyStore => {
  const stored = new Map<string, StoredKey>()
  const nameOf = (accountId: string, keyId: string) => `${accountId}_${keyId}`
  const keep = (key: StoredKey) => void stored.set(nameOf(key.accountId, key.keyId), key)
  return {
    find: Effect.fnUntraced(function*(accountId, keyId) {
      const key = stored.get(nameOf(accountId, keyId))
      if (key === undefined) return null
      const nowMs = yield* Clock.currentTimeMillis
      return {
        ...key,
        remainingMs: key.expiresAt === null ? null : key.expiresAt.getTime() - nowMs,
        isUnmarked: key.lastUsedAt === null || nowMs - key.lastUsedAt.getTime() > useMarkMs
      }
    }),
    insert: (key) =>
      Effect.sync(() => {
        if (stored.has(nameOf(key.accountId, key.keyId))) return false
        keep(key)
        return true
      }),
    replace: Effect.fnUntraced(function*(accountId, keyId, overlapMs, successor) {
      const nowMs = yield* Clock.currentTimeMillis
      const key = stored.get(nameOf(accountId, keyId))
      const endMs = key?.expiresAt?.getTime() ?? Infinity
      if (key === undefined || key.revokedAt !== null || endMs <= nowMs) return false
      keep({ ...key, expiresAt: new Date(Math.min(endMs, nowMs + overlapMs)) })
      keep(successor)
      return true
    }),
    markUse: Effect.fnUntraced(function*(accountId, keyId) {
      const nowMs = yield* Clock.currentTimeMillis
      const key = stored.get(nameOf(accountId, keyId))
      if (key !== undefined) keep({ ...key, lastUsedAt: new Date(nowMs) })
    }),
    list: Effect.sync(() => [...stored.values()].map(({ keyHash: _keyHash, salt: _salt, ...info }) => info)),
    revoke: Effect.fnUntraced(function*(accountId, keyId) {
      const key = stored.get(nameOf(accountId, keyId))
      if (key === undefined || key.revokedAt !== null) return false
      keep({ ...key, revokedAt: new Date(yield* Clock.currentTimeMillis) })
      return true
    }),
    ended: Effect.map(Clock.currentTimeMillis, (nowMs) =>
      [...stored.values()].filter(({ expiresAt, revokedAt }) => {
        const endMs = Math.min(revokedAt?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity)
        return endMs <= nowMs && nowMs - endMs <= endedMs
      }))
  }
}

/** In-process keys for tests; a malformed key among `keys` fails the layer. */
export const layer = (
  keys: ReadonlyArray<Redacted.Redacted<string>>
): Layer.Layer<Keys, KeyRejected | KeysUnavailable> =>
  Layer.effect(
    Keys,
    Effect.tap(makeKeys(storeInMemory()), ({ register }) => Effect.forEach(keys, register, { discard: true }))
  )
