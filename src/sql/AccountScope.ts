/* Transactions that act for one account under row-level security, and the state of the one that is open. */
import { Context, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { inTransaction } from "./Rollback.ts"
import { transientIn } from "./Transient.ts"

/** The role under which every statement about an account runs. It owns no table and bypasses no policy. */
export const applicationRole = "sextant_app"

/** What a generator of statements yields. */
export type OnDatabase<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

/** The transaction that is open on a fiber. */
interface OpenTransaction {
  readonly accountId: AccountId
  /** The connections that it was opened on: a fiber may have one on each of two databases. */
  readonly sql: SqlClient.SqlClient
  /**
   * The first failure that makes the whole transaction fail, even if the work around it recovered: a deadlock
   * or a serialization failure. Null without one.
   */
  poisonedBy: SqlError.SqlError | null
  /** The last revision of the account's log, whose lock the transaction holds; null without the lock. */
  revision: number | null
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
      scope.poisonedBy ??= transientIn(error)
    }))

/**
 * Runs the effect in one transaction in which row-level security shows and accepts only this account's rows.
 *
 * Inside an open transaction of the same account on these connections it joins that transaction at no cost;
 * inside another account's it fails. Role and account are local to the transaction, so a pooled connection
 * carries neither afterwards. A fiber forked inside must end inside: later it would write to a connection
 * that was returned to the pool. A deadlock or serialization failure fails the whole transaction, even if the
 * work around it recovered, so that the opener of the transaction can run it again.
 */
export const withAccount = (accountId: AccountId) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  entering(accountId, (sql) =>
    sql`select set_config('role', ${applicationRole}, true), set_config('app.account', ${accountId}, true)`,
    () => effect)

/**
 * {@link withAccount} for work that writes reports or what follows from them: it takes the next revisions of
 * the account's log, `added` of them, and holds the log's lock, so that such transactions of an account take
 * turns. `work` is given the last revision of the log.
 */
export const withAccountLog = (accountId: AccountId, added: number) =>
<A, E, R>(
  work: (revision: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> => {
  const take = (sql: SqlClient.SqlClient) =>
    Effect.map(
      sql<{ readonly revision: number }>`select take_revisions(${accountId}, ${added})::float8 as revision`,
      ([row]) => ({ revision: row?.revision ?? 0 })
    )
  return entering(accountId, take, (scope, sql, taken) => {
    if (scope.revision !== null && added === 0) return work(scope.revision)
    return Effect.flatMap(taken === null ? take(sql) : Effect.succeed(taken), ({ revision }) => {
      scope.revision = revision
      return work(revision)
    })
  })
}

/**
 * {@link withAccountLog} in a transaction of its own, which begins with a statement that takes the lock and
 * reads under it: `work` is given what that yields.
 */
export const beginningLog = <Taken extends { readonly revision: number }>(
  accountId: AccountId,
  take: (sql: SqlClient.SqlClient) => Effect.Effect<Taken, SqlError.SqlError>
) =>
<A, E, R>(
  work: (taken: Taken) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  entering(accountId, take, (scope, sql, taken) =>
    Effect.flatMap(taken === null ? take(sql) : Effect.succeed(taken), (own) => {
      scope.revision = own.revision
      return work(own)
    }))

/**
 * Runs the work in the account's transaction that is open, or in one of its own that begins with `enter`.
 *
 * @param work is given what `enter` yielded; null where a transaction was open
 */
const entering = <Entered, A, E, R>(
  accountId: AccountId,
  enter: (sql: SqlClient.SqlClient) => Effect.Effect<Entered, SqlError.SqlError>,
  work: (scope: OpenTransaction, sql: SqlClient.SqlClient, entered: Entered | null) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const inForce = yield* CurrentTransaction
    const sql = yield* SqlClient.SqlClient
    if (inForce?.sql === sql) {
      return yield* inForce.accountId === accountId
        ? recordFailure(inForce, Effect.suspend(() => work(inForce, sql, null)))
        : Effect.fail(foreign)
    }
    const scope: OpenTransaction = { accountId, sql, poisonedBy: null, revision: null }
    const orTrouble = <B, F>(otherwise: Effect.Effect<B, F>): Effect.Effect<B, F | SqlError.SqlError> =>
      Effect.suspend((): Effect.Effect<B, F | SqlError.SqlError> =>
        scope.poisonedBy === null ? otherwise : Effect.fail(scope.poisonedBy))
    return yield* enter(sql).pipe(
      Effect.flatMap((entered) =>
        Effect.provideService(work(scope, sql, entered), CurrentTransaction, scope)),
      Effect.flatMap((value) => orTrouble(Effect.succeed(value))),
      inTransaction(sql),
      Effect.catch((error) => orTrouble(Effect.fail(error)))
    )
  })

/** Shows all accounts' rows to the rest of the open transaction, and to the tables' owner alone. */
export const acrossAccounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`select set_config('app.across_accounts', 'on', true)`)

/**
 * Runs one call of a function that takes the account itself (`functions/access.sql`), which needs no
 * transaction around it. Inside an open transaction it is {@link withAccount}.
 */
export const callAs = (accountId: AccountId) =>
<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(
    CurrentTransaction,
    (inForce): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
      inForce === null ? call : withAccount(accountId)(call)
  )
