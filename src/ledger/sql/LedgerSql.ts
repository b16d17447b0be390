/** The driver of the ledger in the service's own database. */
import { Array as Arr, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isFailureReason } from "../../resilience/FailureReason.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { measure, meters } from "../../telemetry/Metrics.ts"
import { Ledger, LedgerUnavailable } from "../Ledger.ts"
import { makeWrite } from "./DecisionGroups.ts"
import { makeDecisionReads } from "./DecisionReads.ts"
import { makeApplyReport } from "./ReportGroups.ts"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const write = yield* makeWrite
  // The counter starts at 0, because monitoring cannot see an increase from nothing.
  yield* measure((add) => add(meters.rowsUnreadable({}), 0))
  const applyReport = yield* makeApplyReport
  const read = yield* makeDecisionReads()

  const guarded = <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient>
  ): Effect.Effect<A, LedgerUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) =>
        new LedgerUnavailable({ reason: isFailureReason(cause) ? cause : reasonOf(cause) }))
    )

  return Ledger.of({
    record: (decisions) =>
      Effect.forEach(
        Object.values(Arr.groupBy(decisions, ({ accountId }) => accountId)),
        (own) => guarded(write(own[0].accountId, own, null)),
        { discard: true }
      ),
    recordWithin: (decisions, check) =>
      Effect.flatMap(
        guarded(write(decisions[0].accountId, decisions, check)),
        (refusal) => refusal === null ? Effect.void : Effect.fail(refusal)
      ),
    find: (accountId, recommendationId) => guarded(read(accountId, recommendationId)),
    applyReport: (submission) => guarded(applyReport(submission))
  })
})

export const layer: Layer.Layer<Ledger, never, SqlClient.SqlClient> = Layer.effect(Ledger, make)
