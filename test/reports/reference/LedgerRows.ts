/* All rows of a ledger, which the reference of the reports adds up. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { Provenance } from "../../../src/domain/feedback/Feedback.ts"
import type { ReportedOutcome } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import type { AccountId, Lane } from "../../../src/domain/Scope.ts"
import { Ledger, LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import { decisionColumns, type DecisionRow, toLedgerRow } from "../../../src/ledger/sql/DecisionColumns.ts"
import { readable } from "../../../src/ledger/sql/RowCompatibility.ts"
import type { OutcomesCell } from "../../../src/ledger/sql/StoredOutcomes.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { reasonOf } from "../../../src/sql/SqlFailure.ts"

/** A verdict of an outcome, and what other sources said. */
export interface Verdict {
  readonly label: Pick<ReportedOutcome["label"], "errorCause" | "outcome" | "provenance" | "teaches">
  readonly said?: { readonly [Source in Provenance]?: number }
}

/** A decision with what is read of its outcomes; without these its feedback is the only one. */
export type ReferenceRow = LedgerRow & { readonly outcomes?: ReadonlyArray<Verdict> }

interface RowsQuery {
  readonly accountId: AccountId
  readonly lane: Lane | null
  readonly since: Date
}

/** A ledger in the process, which says its rows by itself. */
export type LedgerWithRows = Ledger["Service"] & {
  readonly rows: (query: RowsQuery) => Effect.Effect<ReadonlyArray<ReferenceRow>, LedgerUnavailable>
}

const hasRows = (ledger: Ledger["Service"]): ledger is LedgerWithRows => "rows" in ledger

/** Decisions created at or after `since`, oldest first; all lanes when `lane` is null. */
export const rowsOf = Effect.fnUntraced(function*({ accountId, lane, since }: RowsQuery) {
  const ledger = yield* Ledger
  if (hasRows(ledger)) return yield* ledger.rows({ accountId, lane, since })
  const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
  const rows = yield* sql<DecisionRow & OutcomesCell>`
    select ${sql.literal(decisionColumns)}, outcomes
    from decision join decision_figures using (account_id, created_at, recommendation_id)
      left join outcome using (account_id, created_at, recommendation_id)
    where account_id = ${accountId} and created_at >= ${since}
      ${lane === null ? sql.literal("") : sql`and lane = ${lane}`}
    order by created_at, recommendation_id`.pipe(
    withAccount(accountId),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError((cause) => new LedgerUnavailable({ reason: reasonOf(cause) })),
    Effect.flatMap(readable)
  )
  return rows.map((row): ReferenceRow => ({ ...toLedgerRow(row.decision, row), outcomes: row.outcomes ?? [] }))
})
