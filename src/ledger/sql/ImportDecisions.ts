/* Imports exported decisions and outcomes, with the figures and sums that follow from them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type ReportedOutcome, unmeasured } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { writeParts } from "../../sql/StatementParts.ts"
import {
  decisionColumns, type DecisionRow, type DecisionTextRow, textColumns, toRow
} from "./DecisionColumns.ts"
import { decisionFile, type FileColumns, ofFile } from "./DecisionFile.ts"
import { appending } from "./DecisionGroups.ts"
import { foundBy } from "./DecisionReads.ts"
import { type ImportCount, importLog, importReports } from "./ImportReports.ts"
import { outcomeRow, putOutcomes } from "./OutcomeRow.ts"
import { readable } from "./RowCompatibility.ts"
import { type OutcomesCell, parsedOutcomes } from "./StoredOutcomes.ts"

const importDecisions = Effect.fnUntraced(function*(
  accountId: AccountId,
  rows: ReadonlyArray<FileColumns>
): ImportCount {
  const sql = yield* SqlClient.SqlClient
  const [written] = yield* appending(sql, accountId, rows.map((row) => toRow(ofFile(accountId, row))))
  return written?.added ?? 0
})

interface ReportedColumns extends OutcomesCell {
  readonly recommendation_id: RecommendationId
  readonly reported_task_key: string | null
}

/**
 * Early versions of the service stored labels without weights, and fewer measurements than today. A label
 * without a weight counts fully if it teaches, and a missing measurement was not reported.
 */
const outcomesOf = (row: ReportedColumns): ReadonlyArray<ReportedOutcome> =>
  parsedOutcomes(row).map(({ billed, label, measured, ...outcome }) => ({
    ...outcome,
    label: { ...label, provenanceWeight: label.provenanceWeight ?? Number(label.teaches) },
    billed: { ...unmeasured, ...billed },
    measured: { ...unmeasured, ...measured }
  }))

const importOutcomes = Effect.fnUntraced(function*(
  accountId: AccountId,
  rows: ReadonlyArray<FileColumns>
): ImportCount {
  const sql = yield* SqlClient.SqlClient
  // The import has checked the columns by their schemas.
  const given = rows as unknown as ReadonlyArray<ReportedColumns>
  const ids = given.map(({ recommendation_id: id }) => id)
  const found = yield* readable(yield* sql<DecisionRow & DecisionTextRow>`
    select ${sql.literal(decisionColumns)}, ${sql.literal(textColumns)}
    from ${foundBy(sql, accountId, ids)} where outcomes is null`)
  const decisions = new Map(found.map(({ decision, recommendationId }) => [recommendationId, decision]))
  const reported = given.flatMap((row) => {
    const decision = decisions.get(row.recommendation_id)
    return decision === undefined ? [] : [{ row, decision, outcomes: outcomesOf(row) }]
  })
  if (reported.length === 0) return 0
  // Raises the log's revision to the highest of the imported outcomes, so that later reports get higher ones.
  yield* importLog(accountId, reported.flatMap(({ outcomes }) => outcomes))
  const figures = reported.map(({ decision, outcomes, row }) =>
    outcomeRow(decision, [], outcomes, row.reported_task_key ?? decision.taskKey))
  yield* writeParts(putOutcomes(sql, accountId, figures))
  return reported.length
})

export const rowForms = {
  account_log: { write: importLog },
  decision: { file: decisionFile, write: importDecisions },
  outcome: { write: importOutcomes },
  report: { write: importReports }
}
