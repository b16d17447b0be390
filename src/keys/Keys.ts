import { Context, type Effect, type Redacted, Schema } from "effect"
import type { AccountId, Caller } from "../domain/Scope.ts"

/** The key is missing, malformed, unknown, wrong or revoked: verified bad. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRejected", {}) {}

/** The key could not be verified because its store is out: not the same as verified bad. */
export class KeysUnavailable extends Schema.TaggedError<KeysUnavailable>()("KeysUnavailable", {
  cause: Schema.Defect()
}) {}

/** A key as `keys list` shows it. */
export interface KeyInfo {
  readonly accountId: AccountId
  readonly keyId: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** Account keys `sxt_<instance>_<keyid>_<secret>`. The instance segment names the account. */
export class Keys extends Context.Service<Keys, {
  readonly verify: (key: Redacted.Redacted<string>) => Effect.Effect<Caller, KeyRejected | KeysUnavailable>
  /** Mints a key; the only time it is shown. */
  readonly create: (
    instance: string
  ) => Effect.Effect<Redacted.Redacted<string>, KeyRejected | KeysUnavailable>
  /** Registers a full key; registering it again changes nothing. */
  readonly register: (key: Redacted.Redacted<string>) => Effect.Effect<void, KeyRejected | KeysUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<KeyInfo>, KeysUnavailable>
  /** False when there is no such live key. */
  readonly revoke: (accountId: AccountId, keyId: string) => Effect.Effect<boolean, KeysUnavailable>
}>()("sextant/keys/Keys") {}
