import { Cache, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reportSettings } from "../ReportSettings.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Aggregates } from "../Aggregates.ts"
import { layer as foldsOver } from "./AggregatesSql.ts"
import { lagMs } from "./ReplicaLag.ts"

/** The replica is out, or too far behind its primary to be asked. */
const unfit = (cause: unknown) => new LedgerUnavailable({ reason: new Reason.Unreachable({ cause }) })

const make = Effect.fnUntraced(function*(replica: SqlClient.SqlClient, elsewhere: Aggregates["Service"]) {
  const primary = yield* Aggregates
  // One look serves all reports of the next second, also when it failed: an outage is asked about gently.
  const looks = yield* Cache.make({
    capacity: 1,
    timeToLive: Duration.millis(reportSettings.probeEveryMs),
    lookup: (_: "replica") =>
      Effect.timeout(lagMs(replica), reportSettings.probeMs).pipe(Effect.mapError(unfit))
  })
  let isSaid = false
  /** Says once that reports go to the primary, and once that they are back. */
  const say = (isFit: boolean, cause?: unknown) => {
    if (isSaid === !isFit) return Effect.void
    isSaid = !isFit
    return isFit
      ? Effect.logInfo("Reports are read from the replica again")
      : Effect.logWarning("Reports are read from the primary: the replica is out or behind", cause)
  }
  const isFit = Cache.get(looks, "replica").pipe(
    Effect.flatMap((lag) =>
      lag <= reportSettings.lagMsMax ? Effect.void : unfit(`${Math.round(lag)} ms behind`)),
    Effect.matchEffect({
      onSuccess: () => Effect.as(say(true), true),
      onFailure: (cause) => Effect.as(say(false, cause), false)
    })
  )

  /**
   * What fails on a replica that is still fit was too much for any database, and is not asked of the primary
   * as well: its statements have work to do. What fails because the replica has gone is.
   */
  const read = <A>(of: (folds: Aggregates["Service"]) => Effect.Effect<A, LedgerUnavailable>) =>
    Effect.gen(function*() {
      if (!(yield* isFit)) return yield* of(primary)
      return yield* of(elsewhere).pipe(
        Effect.catch((failure) =>
          Cache.invalidate(looks, "replica").pipe(
            Effect.andThen(isFit),
            Effect.flatMap((isStillFit) => isStillFit ? Effect.fail(failure) : of(primary))
          ))
      )
    })

  return Aggregates.of({
    savings: (window, groupBy) => read((folds) => folds.savings(window, groupBy)),
    trials: (window) => read((folds) => folds.trials(window)),
    trusted: (window) => read((folds) => folds.trusted(window)),
    overview: (window, newest) => read((folds) => folds.overview(window, newest))
  })
})

/**
 * Reports from a streaming replica, and from the primary beneath while that is out or more than a few seconds
 * behind. A replica says what it has replayed: an outcome that was just told may be missing for a moment.
 */
export const layer = <E>(
  replica: Layer.Layer<SqlClient.SqlClient, E>
): Layer.Layer<Aggregates, E, Aggregates> =>
  Layer.effect(
    Aggregates,
    Effect.gen(function*() {
      const built = yield* Layer.build(Layer.provideMerge(Layer.fresh(foldsOver), replica))
      const context = yield* Effect.provide(
        Effect.all([SqlClient.SqlClient, Aggregates]),
        built
      )
      return yield* make(...context)
    })
  )
