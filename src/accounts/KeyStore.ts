/** The service's own keys: minting, hashing, rotation and revocation over a store. */
import { Clock, Duration, Effect, Redacted, type Scope } from "effect"
import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto"
import { isRole, type Role } from "../domain/account/Role.ts"
import type { AccountId } from "../domain/Scope.ts"
import { format, type Key, type KeyName, parse } from "./Key.ts"
import { freshMs, keysIn, type KeyStatus, makeKeyCache } from "./KeyCache.ts"
import { type KeyGrant, type KeyInfo, KeyRejected, type Keys, type KeysUnavailable } from "./Keys.ts"

/** A stored key, from which the key itself cannot be recovered. */
export interface StoredKey extends KeyInfo {
  /** Random salt of 32 bytes, different for each key. */
  readonly salt: Uint8Array
  /** HMAC-SHA-256 of the key and its role, with `salt` as the HMAC's key. The hash omits the role `use`. */
  readonly keyHash: Uint8Array
}

interface FoundKey extends StoredKey {
  /** Remaining life, ms; null for a key without an end. */
  readonly remainingMs: number | null
  /** True if the key's last recorded use is older than {@link useMarkMs} or missing. */
  readonly isUnmarked: boolean
}

/** Minimum time between two records of a key's use, ms. */
export const useMarkMs = Duration.toMillis("1 hour")

/** Time for which an ended key stays in {@link KeyStore.ended}, ms, so that each process learns of it. */
export const endedMs = 2 * freshMs

/** The store of keys. Drivers: `accounts/sql/KeysSql`, `test/local/KeysLocal`. */
export interface KeyStore {
  readonly find: (accountId: AccountId, keyId: string) => Effect.Effect<FoundKey | null, KeysUnavailable>
  /** Stores a key. Returns false and changes nothing if the account already has a key with this id. */
  readonly insert: (key: StoredKey) => Effect.Effect<boolean, KeysUnavailable>
  /** Stores the successor and limits the old key's life. Returns false if the old key is not live. */
  readonly replace: (
    accountId: AccountId,
    keyId: string,
    overlapMs: number,
    successor: StoredKey
  ) => Effect.Effect<boolean, KeysUnavailable>
  readonly markUse: (accountId: AccountId, keyId: string) => Effect.Effect<void, KeysUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<KeyInfo>, KeysUnavailable>
  /** Revokes a key. Returns false if the account has no such key, or if the key was revoked before. */
  readonly revoke: (accountId: AccountId, keyId: string) => Effect.Effect<boolean, KeysUnavailable>
  /** Keys of all accounts that were revoked or ended within {@link endedMs}. */
  readonly ended: Effect.Effect<ReadonlyArray<KeyName>, KeysUnavailable>
}

const saltBytes = 32
const secretBytes = 32
const keyIdLength = 12
const keyIdAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

/** The hash covers the role, so changing the role of a stored row cannot raise a key's rights. */
const hashOf = (key: Key, salt: Uint8Array, role: string) =>
  createHmac("sha256", salt).update(role === "use" ? key.text : `${role}\n${key.text}`).digest()

const isSame = (key: Key, stored: StoredKey): boolean => {
  const hash = hashOf(key, stored.salt, stored.role)
  return hash.length === stored.keyHash.length && timingSafeEqual(hash, stored.keyHash)
}

const forever = (role: Role): KeyGrant => ({ role, expiresAt: null })

/** Returns a stored key's status; null if it is missing, wrong or revoked, or its role is unknown. */
const statusOf = (key: Key, found: FoundKey | null): KeyStatus | null =>
  found !== null && found.revokedAt === null && isRole(found.role) && isSame(key, found)
    ? { role: found.role, remainingMs: found.remainingMs }
    : null

const atRest = (key: Key, { expiresAt, role }: KeyGrant, createdAt: Date): StoredKey => {
  const salt = randomBytes(saltBytes)
  return {
    accountId: key.accountId,
    keyId: key.keyId,
    role,
    salt,
    keyHash: hashOf(key, salt, role),
    createdAt,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null
  }
}

const newKeyId = () =>
  Array.from({ length: keyIdLength }, () => keyIdAlphabet[randomInt(keyIdAlphabet.length)]).join("")

const now = Effect.map(Clock.currentTimeMillis, (epochMs) => new Date(epochMs))

const read = Effect.fnUntraced(function*(text: Redacted.Redacted<string>) {
  return parse(Redacted.value(text)) ?? (yield* new KeyRejected())
})

const minted = Effect.fnUntraced(function*(instance: string) {
  const key = format(instance, newKeyId(), randomBytes(secretBytes).toString("base64url"))
  return key ?? (yield* new KeyRejected())
})

/** The successor that is created now gets the same total life as the old key. */
const endOfSuccessor = ({ createdAt, expiresAt }: StoredKey, now: Date): Date | null =>
  expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime())

const makeStatusCache = Effect.fnUntraced(function*(store: KeyStore) {
  const scope = yield* Effect.scope
  /** Records the use of a key. If the use cannot be recorded, the key's next look-up tries again. */
  const markUse = ({ accountId, keyId }: FoundKey) =>
    store.markUse(accountId, keyId).pipe(
      Effect.catch((cause) => Effect.logDebug("The use of a key could not be marked", cause)),
      Effect.forkIn(scope)
    )
  return yield* makeKeyCache(Effect.fnUntraced(function*(key) {
    const found = yield* store.find(key.accountId, key.keyId)
    const status = statusOf(key, found)
    if (status !== null && found?.isUnmarked === true) yield* markUse(found)
    return status
  }), store.ended)
})

export const makeKeys = Effect.fnUntraced(function*(
  store: KeyStore
): Effect.fn.Return<Keys["Service"], never, Scope.Scope> {
  const cache = yield* makeStatusCache(store)
  const insert = Effect.fnUntraced(function*(key: Key, grant: KeyGrant) {
    return yield* store.insert(atRest(key, grant, yield* now))
  })

  return {
    ...keysIn(cache),
    create: Effect.fnUntraced(function*(instance, grant = forever("use")) {
      while (true) {
        const key = yield* minted(instance)
        if (yield* insert(key, grant)) return Redacted.make(key.text)
      }
    }),
    register: Effect.fnUntraced(function*(text) {
      const key = yield* read(text)
      if (yield* insert(key, forever("use"))) return
      const stored = yield* store.find(key.accountId, key.keyId)
      if (stored === null || !isSame(key, stored)) return yield* new KeyRejected()
    }),
    rotate: Effect.fnUntraced(function*({ accountId, keyId, overlapMs }) {
      const old = yield* store.find(accountId, keyId)
      if (old === null || old.revokedAt !== null || !isRole(old.role)) return null
      const createdAt = yield* now
      const key = yield* minted(accountId)
      const expiresAt = endOfSuccessor(old, createdAt)
      const successor = atRest(key, { role: old.role, expiresAt }, createdAt)
      if (!(yield* store.replace(accountId, keyId, overlapMs, successor))) return null
      cache.evict([{ accountId, keyId }])
      return Redacted.make(key.text)
    }),
    list: store.list,
    revoke: Effect.fnUntraced(function*(accountId, keyId) {
      const isRevoked = yield* store.revoke(accountId, keyId)
      cache.evict([{ accountId, keyId }])
      return isRevoked
    })
  }
})
