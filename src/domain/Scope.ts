/* The scope of a request: its account, caller and lane. */
import { Schema } from "effect"
import type { Role } from "./account/Role.ts"
import { Identifier } from "./text/Text.ts"

/** The id of an account, `org_id` on the wire, never empty. */
export const AccountId = Schema.NonEmptyString.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export interface Caller {
  readonly accountId: AccountId
  readonly role: Role
  /** Remaining life of the key, ms; null if the key has no end. */
  readonly remainingMs: number | null
}

/** Recall and learning never cross from one lane to another. */
export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

export interface LaneId {
  readonly accountId: AccountId
  readonly lane: Lane
}

export const Namespace = Identifier

const lanePrefix = "sextant:"

/** The lane `sextant:<namespace>`. Null means the lane `sextant:default`, not all lanes. */
export const laneOf = (namespace: string | null): Lane => Lane.make(`${lanePrefix}${namespace ?? "default"}`)
