import { type Redacted, Schema } from "effect"
import type { Role } from "./Role.ts"
import { Identifier } from "./text/Text.ts"

/** The memory instance that a key selects; the caller's data boundary, `org_id` on the wire. Never empty. */
export const AccountId = Schema.NonEmptyString.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/**
 * Who calls: the account, and the key itself for an external memory backend that verifies keys on its own.
 */
export interface Caller {
  readonly accountId: AccountId
  readonly key: Redacted.Redacted<string>
}

/** A caller, and what the key that was verified is good for. */
export interface KeyHolder extends Caller {
  readonly role: Role
  /** How long the key is still good, ms; null for a key without an end. */
  readonly remainingMs: number | null
}

/** One isolated memory lane of an account: recall and learning never cross it. */
export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

export const Namespace = Identifier

const lanePrefix = "sextant:"

/** `sextant:<namespace>`; a null namespace is the lane `sextant:default`, not all lanes. */
export const laneOf = (namespace: string | null): Lane => Lane.make(`${lanePrefix}${namespace ?? "default"}`)
