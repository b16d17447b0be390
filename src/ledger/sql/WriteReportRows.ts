/* Writes a group of reports into the ledger's tables: the reports, outcomes, figures and lanes' numbers. */
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { encodeWrites } from "../../api/memory/LoggedWrites.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { columnNames, rowSet, wellFormedJson } from "../../sql/RowSet.ts"
import { writeParts } from "../../sql/StatementParts.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { countCalls } from "./CallCounts.ts"
import { type OutcomeRow, outcomeRow, putOutcomes } from "./OutcomeRow.ts"
import type { AnsweredReport } from "./PlanReports.ts"
import type { DecisionState } from "./ReadLogState.ts"
import { encodeResponse } from "./StoredAnswer.ts"

interface AppendedGroup {
  readonly accountId: AccountId
  readonly reports: ReadonlyArray<AnsweredReport>
  readonly decisions: ReadonlyMap<string, DecisionState>
  readonly numbers: ReadonlyMap<Lane, LaneNumbers>
  /** True if the infrastructure broke a call of the account in the last ten minutes. */
  readonly hasBroken: boolean
}

export const reportColumns = {
  revision: "bigint", recommendationId: "uuid", idempotencyKey: "text", fingerprint: "text", body: "jsonb",
  response: "jsonb", writes: "jsonb"
} as const

export const jsonOrNull = (value: object | null): string | null =>
  value === null ? null : wellFormedJson(value)

const reportRow = ({ answer, plan, revision, submission }: AnsweredReport) => ({
  revision,
  recommendationId: submission.decision.recommendationId,
  idempotencyKey: submission.key.idempotencyKey,
  fingerprint: submission.key.fingerprint,
  body: wellFormedJson(submission.report),
  response: wellFormedJson(encodeResponse(answer.response)),
  writes: answer.isElsewhere ? jsonOrNull(encodeWrites(plan.writes)) : null
})

const insertReports = (
  sql: SqlClient.SqlClient,
  { accountId, reports }: AppendedGroup
): Statement.Fragment => {
  const names = sql.literal(columnNames(reportColumns).join(", "))
  return sql`insert into report (account_id, ${names})
    select ${accountId}::text, ${names} from ${rowSet(sql, "r", reportColumns, reports.map(reportRow))}`
}

const numberColumns =
  { lane: "text", outcomes: "bigint", localShare: "float8", spreadEvidence: "float8[]" } as const

const setNumbers = (sql: SqlClient.SqlClient, { accountId, numbers }: AppendedGroup): Statement.Fragment => {
  const names = sql.literal(columnNames(numberColumns).join(", "))
  const rows = [...numbers].map(([lane, { spreadEvidence, ...learned }]) =>
    ({ lane, ...learned, spreadEvidence: spreadEvidence.map(String) }))
  return sql`insert into lane_numbers (account_id, ${names})
    select ${accountId}::text, ${names} from ${rowSet(sql, "n", numberColumns, rows)}
    on conflict (account_id, lane) do update set outcomes = excluded.outcomes,
      local_share = excluded.local_share, spread_evidence = excluded.spread_evidence`
}

const outcomeRows = ({ decisions, reports }: AppendedGroup): ReadonlyArray<OutcomeRow> => {
  const first = new Map(reports.toReversed().map((report) =>
    [report.submission.decision.recommendationId, report] as const))
  return [...first].flatMap(([id, { before, submission: { decision } }]) => {
    const now = decisions.get(id)
    return now === undefined ? [] : [outcomeRow(decision, before, now.outcomes, now.taskKey)]
  })
}

export const writeReportRows = Effect.fnUntraced(function*(
  group: AppendedGroup
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { accountId, hasBroken, numbers, reports } = group
  yield* writeParts([
    sql`appended as (${insertReports(sql, group)})`,
    ...putOutcomes(sql, accountId, outcomeRows(group)),
    ...numbers.size === 0 ? [] : [sql`numbered as (${setNumbers(sql, group)})`]
  ])
  const isBroken = hasBroken || reports.some(({ plan }) => plan.call?.isBroken === true)
  if (isBroken) yield* countCalls(accountId, reports)
})
