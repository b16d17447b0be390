/* Collects the reports of an account into groups, each of which is applied in one transaction. */
import { Array as Arr, Cause, Effect, Exit, Option, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { poolShare } from "../../sql/PoolShare.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { isRefusal, retryTransient, sqlErrorIn } from "../../sql/Transient.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { type ApplyFailure, applyInTransaction } from "./ReportTransaction.ts"

type Applied = ReportResult | null

/** Maximum number of groups of reports that an account writes at once: a second would wait for a lock. */
const groupsMax = 1

const beginGroup = () => {
  let size = 0
  return (): boolean => size++ < databaseSettings.appliedTogether
}

/** Returns true for an error of the database that refuses no row, such as a lost connection. */
const isOfDatabase = (error: unknown): boolean => sqlErrorIn(error) !== null && !isRefusal(error)

/** Returns the report without its memory writes, because the database refused the report with them. */
const withoutWrites = (submission: ReportSubmission): ReportSubmission => ({
  ...submission,
  store: (_accountId, writes) =>
    Effect.succeed({ written: writes.map(() => null), isElsewhere: false, onDurable: Effect.void })
})

/**
 * Reports that arrive while others are applied share a transaction, which is durable before any caller gets
 * an answer. If a lost connection, a lock or a time limit fails a group, the whole group is applied again. If
 * a report may have failed its group, each report is applied alone, so that one report cannot fail the
 * others. Repeating a group is safe: a failed group has left no trace, or its stored keys show that it was
 * committed.
 */
export const makeApplyReport = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { reportsAtOnce } = yield* poolShare
  // At most `reportsAtOnce` groups run, so that decisions, keys and recalls still get connections.
  const applying = yield* PartitionedSemaphore.make<AccountId>({ permits: reportsAtOnce })

  const applyAll = (accountId: AccountId, group: ReadonlyArray<ReportSubmission>): Effect.Effect<
    ReadonlyArray<Applied>,
    ApplyFailure
  > =>
    applyInTransaction(accountId, group).pipe(
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
