/* A move of an account to another cell, and why it is refused. */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import type { MovedTable } from "./MovedTables.ts"
import type { Side } from "./MoveState.ts"

/** The account cannot be moved now. It is served where it was, unless the message says otherwise. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>()("MoveRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Why a move, or its end, stops. */
export type MoveFailure = MoveRefused | Schema.SchemaError | SqlError.SqlError

export const refuse = (reason: string) => new MoveRefused({ reason })

export interface Move<E> {
  readonly accountId: AccountId
  readonly from: Side
  /** Other connections to `from`, on which a snapshot stays open. */
  readonly reader: Side
  readonly to: Side
  /** Sends the account's requests to `to`; may be repeated. */
  readonly route: Effect.Effect<void, E>
  /** Longest freeze before the account leaves, ms. */
  readonly freezeMs: number
  /** How long a recommendation that `from` has begun may take until its decision is written, ms. */
  readonly drainMs: number
  readonly say: (step: string) => Effect.Effect<void>
}

export const decisionTable = "decision"

/** The table of decisions among those. */
export const decisionsIn = (tables: ReadonlyArray<MovedTable>): Effect.Effect<MovedTable> => {
  const decision = tables.find(({ name }) => name === decisionTable)
  return decision === undefined
    ? Effect.die(new Error("There is no table of decisions"))
    : Effect.succeed(decision)
}
