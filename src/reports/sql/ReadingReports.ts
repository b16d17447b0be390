/* How reports read the rows of an account. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { reportSettings } from "../ReportSettings.ts"

/** Just-in-time compilation is off, because it takes more time than it saves. */
export const readingWith = (sql: SqlClient.SqlClient) =>
<A, E>(
  { accountId }: { readonly accountId: AccountId },
  work: Effect.Effect<A, E, SqlClient.SqlClient>
): Effect.Effect<A, LedgerUnavailable> =>
  sql`select set_config('statement_timeout', ${String(reportSettings.statementMs)}, true),
    set_config('work_mem', ${`${reportSettings.workMemoryKb}kB`}, true),
    set_config('jit', 'off', true)`.pipe(
    Effect.andThen(work),
    withAccount(accountId),
    Effect.provideService(SqlClient.SqlClient, sql),
    withStatementDeadline(reportSettings.reportMs),
    Effect.mapError((cause) => new LedgerUnavailable({ reason: reasonOf(cause) }))
  )
