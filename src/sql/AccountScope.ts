/* Transactions that act for one account under row-level security. */
import { Context, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { inTransaction } from "./Rollback.ts"
import { transientIn } from "./Transient.ts"

/** The role in transactions that work for one account, which owns no table and obeys row-level security. */
export const applicationRole = "sextant_app"

export type OnDatabase<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

interface OpenTransaction {
  readonly accountId: AccountId
  /** A fiber may have a transaction on each of two databases. */
  readonly sql: SqlClient.SqlClient
  /** The first deadlock or serialization failure of work that joined the transaction; null if none. */
  poisonedBy: SqlError.SqlError | null
  /** The last revision of the account's log; null without the log's lock. */
  revision: number | null
}

/** The transaction that is open on this fiber; null if there is none. */
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

const recordFailure = <A, E, R>(
  scope: OpenTransaction,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.tapError(effect, (error) =>
    Effect.sync(() => {
      scope.poisonedBy ??= transientIn(error)
    }))

/**
 * Runs the effect in one transaction, in which row-level security shows and accepts only this account's rows.
 *
 * - Inside an open transaction of the same account and client, the effect joins that transaction.
 * - Inside another account's transaction, it fails. The role and the account end with the transaction, so a
 * pooled connection keeps neither of them.
 * - A fiber forked inside must end inside, because the transaction's connection then returns to the pool.
 * - A deadlock or serialization failure fails the whole transaction, so that its opener can run it again.
 */
export const withAccount = (accountId: AccountId) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  entering(accountId, (sql) =>
    sql`select set_config('role', ${applicationRole}, true), set_config('app.account', ${accountId}, true)`,
    () => effect)

/**
 * Runs work that writes reports, or rows computed from reports, in one transaction of the account. The
 * transaction locks the account's log, takes the log's next `added` revisions, and gives `work` the last one.
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

/** Runs work in a transaction of the account in which `take` locks the log and also reads rows for `work`. */
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
 * Opens a transaction that begins with `enter`, unless the account's transaction is already open.
 * @param work gets the result of `enter`; gets null if a transaction was already open
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

/** Makes the rows of all accounts visible in the transaction to the owner of the tables. */
export const acrossAccounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`select set_config('app.across_accounts', 'on', true)`)

/** Calls a database function that sets the account by itself (`enter_account`). */
export const callAs = (accountId: AccountId) =>
<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(
    CurrentTransaction,
    (inForce): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
      inForce === null ? call : withAccount(accountId)(call)
  )
