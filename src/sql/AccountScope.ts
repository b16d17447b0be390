import { Context, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"

/** The role under which every statement about an account runs; it owns nothing and bypasses nothing. */
export const applicationRole = "sextant_app"

/** The account whose transaction is open on this fiber, or null. */
const AccountInForce = Context.Reference<AccountId | null>("sextant/sql/AccountInForce", {
  defaultValue: () => null
})

const foreign = new SqlError.SqlError({
  reason: new SqlError.AuthorizationError({
    message: "An account's transaction is open; another account's work cannot join it",
    operation: "withAccount",
    cause: "AccountScope"
  })
})

/**
 * Runs the effect in one transaction in which row-level security shows and accepts only this account's rows.
 *
 * Inside an open scope of the same account it joins that transaction at no cost; another account's scope
 * fails there. Role and account are local to the transaction, so a pooled connection carries neither
 * afterwards. Work forked from inside must end inside: it would write to a connection that has been given
 * back.
 */
export const withAccount = (accountId: AccountId) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const inForce = yield* AccountInForce
    if (inForce === accountId) return yield* effect
    if (inForce !== null) return yield* Effect.fail(foreign)
    const sql = yield* SqlClient.SqlClient
    return yield* sql`select set_config('role', ${applicationRole}, true),
      set_config('app.account', ${accountId}, true)`
      .pipe(
        Effect.andThen(Effect.provideService(effect, AccountInForce, accountId)),
        sql.withTransaction
      )
  })
