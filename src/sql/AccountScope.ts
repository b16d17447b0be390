import { Context, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { rollbacksFail } from "./Rollback.ts"
import { transientIn } from "./Transient.ts"

/** The role under which every statement about an account runs; it owns nothing and bypasses nothing. */
export const applicationRole = "sextant_app"

/** The transaction that is open on a fiber. */
interface Scope {
  readonly accountId: AccountId
  /** A deadlock or serialization failure inside it that its work may have hidden. */
  trouble: SqlError.SqlError | null
}

/** The scope that is open on this fiber, or null. */
const ScopeInForce = Context.Reference<Scope | null>("sextant/sql/ScopeInForce", {
  defaultValue: () => null
})

const foreign = new SqlError.SqlError({
  reason: new SqlError.AuthorizationError({
    message: "An account's transaction is open; another account's work cannot join it",
    operation: "withAccount",
    cause: "AccountScope"
  })
})

/** Notes what the transaction as a whole may get over by running again, though its work goes on without. */
const noting = <A, E, R>(scope: Scope, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapError(effect, (error) =>
    Effect.sync(() => {
      scope.trouble ??= transientIn(error)
    }))

/**
 * Runs the effect in one transaction in which row-level security shows and accepts only this account's rows.
 *
 * Inside an open scope of the same account it joins that transaction at no cost; another account's scope
 * fails there. Role and account are local to the transaction, so a pooled connection carries neither
 * afterwards. Work forked from inside must end inside: it would write to a connection that has been given
 * back. A deadlock or serialization failure fails the whole transaction with it, even when the work that met
 * it made do without: whoever opened the transaction can run it again.
 */
export const withAccount = (accountId: AccountId) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const inForce = yield* ScopeInForce
    if (inForce !== null) {
      return yield* inForce.accountId === accountId ? noting(inForce, effect) : Effect.fail(foreign)
    }
    const sql = yield* SqlClient.SqlClient
    const scope: Scope = { accountId, trouble: null }
    const orTrouble = <B, F>(otherwise: Effect.Effect<B, F>): Effect.Effect<B, F | SqlError.SqlError> =>
      Effect.suspend((): Effect.Effect<B, F | SqlError.SqlError> =>
        scope.trouble === null ? otherwise : Effect.fail(scope.trouble))
    return yield* sql`select set_config('role', ${applicationRole}, true),
      set_config('app.account', ${accountId}, true)`
      .pipe(
        Effect.andThen(Effect.provideService(effect, ScopeInForce, scope)),
        Effect.flatMap((value) => orTrouble(Effect.succeed(value))),
        sql.withTransaction,
        rollbacksFail,
        Effect.catch((error) => orTrouble(Effect.fail(error)))
      )
  })
