/* The scope of a request: its account, caller and lane. */
import { Schema } from "effect"
import type { Role } from "./account/Role.ts"
import { Identifier } from "./text/Text.ts"

/** The memory instance that a key selects; the caller's data boundary, `org_id` on the wire. Never empty. */
export const AccountId = Schema.NonEmptyString.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The account that a request is made for, and what its verified key may do, without the key. */
export interface Caller {
  readonly accountId: AccountId
  readonly role: Role
  /** How long the key is still good, ms; null for a key without an end. */
  readonly remainingMs: number | null
}

/** One isolated memory lane of an account: recall and learning never cross it. */
export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/** One lane of one account. Memory drivers scope by both: a lane of another account does not exist. */
export interface LaneId {
  readonly accountId: AccountId
  readonly lane: Lane
}

export const Namespace = Identifier

const lanePrefix = "sextant:"

/** `sextant:<namespace>`; a null namespace is the lane `sextant:default`, not all lanes. */
export const laneOf = (namespace: string | null): Lane => Lane.make(`${lanePrefix}${namespace ?? "default"}`)
