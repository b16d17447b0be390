import { Clock, Effect, Redacted, type Scope } from "effect"
import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto"
import type { AccountId } from "../domain/Scope.ts"
import { format, type Key, parse } from "./Key.ts"
import { type KeyInfo, KeyRejected, type Keys, type KeysUnavailable } from "./Keys.ts"
import { makeVerifiedKeys } from "./VerifiedKeys.ts"

/** A key at rest: nothing of it can be turned back into the key. */
export interface StoredKey extends KeyInfo {
  /** 32 random bytes of this key's own. */
  readonly salt: Uint8Array
  /** HMAC-SHA-256 of the whole key under `salt`. */
  readonly keyHash: Uint8Array
}

/** Where keys are kept. */
export interface KeyStore {
  readonly find: (accountId: AccountId, keyId: string) => Effect.Effect<StoredKey | null, KeysUnavailable>
  /** False, changing nothing, when the account has a key of that id already. */
  readonly insert: (key: StoredKey) => Effect.Effect<boolean, KeysUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<KeyInfo>, KeysUnavailable>
  /** False when there is no such live key. */
  readonly revoke: (
    accountId: AccountId,
    keyId: string,
    revokedAt: Date
  ) => Effect.Effect<boolean, KeysUnavailable>
}

const saltBytes = 32
const secretBytes = 32
const keyIdLength = 12
const keyIdAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

const hashOf = (key: Key, salt: Uint8Array) => createHmac("sha256", salt).update(key.text).digest()

const isSame = (key: Key, stored: StoredKey): boolean => {
  const hash = hashOf(key, stored.salt)
  return hash.length === stored.keyHash.length && timingSafeEqual(hash, stored.keyHash)
}

const atRest = (key: Key, createdAt: Date): StoredKey => {
  const salt = randomBytes(saltBytes)
  return {
    accountId: key.accountId,
    keyId: key.keyId,
    salt,
    keyHash: hashOf(key, salt),
    createdAt,
    revokedAt: null
  }
}

const newKeyId = () =>
  Array.from({ length: keyIdLength }, () => keyIdAlphabet[randomInt(keyIdAlphabet.length)]).join("")

/** The port over a store: the same rules for every driver. */
export const makeKeys = Effect.fnUntraced(function*(
  store: KeyStore
): Effect.fn.Return<Keys["Service"], never, Scope.Scope> {
  const verifiedKeys = yield* makeVerifiedKeys((key) =>
    Effect.map(
      store.find(key.accountId, key.keyId),
      (stored) => stored !== null && stored.revokedAt === null && isSame(key, stored)
    )
  )
  const now = Effect.map(Clock.currentTimeMillis, (epochMs) => new Date(epochMs))
  const read = Effect.fnUntraced(function*(text: Redacted.Redacted<string>) {
    return parse(Redacted.value(text)) ?? (yield* new KeyRejected())
  })
  const insert = Effect.fnUntraced(function*(key: Key) {
    const isNew = yield* store.insert(atRest(key, yield* now))
    if (isNew) verifiedKeys.evictRejected()
    return isNew
  })

  return {
    verify: Effect.fnUntraced(function*(text) {
      const key = yield* read(text)
      yield* verifiedKeys.verify(key)
      return { accountId: key.accountId, key: text }
    }),
    create: Effect.fnUntraced(function*(instance) {
      while (true) {
        const key = format(instance, newKeyId(), randomBytes(secretBytes).toString("base64url"))
        if (key === null) return yield* new KeyRejected()
        if (yield* insert(key)) return Redacted.make(key.text)
      }
    }),
    register: Effect.fnUntraced(function*(text) {
      const key = yield* read(text)
      if (yield* insert(key)) return
      const stored = yield* store.find(key.accountId, key.keyId)
      if (stored === null || !isSame(key, stored)) return yield* new KeyRejected()
    }),
    list: store.list,
    revoke: Effect.fnUntraced(function*(accountId, keyId) {
      const isRevoked = yield* store.revoke(accountId, keyId, yield* now)
      verifiedKeys.evict(accountId, keyId)
      return isRevoked
    })
  }
})
