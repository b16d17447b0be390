/* What each of the two cells keeps of a move: `account_move`. */
import { Deferred, Effect, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"

/** One of the two cells. */
export interface Side {
  readonly cell: string
  readonly sql: SqlClient.SqlClient
}

/**
 * `copying`, `closing`, `frozen` and `left` are of the cell that is left, `arriving`, `draining` and
 * `arrived` of the other one. An account that has left, or arrives, is frozen until the next phase; `frozen`
 * ends by itself. While it drains, only votes, and what concerns a decision that is not there, are refused.
 */
export type Phase = "copying" | "closing" | "frozen" | "left" | "arriving" | "draining" | "arrived"

export interface MoveState {
  /** The other cell. */
  readonly peer: string
  readonly phase: Phase
  /** When the account was frozen here, by this cell's clock; when its move began, before that. */
  readonly frozenAt: Date
  /** Whether the account goes back to a cell whose rows were not erased. */
  readonly isReturn: boolean
}

type Stated<A> = Effect.Effect<A, SqlError.SqlError>

/** Statements of the account in that cell's database, in one transaction that a freeze does not hold up. */
export const inCell = ({ sql }: Side, accountId: AccountId) =>
<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, E | SqlError.SqlError> =>
  sql`select set_config('app.move', 'on', true)`.pipe(
    Effect.andThen(effect), withAccount(accountId), Effect.provideService(SqlClient.SqlClient, sql)
  )

/** {@link inCell}, after every write that was let in has ended and before any other is. */
const alone = (side: Side, accountId: AccountId) =>
<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  side.sql`select pg_advisory_xact_lock(hashtextextended('sextant.move:' || ${accountId}, 0))::text`.pipe(
    Effect.andThen(effect), inCell(side, accountId)
  )

/** What the cell knows of a move of the account; null without one. */
export const readState = (side: Side, accountId: AccountId): Stated<MoveState | null> =>
  side.sql<MoveState>`select peer, phase, coalesce(frozen_at, began_at) as "frozenAt",
      is_return as "isReturn" from account_move where account_id = ${accountId}`.pipe(
    Effect.map(([state]) => state ?? null), inCell(side, accountId)
  )

/** Begins the cell's part of a move, or continues it. */
export const beginPhase = (
  side: Side,
  accountId: AccountId,
  { isReturn, peer, phase }: Omit<MoveState, "frozenAt">
): Stated<void> =>
  Effect.asVoid(side.sql`insert into account_move (account_id, peer, phase, is_return)
    values (${accountId}, ${peer}, ${phase}, ${isReturn})
    on conflict (account_id) do update set peer = excluded.peer, phase = excluded.phase, frozen_until = null,
      is_return = excluded.is_return, began_at = case when account_move.phase = excluded.phase
        then account_move.began_at else excluded.began_at end
    where account_move.account_id = ${accountId}`.pipe(alone(side, accountId)))

/** Goes on to a phase. */
export const setPhase = (side: Side, accountId: AccountId, phase: Phase): Stated<void> =>
  side.sql`update account_move set phase = ${phase}, frozen_until = null
    where account_id = ${accountId}`.pipe(alone(side, accountId), Effect.asVoid)

/** Freezes the account for that time, ms; yields when the freeze ends, which names it. */
export const freeze = (side: Side, accountId: AccountId, frozenMs: number): Stated<string | null> =>
  side.sql<{ readonly until: string }>`update account_move set phase = 'frozen',
      frozen_at = clock_timestamp(),
      frozen_until = clock_timestamp() + ${frozenMs}::float8 * interval '1 millisecond'
    where account_id = ${accountId} and phase = 'closing' returning frozen_until::text as until`.pipe(
    Effect.map(([row]) => row?.until ?? null), alone(side, accountId)
  )

/** Goes from that freeze to `left`; false where it has ended, so that rows may be missing. */
export const leave = (side: Side, accountId: AccountId, until: string): Stated<boolean> =>
  side.sql`update account_move set phase = 'left', frozen_until = null
    where account_id = ${accountId} and phase = 'frozen' and frozen_until = ${until}::timestamptz
      and frozen_until > clock_timestamp()
    returning phase`.pipe(
    Effect.map((rows) => rows.length > 0), alone(side, accountId)
  )

/** Ends a freeze of an account that has not left. */
export const thaw = (side: Side, accountId: AccountId): Stated<void> =>
  side.sql`update account_move set phase = 'copying', frozen_until = null
    where account_id = ${accountId} and phase in ('closing', 'frozen')`.pipe(
    alone(side, accountId), Effect.asVoid
  )

/** Keeps other processes from moving the account from or to that cell; false where one does. */
const holdSide = Effect.fnUntraced(function*(
  { sql }: Side,
  accountId: AccountId
): Effect.fn.Return<boolean, SqlError.SqlError, Scope.Scope> {
  const isHeld = yield* Deferred.make<boolean, SqlError.SqlError>()
  yield* sql<{ readonly isFree: boolean }>`select pg_try_advisory_xact_lock(
      hashtextextended('sextant.mover:' || ${accountId}, 0)) as "isFree"`.pipe(
    Effect.flatMap(([row]) => Deferred.succeed(isHeld, row?.isFree === true)),
    Effect.andThen(Effect.never),
    sql.withTransaction,
    Effect.catch((error) => Deferred.fail(isHeld, error)),
    Effect.forkScoped
  )
  return yield* Deferred.await(isHeld)
})

/**
 * Keeps other processes from moving the account until the scope ends; false where one does. The locks are of
 * connections, so that they go with the process.
 */
export const holdMove = Effect.fnUntraced(function*(
  sides: readonly [Side, Side],
  accountId: AccountId
): Effect.fn.Return<boolean, SqlError.SqlError, Scope.Scope> {
  // Both directions take them in one order.
  for (const side of sides.toSorted((one, other) => one.cell < other.cell ? -1 : 1)) {
    if (!(yield* holdSide(side, accountId))) return false
  }
  return true
})

/** Forgets the move in that cell. */
export const forgetMove = (side: Side, accountId: AccountId): Stated<void> =>
  side.sql`delete from account_move where account_id = ${accountId}`.pipe(
    alone(side, accountId), Effect.asVoid
  )

/** Gives up a move from that cell; false where the account has left it, or does not move. */
export const abandon = (side: Side, accountId: AccountId, isReturn: boolean): Stated<boolean> => {
  const isBegun = side.sql`account_id = ${accountId} and phase in ('copying', 'closing', 'frozen')`
  const given = isReturn
    ? side.sql`update account_move set phase = 'arrived', frozen_until = null where ${isBegun}
        returning phase`
    : side.sql`delete from account_move where ${isBegun} returning phase`
  return given.pipe(Effect.map((rows) => rows.length > 0), alone(side, accountId))
}

/** Whether the cell serves the account: it has keys or decisions, and has not left. */
export const servesAccount = (side: Side, accountId: AccountId): Stated<boolean> =>
  Effect.gen(function*() {
    const { sql } = side
    // Outside the account's scope, whose role may not see keys.
    const keys = yield* sql`select 1 from api_key where account_id = ${accountId} limit 1`
    const decisions = yield* inCell(side, accountId)(
      sql`select 1 from decision where account_id = ${accountId} limit 1`
    )
    const state = yield* readState(side, accountId)
    const isAway = state?.phase === "arriving" || state?.phase === "left"
    return keys.length + decisions.length > 0 && !isAway
  })
