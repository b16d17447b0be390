/** Port: account keys, and the failures of verifying one. */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Role } from "../domain/account/Role.ts"
import type { AccountId, Caller } from "../domain/Scope.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { CallerKey } from "./CallerKey.ts"

/** The key is verified as bad: missing, malformed, unknown, wrong, revoked or past its end. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRejected", {}) {}

/** The store of keys did not answer, so that a key is neither verified nor rejected; `reason` says why. */
export class KeysUnavailable extends portError<KeysUnavailable>()("KeysUnavailable", {}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): KeysUnavailable {
    return new KeysUnavailable({ reason: new TimedOut({ limitMs }) })
  }
}

/** A verified key: its account, what it may do, and the key itself. */
export interface KeyHolder extends Caller, CallerKey {}

/** A key as `keys list` shows it. */
export interface KeyInfo {
  readonly accountId: AccountId
  readonly keyId: string
  /** One of `Role`, or a role that only a later version knows. */
  readonly role: string
  readonly createdAt: Date
  /** When the key ends; null for a key without an end. */
  readonly expiresAt: Date | null
  /** When the key was last used, to the hour; null for a key that was never used. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** What a new key allows, and until when. */
export interface KeyGrant {
  readonly role: Role
  /** Null for a key without an end. */
  readonly expiresAt: Date | null
}

/** Account keys `sxt_<instance>_<keyid>_<secret>`. The instance segment names the account. */
export class Keys extends Context.Service<Keys, {
  readonly verify: (
    key: Redacted.Redacted<string>
  ) => Effect.Effect<KeyHolder, KeyRejected | KeysUnavailable>
  /** Whether this very key was verified recently: verifying it again reveals nothing to a guesser. */
  readonly isKnown: (key: Redacted.Redacted<string>) => Effect.Effect<boolean>
  /** The holder of a key that was verified so recently that no look-up is needed; null for any other key. */
  readonly remembered?: (key: Redacted.Redacted<string>) => Effect.Effect<KeyHolder | null>
  /** Mints a key, by default of the role `use` and without an end. Only here is the key itself known. */
  readonly create: (
    instance: string,
    grant?: KeyGrant
  ) => Effect.Effect<Redacted.Redacted<string>, KeyRejected | KeysUnavailable>
  /** Registers a full key; registering it again changes nothing. */
  readonly register: (key: Redacted.Redacted<string>) => Effect.Effect<void, KeyRejected | KeysUnavailable>
  /**
   * Mints the successor of a key, with the same role and the same length of life. The old key ends after the
   * overlap. Null, without a change, when the account has no such live key.
   */
  readonly rotate: (old: {
    readonly accountId: AccountId
    readonly keyId: string
    /** How long the old key stays good, in milliseconds, unless it ends earlier by itself. */
    readonly overlapMs: number
  }) => Effect.Effect<Redacted.Redacted<string> | null, KeyRejected | KeysUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<KeyInfo>, KeysUnavailable>
  /** False when there is no such live key. */
  readonly revoke: (accountId: AccountId, keyId: string) => Effect.Effect<boolean, KeysUnavailable>
}>()("sextant/accounts/Keys") {}
