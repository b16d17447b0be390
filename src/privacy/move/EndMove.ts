/* Ends a move: erases the account in the cell that it has left, or gives up a move that has not left. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { keyTable } from "../AccountTables.ts"
import { eraseAccount } from "../EraseAccount.ts"
import { copyLateDecisions, lateSince } from "./CopyRows.ts"
import { decisionsIn, type Move, type MoveFailure, refuse } from "./Move.ts"
import { movedTables } from "./MovedTables.ts"
import { abandon, forgetMove, inCell, readState, setPhase, type Side } from "./MoveState.ts"

type BegunMove = Pick<Move<never>, "accountId" | "from" | "to">

/** Deletes all of the account in that cell, with its settings, its keys and what is known of the move. */
const eraseIn = Effect.fnUntraced(function*(side: Side, accountId: AccountId) {
  const { sql } = side
  // In the owner's name: the application role may not see keys.
  yield* sql`select set_config('app.move', 'on', true)`.pipe(
    Effect.andThen(sql`delete from ${sql(keyTable)} where account_id = ${accountId}`), sql.withTransaction
  )
  yield* eraseAccount(accountId, inCell(side, accountId)).pipe(
    Effect.provideService(SqlClient.SqlClient, sql)
  )
  yield* sql`delete from account_setting where account_id = ${accountId}`.pipe(
    Effect.andThen(sql`delete from account_move where account_id = ${accountId}`),
    inCell(side, accountId)
  )
})

/** Erases the account in the cell that it has left, after copying the decisions that came there late. */
export const confirmMove = Effect.fnUntraced(function*(
  { accountId, from, to }: BegunMove
): Effect.fn.Return<void, MoveFailure> {
  const [own, other] = yield* Effect.all([readState(from, accountId), readState(to, accountId)])
  if (other?.phase !== "arrived" || other.peer !== from.cell || own !== null && own.phase !== "left") {
    return yield* refuse(`${accountId} has not been moved from ${from.cell} to ${to.cell}`)
  }
  if (own !== null) {
    const tables = yield* Effect.provideService(movedTables, SqlClient.SqlClient, from.sql)
    yield* copyLateDecisions(accountId, yield* decisionsIn(tables), lateSince(own.frozenAt), from, to)
    yield* eraseIn(from, accountId)
  }
  yield* forgetMove(to, accountId)
})

/** Gives up a move that has not left `from`, where the account is served as before. */
export const undoMove = Effect.fnUntraced(function*(
  { accountId, from, to }: BegunMove
): Effect.fn.Return<void, MoveFailure> {
  const [own, other] = yield* Effect.all([readState(from, accountId), readState(to, accountId)])
  if (other?.peer !== from.cell) {
    return yield* refuse(`${accountId} is not being moved from ${from.cell} to ${to.cell}`)
  }
  const isGivenUp = own === null || own.phase === "arrived"
    || (yield* abandon(from, accountId, own.isReturn))
  if (!isGivenUp) {
    return yield* refuse(`${accountId} has left ${from.cell}: finish the move, and then move it back with `
      + `--to ${from.cell}`)
  }
  if (other.phase !== "arriving") return yield* refuse(`${accountId} is not being moved to ${to.cell}`)
  yield* other.isReturn ? setPhase(to, accountId, "left") : eraseIn(to, accountId)
})
