/* Transactions that act for one account under row-level security, and the state of the one that is open. */
import { Context, Effect, Fiber } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { rollbacksFail } from "./Rollback.ts"
import { sqlErrorIn, transientIn } from "./Transient.ts"

/** The role under which every statement about an account runs. It owns no table and bypasses no policy. */
export const applicationRole = "sextant_app"

/** The transaction that is open on a fiber. */
export interface OpenTransaction {
  readonly accountId: AccountId
  /** Whether the work of several callers runs in it at once. */
  readonly isShared: boolean
  /**
   * Fibers that write in it for several callers, so that the interruption of one caller does not stop the
   * write.
   */
  readonly inFlight: Set<Fiber.Fiber<unknown, unknown>>
  /**
   * The first failure that makes the whole transaction fail, even if the work around it recovered: a deadlock
   * or a serialization failure, and in a shared transaction any failed statement. Null without one.
   */
  poisonedBy: SqlError.SqlError | null
}

/** The transaction that is open on this fiber, or null. */
const CurrentTransaction = Context.Reference<OpenTransaction | null>(
  "sextant/sql/AccountScope/CurrentTransaction",
  { defaultValue: () => null }
)

const foreign = new SqlError.SqlError({
  reason: new SqlError.AuthorizationError({
    message: "An account's transaction is open; another account's work cannot join it",
    operation: "withAccount",
    cause: "AccountScope"
  })
})

/**
 * Records a failure of the effect that must end the whole transaction, even if the caller recovers from it.
 */
const recordFailure = <A, E, R>(
  scope: OpenTransaction,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapError(effect, (error) =>
    Effect.sync(() => {
      scope.poisonedBy ??= scope.isShared ? sqlErrorIn(error) : transientIn(error)
    }))

/** The shared transaction that is open on this fiber, or null. */
export const sharedScope: Effect.Effect<OpenTransaction | null> = Effect.map(
  CurrentTransaction,
  (scope) => scope?.isShared === true ? scope : null
)

/**
 * Runs the effect in the scope's transaction on a fiber that belongs to none of its callers. When the callers
 * are interrupted, the scope interrupts this fiber too before the transaction ends.
 */
export const runInFlight = <A, E, R>(
  scope: OpenTransaction,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    scope.inFlight.add(fiber)
    return Effect.ensuring(effect, Effect.sync(() => scope.inFlight.delete(fiber)))
  })

const interruptInFlight = ({ inFlight }: OpenTransaction): Effect.Effect<void> =>
  Effect.suspend(() => inFlight.size === 0 ? Effect.void : Fiber.interruptAll(inFlight))

/**
 * Runs the effect in a savepoint of the open transaction, which stays usable when the effect fails. A shared
 * transaction has no savepoints, because rolling back to one would undo statements of other members: there a
 * failure ends the whole transaction, and every member starts again alone.
 */
export const inSavepoint = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* (yield* sharedScope) === null ? sql.withTransaction(effect) : effect
  })

/**
 * Runs the effect in one transaction in which row-level security shows and accepts only this account's rows.
 *
 * Inside an open transaction of the same account it joins that transaction at no cost; inside another
 * account's it fails. Role and account are local to the transaction, so a pooled connection carries neither
 * afterwards. A fiber forked inside must end inside: later it would write to a connection that was returned
 * to the pool. A deadlock or serialization failure fails the whole transaction, even if the work around it
 * recovered, so that the opener of the transaction can run it again. In a shared transaction every failed
 * statement fails the whole transaction.
 */
export const withAccount = (accountId: AccountId, { isShared = false } = {}) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const inForce = yield* CurrentTransaction
    if (inForce !== null) {
      return yield* inForce.accountId === accountId ? recordFailure(inForce, effect) : Effect.fail(foreign)
    }
    const sql = yield* SqlClient.SqlClient
    const scope: OpenTransaction = { accountId, isShared, inFlight: new Set(), poisonedBy: null }
    const orTrouble = <B, F>(otherwise: Effect.Effect<B, F>): Effect.Effect<B, F | SqlError.SqlError> =>
      Effect.suspend((): Effect.Effect<B, F | SqlError.SqlError> =>
        scope.poisonedBy === null ? otherwise : Effect.fail(scope.poisonedBy))
    return yield* sql`select set_config('role', ${applicationRole}, true),
      set_config('app.account', ${accountId}, true)`
      .pipe(
        Effect.andThen(Effect.provideService(effect, CurrentTransaction, scope)),
        Effect.ensuring(interruptInFlight(scope)),
        Effect.flatMap((value) => orTrouble(Effect.succeed(value))),
        sql.withTransaction,
        rollbacksFail,
        Effect.catch((error) => orTrouble(Effect.fail(error)))
      )
  })

/**
 * Runs one call of a function that takes the account itself (`AccountFunction.ts`), which needs no
 * transaction around it. Inside an open transaction it is {@link withAccount}.
 */
export const callAs = (accountId: AccountId) =>
<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(
    CurrentTransaction,
    (inForce): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
      inForce === null ? call : withAccount(accountId)(call)
  )
