/* The scope of a request: its account, caller and lane. */
import { Schema } from "effect"
import type { Role } from "./account/Role.ts"
import { Identifier } from "./text/Text.ts"

/**
 * An account: the data boundary of its callers, `org_id` on the wire. Every key belongs to one account. Never
 * empty.
 */
export const AccountId = Schema.NonEmptyString.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The account of a request, and the rights of its verified key, without the key. */
export interface Caller {
  readonly accountId: AccountId
  readonly role: Role
  /** Remaining life of the key, ms; null for a key without an end. */
  readonly remainingMs: number | null
}

/** An isolated memory of an account. Recall and learning never cross lanes. */
export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/**
 * A lane of an account. Memory drivers filter by both, so a lane of another account does not exist for them.
 */
export interface LaneId {
  readonly accountId: AccountId
  readonly lane: Lane
}

export const Namespace = Identifier

const lanePrefix = "sextant:"

/** Returns the lane `sextant:<namespace>`. A null namespace is the lane `sextant:default`, not all lanes. */
export const laneOf = (namespace: string | null): Lane => Lane.make(`${lanePrefix}${namespace ?? "default"}`)
