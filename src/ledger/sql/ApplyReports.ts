/* Applies reports of one account in one transaction: plans them under the lock of its log, and writes. */
import { Effect, type Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import { beginningLog } from "../../sql/AccountScope.ts"
import { inOneStatement } from "../../sql/StatementParts.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { appendReports } from "./AppendReports.ts"
import {
  type AnsweredReport, isPlanned, movedNumbers, planAll, type PlannedReport, resultsOf
} from "./PlanReports.ts"
import { logStateOf, type TakenReports, takeReports } from "./TakeReports.ts"
import type { UnreadableOutcomes } from "./StoredOutcomes.ts"

/** The failures of applying feedbacks; a `FailureReason` comes from the memory that stores their writes. */
export type ApplyFailure = SqlError.SqlError | Schema.SchemaError | UnreadableOutcomes | FailureReason

/** Stores the writes of all reports at once, and answers each report from the results of its own. */
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

/** The results of a transaction, and the cache updates that follow once it is durable. */
interface WrittenGroup {
  readonly results: ReadonlyArray<ReportResult | null>
  readonly onDurable: Effect.Effect<void>
}

/** Caches lanes' numbers in this process. */
const remembered = (
  reports: ReadonlyArray<PlannedReport>,
  numbers: ReadonlyMap<Lane, LaneNumbers>
) =>
  Effect.forEach(numbers, ([lane, learned]) => {
    const own = reports.find(({ plan }) => plan.calibration?.lane === lane)?.plan.calibration
    return own === null || own === undefined ? Effect.void : own.remember(learned)
  }, { discard: true })

/** Applies the group's reports, in the transaction that holds the log's lock. */
const writeGroup = Effect.fnUntraced(function*(
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>,
  taken: TakenReports
): Effect.fn.Return<WrittenGroup, ApplyFailure, SqlClient.SqlClient> {
  const { revision } = taken
  const state = yield* logStateOf(taken)
  const { decisions, fates } = yield* planAll(group, revision - group.length + 1, state)
  const planned = fates.filter(isPlanned)
  const numbers = movedNumbers(planned, state.numbers)
  const { answered, onDurable } = yield* storeWrites(accountId, planned)
  if (answered.length > 0) {
    const { hasBroken } = state
    yield* appendReports({ accountId, decisions, numbers, reports: answered, hasBroken })
  }
  return {
    results: resultsOf(group, fates, new Map(answered.map(({ answer }) => [answer.revision, answer]))),
    onDurable: Effect.andThen(onDurable, remembered(planned, numbers))
  }
})

/** Applies reports in one transaction. Yields the result of each, in order, once all are durable. */
export const applyReports = Effect.fnUntraced(function*(
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>
): Effect.fn.Return<ReadonlyArray<ReportResult | null>, ApplyFailure, SqlClient.SqlClient> {
  const { onDurable, results } = yield* beginningLog(accountId, (sql) => takeReports(sql, accountId, group))(
    (taken) => inOneStatement(writeGroup(accountId, group, taken)))
  yield* onDurable
  return results
})
