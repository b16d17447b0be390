import { Clock, Duration, Effect, Redacted, type Scope } from "effect"
import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto"
import { isRole, type Role } from "../domain/Role.ts"
import type { AccountId } from "../domain/Scope.ts"
import { format, type Key, parse } from "./Key.ts"
import { type KeyGrant, type KeyInfo, KeyRejected, type Keys, type KeysUnavailable } from "./Keys.ts"
import { makeKeyCache, type KeyStatus } from "./KeyCache.ts"

/** A key at rest: nothing of it can be turned back into the key. */
export interface StoredKey extends KeyInfo {
  /** 32 random bytes of this key's own. */
  readonly salt: Uint8Array
  /** HMAC-SHA-256 of the whole key under `salt`, and of its role unless that is `use`. */
  readonly keyHash: Uint8Array
}

/** A key as its store finds it, at one moment of the store's clock. */
export interface FoundKey extends StoredKey {
  /** Until the key ends, ms; null for a key without an end. */
  readonly remainingMs: number | null
  /** Whether its last use is further back than {@link useMarkMs}, or there was none. */
  readonly isUnmarked: boolean
}

/** A key's last use is marked at most so often, ms: that is one small write an hour for a key in use. */
export const useMarkMs = Duration.toMillis("1 hour")

/** Where keys are kept. */
export interface KeyStore {
  readonly find: (accountId: AccountId, keyId: string) => Effect.Effect<FoundKey | null, KeysUnavailable>
  /** False, changing nothing, when the account has a key of that id already. */
  readonly insert: (key: StoredKey) => Effect.Effect<boolean, KeysUnavailable>
  /**
   * Inserts the successor and ends the old key after the overlap, both or neither. False when there is no
   * such live key.
   */
  readonly replace: (
    accountId: AccountId,
    keyId: string,
    overlapMs: number,
    successor: StoredKey
  ) => Effect.Effect<boolean, KeysUnavailable>
  /** Marks that the key was used. */
  readonly markUse: (accountId: AccountId, keyId: string) => Effect.Effect<void, KeysUnavailable>
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

/**
 * The role is part of what is hashed: changing a row does not raise a key's role, and a version from before
 * roles, which hashes the key alone, refuses a key of another role than `use`.
 */
const hashOf = (key: Key, salt: Uint8Array, role: string) =>
  createHmac("sha256", salt).update(role === "use" ? key.text : `${role}\n${key.text}`).digest()

const isSame = (key: Key, stored: StoredKey): boolean => {
  const hash = hashOf(key, stored.salt, stored.role)
  return hash.length === stored.keyHash.length && timingSafeEqual(hash, stored.keyHash)
}

const forever = (role: Role): KeyGrant => ({ role, expiresAt: null })

/** What a key that was found is good for; null for a bad key, or one of a role that a later version has. */
const standingOf = (key: Key, found: FoundKey | null): KeyStatus | null =>
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

/** The port over a store: the same rules for every driver. */
export const makeKeys = Effect.fnUntraced(function*(
  store: KeyStore
): Effect.fn.Return<Keys["Service"], never, Scope.Scope> {
  const scope = yield* Effect.scope
  /** In the background: a use that could not be marked is marked by the next look-up. */
  const markUse = ({ accountId, keyId }: FoundKey) =>
    store.markUse(accountId, keyId).pipe(
      Effect.catch((cause) => Effect.logDebug("The use of a key could not be marked", cause)),
      Effect.forkIn(scope)
    )
  const verifiedKeys = yield* makeKeyCache(Effect.fnUntraced(function*(key) {
    const found = yield* store.find(key.accountId, key.keyId)
    const standing = standingOf(key, found)
    if (standing !== null && found?.isUnmarked === true) yield* markUse(found)
    return standing
  }))
  const now = Effect.map(Clock.currentTimeMillis, (epochMs) => new Date(epochMs))
  const read = Effect.fnUntraced(function*(text: Redacted.Redacted<string>) {
    return parse(Redacted.value(text)) ?? (yield* new KeyRejected())
  })
  /** A new key of the instance, kept nowhere yet. */
  const minted = Effect.fnUntraced(function*(instance: string) {
    const key = format(instance, newKeyId(), randomBytes(secretBytes).toString("base64url"))
    return key ?? (yield* new KeyRejected())
  })
  const insert = Effect.fnUntraced(function*(key: Key, grant: KeyGrant) {
    const isNew = yield* store.insert(atRest(key, grant, yield* now))
    if (isNew) verifiedKeys.evictRejected()
    return isNew
  })

  return {
    verify: Effect.fnUntraced(function*(text) {
      const key = yield* read(text)
      return { accountId: key.accountId, key: text, ...yield* verifiedKeys.verify(key) }
    }),
    isKnown: (text) => {
      const key = parse(Redacted.value(text))
      return key === null ? Effect.succeed(false) : verifiedKeys.isKnown(key)
    },
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
      const lifeMs = old.expiresAt === null ? null : old.expiresAt.getTime() - old.createdAt.getTime()
      const expiresAt = lifeMs === null ? null : new Date(createdAt.getTime() + lifeMs)
      const key = yield* minted(accountId)
      const successor = atRest(key, { role: old.role, expiresAt }, createdAt)
      if (!(yield* store.replace(accountId, keyId, overlapMs, successor))) return null
      verifiedKeys.evict(accountId, keyId)
      verifiedKeys.evictRejected()
      return Redacted.make(key.text)
    }),
    list: store.list,
    revoke: Effect.fnUntraced(function*(accountId, keyId) {
      const isRevoked = yield* store.revoke(accountId, keyId, yield* now)
      verifiedKeys.evict(accountId, keyId)
      return isRevoked
    })
  }
})
