/* Settles feedbacks in groups of their account. */
import { Array as Arr, Effect, Exit, PartitionedSemaphore, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { poolShare } from "../../sql/PoolShare.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { OutdatedSettlement, SettledFeedback, Settlement } from "../Settlement.ts"
import { settleFeedbacks } from "./SettleFeedbacks.ts"

type Settled = SettledFeedback | OutdatedSettlement
type SqlFailure = SqlError.SqlError | Schema.SchemaError

/** Most groups of an account under way, count: the second while the first waits for a lock or the disk. */
const groupsMax = 2

/** A group has at most one report of each decision, and one under each key. */
const beginGroup = () => {
  const taken = new Set<string>()
  let size = 0
  return ({ claim, decision }: Settlement): boolean => {
    const own = [`decision ${decision.recommendationId}`, `key ${claim.idempotencyKey}`]
    if (size >= databaseSettings.settledTogether || own.some((each) => taken.has(each))) return false
    size++
    for (const each of own) taken.add(each)
    return true
  }
}

/**
 * Settles feedbacks, each once. Those of an account that come while others of it are under way share a
 * statement: its locks and its wait for the disk. A group is durable as a whole before any of its callers is
 * answered. When it fails, each of its members settles again by itself: the failure of one is not the failure
 * of another. The group has left no trace, or its claims show that it committed.
 */
export const makeSettle = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { settlements } = yield* poolShare
  // Decisions, keys and recall keep connections even when settlements wait for locks; accounts take turns.
  const settling = yield* PartitionedSemaphore.make<AccountId>({ permits: settlements })

  const settleAll = (accountId: AccountId, group: ReadonlyArray<Settlement>): Effect.Effect<
    ReadonlyArray<Settled>,
    SqlFailure
  > =>
    settleFeedbacks(accountId, group).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      withStatementDeadline(databaseSettings.groupMs),
      settling.withPermit(accountId)
    )

  const run = (accountId: AccountId, group: ReadonlyArray<Settlement>) =>
    Effect.flatMap(Effect.exit(settleAll(accountId, group)), (all) =>
      Exit.isSuccess(all)
        ? Effect.succeed(all.value.map((settled) => Exit.succeed(settled)))
        : Effect.forEach(group, (each) =>
          Effect.exit(Effect.map(retryTransient(settleAll(accountId, [each])), Arr.getUnsafe(0))), {
          concurrency: "unbounded"
        }))

  const settle = yield* makeGroups<Settlement, Settled, SqlFailure>({ groupsMax, begin: beginGroup, run })
  return (settlement: Settlement) => settle(settlement.claim.accountId, settlement)
})
