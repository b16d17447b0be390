/* Settles feedbacks in groups of their account. */
import { Array as Arr, Cause, Effect, Exit, Option, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { poolShare } from "../../sql/PoolShare.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { isRefusal, retryTransient, sqlErrorIn } from "../../sql/Transient.ts"
import type { SettledFeedback, Settlement } from "../Settlement.ts"
import { type SettleFailure, settleFeedbacks } from "./SettleFeedbacks.ts"

type Settled = SettledFeedback | null

/** Most groups of an account under way, count: the next would wait for the log, so it grows instead. */
const groupsMax = 1

/** A group takes so many feedbacks. */
const beginGroup = () => {
  let size = 0
  return (): boolean => size++ < databaseSettings.settledTogether
}

/** Whether the database failed all of a group: no connection, a lock or a statement that took too long. */
const isOfDatabase = (error: unknown): boolean => sqlErrorIn(error) !== null && !isRefusal(error)

/** The settlement of a report whose writes the database refuses: it counts all the same. */
const withoutWrites = (settlement: Settlement): Settlement => ({
  ...settlement,
  store: (_accountId, writes) =>
    Effect.succeed({ written: writes.map(() => null), isElsewhere: false, onDurable: Effect.void })
})

/**
 * Settles feedbacks, each once. Those of an account that come while others of it are under way share a
 * transaction: its lock and its wait for the disk. A group is durable as a whole before any of its callers is
 * answered. Where the database fails it, it is settled once more as a whole: the wait for a lock is all
 * members'. Else each of them settles by itself, one after another: the failure of one is not the failure of
 * another. The group has left no trace, or its reports show that it committed.
 */
export const makeSettle = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { settlements } = yield* poolShare
  // Decisions, keys and recall keep connections even when settlements wait for locks; accounts take turns.
  const settling = yield* PartitionedSemaphore.make<AccountId>({ permits: settlements })

  const settleAll = (accountId: AccountId, group: ReadonlyArray<Settlement>): Effect.Effect<
    ReadonlyArray<Settled>,
    SettleFailure
  > =>
    settleFeedbacks(accountId, group).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      withStatementDeadline(databaseSettings.groupMs),
      settling.withPermit(accountId)
    )

  const settleAgain = (accountId: AccountId, group: ReadonlyArray<Settlement>) =>
    retryTransient(settleAll(accountId, group))

  const settleAlone = (accountId: AccountId, settlement: Settlement) =>
    Effect.map(
      Effect.catchIf(settleAgain(accountId, [settlement]), isRefusal, () =>
        settleAgain(accountId, [withoutWrites(settlement)])),
      Arr.getUnsafe(0)
    )

  const run = (accountId: AccountId, group: ReadonlyArray<Settlement>) =>
    Effect.flatMap(
      Effect.exit(Effect.retry(settleAgain(accountId, group), { times: 1, while: isOfDatabase })),
      (all) => {
        if (Exit.isSuccess(all)) return Effect.succeed(all.value.map((settled) => Exit.succeed(settled)))
        const failure = Cause.findErrorOption(all.cause)
        return Option.isSome(failure) && isOfDatabase(failure.value)
          ? Effect.succeed(group.map(() => Exit.failCause(all.cause)))
          : Effect.forEach(group, (each) => Effect.exit(settleAlone(accountId, each)))
      }
    )

  const settle = yield* makeGroups<Settlement, Settled, SettleFailure>({ groupsMax, begin: beginGroup, run })
  return (settlement: Settlement) => settle(settlement.claim.accountId, settlement)
})
