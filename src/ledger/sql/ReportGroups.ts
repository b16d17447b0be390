/* Applies reports in groups of their account. */
import { Array as Arr, Cause, Effect, Exit, Option, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { poolShare } from "../../sql/PoolShare.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { isRefusal, retryTransient, sqlErrorIn } from "../../sql/Transient.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { type ApplyFailure, applyReports } from "./ApplyReports.ts"

type Applied = ReportResult | null

/**
 * Groups of an account at work at once, count. The next would wait for the log's lock, so it collects
 * reports.
 */
const groupsMax = 1

/** A group takes so many feedbacks. */
const beginGroup = () => {
  let size = 0
  return (): boolean => size++ < databaseSettings.appliedTogether
}

/** Whether the database failed all of a group: no connection, a lock or a statement that took too long. */
const isOfDatabase = (error: unknown): boolean => sqlErrorIn(error) !== null && !isRefusal(error)

/** A submission without the writes that the database refuses. Its report still counts. */
const withoutWrites = (submission: ReportSubmission): ReportSubmission => ({
  ...submission,
  store: (_accountId, writes) =>
    Effect.succeed({ written: writes.map(() => null), isElsewhere: false, onDurable: Effect.void })
})

/**
 * Applies reports, each once. Reports of an account that arrive while others are being applied share a
 * transaction, with its lock and its wait for the disk. The whole group is durable before any caller is
 * answered. If the database fails a group, the group is applied once more, because a wait for a lock concerns
 * all members. After any other failure each report is applied alone, so that one does not fail the others. A
 * failed group has left no trace, or its reports show that it committed.
 */
export const makeApplyReport = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { reportsAtOnce } = yield* poolShare
  // Decisions, keys and recall keep connections even when reports wait for locks; accounts take turns.
  const applying = yield* PartitionedSemaphore.make<AccountId>({ permits: reportsAtOnce })

  const applyAll = (accountId: AccountId, group: ReadonlyArray<ReportSubmission>): Effect.Effect<
    ReadonlyArray<Applied>,
    ApplyFailure
  > =>
    applyReports(accountId, group).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      withStatementDeadline(databaseSettings.groupMs),
      applying.withPermit(accountId)
    )

  const applyAgain = (accountId: AccountId, group: ReadonlyArray<ReportSubmission>) =>
    retryTransient(applyAll(accountId, group))

  const applyAlone = (accountId: AccountId, submission: ReportSubmission) =>
    Effect.map(
      Effect.catchIf(applyAgain(accountId, [submission]), isRefusal, () =>
        applyAgain(accountId, [withoutWrites(submission)])),
      Arr.getUnsafe(0)
    )

  const run = (accountId: AccountId, group: ReadonlyArray<ReportSubmission>) =>
    Effect.flatMap(
      Effect.exit(Effect.retry(applyAgain(accountId, group), { times: 1, while: isOfDatabase })),
      (all) => {
        if (Exit.isSuccess(all)) return Effect.succeed(all.value.map((applied) => Exit.succeed(applied)))
        const failure = Cause.findErrorOption(all.cause)
        return Option.isSome(failure) && isOfDatabase(failure.value)
          ? Effect.succeed(group.map(() => Exit.failCause(all.cause)))
          : Effect.forEach(group, (each) => Effect.exit(applyAlone(accountId, each)))
      }
    )

  const applyReport = yield* makeGroups<ReportSubmission, Applied, ApplyFailure>({
    groupsMax, begin: beginGroup, run
  })
  return (submission: ReportSubmission) => applyReport(submission.key.accountId, submission)
})
