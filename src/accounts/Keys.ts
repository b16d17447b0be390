/** Port: account keys, and the failures of verifying one. */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Role } from "../domain/account/Role.ts"
import type { AccountId, Caller } from "../domain/Scope.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { CallerKey } from "./CallerKey.ts"

/** The key is bad: missing, malformed, unknown, wrong, revoked or ended. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRejected", {}) {}

/** The store of keys was not asked or did not answer, so no key is verified or rejected. */
export class KeysUnavailable extends portError<KeysUnavailable>()("KeysUnavailable", {}) {
  static timedOut(limitMs: number): KeysUnavailable {
    return new KeysUnavailable({ reason: new TimedOut({ limitMs }) })
  }
}

export interface KeyHolder extends Caller, CallerKey {}

export interface KeyInfo {
  readonly accountId: AccountId
  readonly keyId: string
  /** A `Role`, or a role that only a later version knows. */
  readonly role: string
  readonly createdAt: Date
  /** End of the key; null for a key without an end. */
  readonly expiresAt: Date | null
  /** Time of the last recorded use, which may be about an hour too early; null if none is recorded. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export interface KeyGrant {
  readonly role: Role
  readonly expiresAt: Date | null
}

/** The instance segment names the account. */
export class Keys extends Context.Service<Keys, {
  readonly verify: (
    key: Redacted.Redacted<string>
  ) => Effect.Effect<KeyHolder, KeyRejected | KeysUnavailable>
  /** Returns true if this key was verified recently, so that even a blocked address may use it. */
  readonly isKnown: (key: Redacted.Redacted<string>) => Effect.Effect<boolean>
  /** Returns the holder of a key that needs no look-up; null for any other key. */
  readonly remembered?: (key: Redacted.Redacted<string>) => Effect.Effect<KeyHolder | null>
  /** Mints a key, by default with the role `use` and without an end. The store gets a hash of the key. */
  readonly create: (
    instance: string,
    grant?: KeyGrant
  ) => Effect.Effect<Redacted.Redacted<string>, KeyRejected | KeysUnavailable>
  /** Registering the same key again changes nothing. */
  readonly register: (key: Redacted.Redacted<string>) => Effect.Effect<void, KeyRejected | KeysUnavailable>
  /**
   * The successor has the same role and length of life, and the old key ends with the overlap or before.
   * `rotate` yields null, for example, if the old key does not exist, was revoked or has ended.
   */
  readonly rotate: (old: {
    readonly accountId: AccountId
    readonly keyId: string
    /** Time for which the old key stays valid, ms, unless the old key ends earlier by itself. */
    readonly overlapMs: number
  }) => Effect.Effect<Redacted.Redacted<string> | null, KeyRejected | KeysUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<KeyInfo>, KeysUnavailable>
  /** Revokes a key. Returns false if the account has no such key, or if the key was revoked before. */
  readonly revoke: (accountId: AccountId, keyId: string) => Effect.Effect<boolean, KeysUnavailable>
}>()("sextant/accounts/Keys") {}
