/* Turns errors of the database into errors of the ledger. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { type callAs, withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { LedgerUnavailable } from "../Ledger.ts"

/**
 * Runs an account's statements in a transaction of the account. With the scope `callAs`, `effect` must be one
 * call of an SQL function, which needs no transaction. Any failure becomes a `LedgerUnavailable`.
 */
export const mapLedgerErrors = (sql: SqlClient.SqlClient) =>
<A, E>(
  accountId: AccountId,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>,
  scope: typeof callAs = withAccount
): Effect.Effect<A, LedgerUnavailable> =>
  effect.pipe(
    scope(accountId),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError((cause) => new LedgerUnavailable({ reason: reasonOf(cause) }))
  )
