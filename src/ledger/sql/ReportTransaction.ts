/* Applies a group of an account's reports in one transaction: locks the log, plans, stores and appends. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import { beginningLog } from "../../sql/AccountScope.ts"
import { inOneStatement, writeParts } from "../../sql/StatementParts.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { writeReportRows } from "./WriteReportRows.ts"
import {
  type AnsweredReport, isPlanned, movedNumbers, planAll, type PlannedReport, resultsOf
} from "./PlanReports.ts"
import { logStateOf, type LockedLog, readLockedLog } from "./ReadLogState.ts"
import type { UnreadableOutcomes } from "./StoredOutcomes.ts"

/** A `FailureReason` says why memory could not store the reports' writes. */
export type ApplyFailure = SqlError.SqlError | Schema.SchemaError | UnreadableOutcomes | FailureReason

/** Stores all reports' memory writes at once, and answers each report from the results of its own writes. */
const storeWrites = Effect.fnUntraced(function*(
  accountId: AccountId,
  reports: ReadonlyArray<PlannedReport>
) {
  const [first] = reports
  if (first === undefined) return { answered: [], onDurable: Effect.void }
  const writes = reports.flatMap(({ plan }) => plan.writes)
  const { isElsewhere, onDurable, written } =
    yield* Effect.mapError(first.submission.store(accountId, writes), ({ reason }) => reason)
  let taken = 0
  const answered = reports.map((report): AnsweredReport => {
    const { plan, revision } = report
    const own = written.slice(taken, taken += plan.writes.length)
    return {
      ...report,
      answer: { reception: "first", response: plan.answer(own), revision, plan, isElsewhere }
    }
  })
  return { answered, onDurable }
})

interface WrittenGroup {
  readonly results: ReadonlyArray<ReportResult | null>
  readonly onDurable: Effect.Effect<void>
}

const remembered = (
  reports: ReadonlyArray<PlannedReport>,
  numbers: ReadonlyMap<Lane, LaneNumbers>
) =>
  Effect.forEach(numbers, ([lane, learned]) => {
    const own = reports.find(({ plan }) => plan.calibration?.lane === lane)?.plan.calibration
    return own === null || own === undefined ? Effect.void : own.remember(learned)
  }, { discard: true })

/** Gives back revisions that no report took, because a gap in the log counts as a deleted report. */
const returnRevisions = Effect.fnUntraced(function*(accountId: AccountId, unused: number) {
  if (unused === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* writeParts([sql`returned as (
    update account_log set revision = revision - ${unused}::int where account_id = ${accountId})`])
})

const writeGroup = Effect.fnUntraced(function*(
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>,
  read: LockedLog
): Effect.fn.Return<WrittenGroup, ApplyFailure, SqlClient.SqlClient> {
  const { revision } = read
  const state = yield* logStateOf(read)
  const { decisions, fates } = yield* planAll(group, revision - group.length + 1, state)
  const planned = fates.filter(isPlanned)
  const numbers = movedNumbers(planned, state.numbers)
  const { answered, onDurable } = yield* storeWrites(accountId, planned)
  if (answered.length > 0) {
    const { hasBroken } = state
    yield* writeReportRows({ accountId, decisions, numbers, reports: answered, hasBroken })
  }
  yield* returnRevisions(accountId, group.length - planned.length)
  return {
    results: resultsOf(group, fates, new Map(answered.map(({ answer }) => [answer.revision, answer]))),
    onDurable: Effect.andThen(onDurable, remembered(planned, numbers))
  }
})

/** Returns the result of each report, in order, once all are durable. */
export const applyInTransaction = Effect.fnUntraced(function*(
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>
): Effect.fn.Return<ReadonlyArray<ReportResult | null>, ApplyFailure, SqlClient.SqlClient> {
  const inLog = beginningLog(accountId, (sql) => readLockedLog(sql, accountId, group))
  const { onDurable, results } = yield* inLog((read) => inOneStatement(writeGroup(accountId, group, read)))
  yield* onDurable
  return results
})
