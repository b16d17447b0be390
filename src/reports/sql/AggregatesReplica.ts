/* Reads aggregates from a replica of PostgreSQL while it is fit, else from the primary. */
import { Cache, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { Aggregates } from "../Aggregates.ts"
import { reportSettings } from "../ReportSettings.ts"
import { layer as aggregatesLayer } from "./AggregatesSql.ts"
import { lagMs } from "./ReplicaLag.ts"

/** The replica is unreachable or too far behind its primary. */
const unfit = (cause: unknown) => new LedgerUnavailable({ reason: new Reason.Unreachable({ cause }) })

const make = Effect.fnUntraced(function*(replica: SqlClient.SqlClient, onReplica: Aggregates["Service"]) {
  const primary = yield* Aggregates
  // One reading of the lag serves all reports of the next second, also when it failed, so that an outage is
  // not probed often.
  const looks = yield* Cache.make({
    capacity: 1,
    timeToLive: Duration.millis(reportSettings.probeEveryMs),
    lookup: (_: "replica") =>
      Effect.timeout(lagMs(replica), reportSettings.probeMs).pipe(Effect.mapError(unfit))
  })
  let isSaid = false
  /** Logs once that reports go to the primary, and once that they are back. */
  const logFitness = (isFit: boolean, cause?: unknown) => {
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
      onSuccess: () => Effect.as(logFitness(true), true),
      onFailure: (cause) => Effect.as(logFitness(false, cause), false)
    })
  )

  /**
   * A read that fails on a fit replica is not repeated on the primary: it was too much work, and the primary
   * has recommendations to serve. A read that fails because the replica has gone is repeated there.
   */
  const read = <A>(of: (aggregates: Aggregates["Service"]) => Effect.Effect<A, LedgerUnavailable>) =>
    Effect.gen(function*() {
      if (!(yield* isFit)) return yield* of(primary)
      return yield* of(onReplica).pipe(
        Effect.catch((failure) =>
          Cache.invalidate(looks, "replica").pipe(
            Effect.andThen(isFit),
            Effect.flatMap((isStillFit) => isStillFit ? Effect.fail(failure) : of(primary))
          ))
      )
    })

  return Aggregates.of({
    savings: (window, groupBy) => read((aggregates) => aggregates.savings(window, groupBy)),
    trials: (window) => read((aggregates) => aggregates.trials(window)),
    trusted: (window) => read((aggregates) => aggregates.trusted(window)),
    overview: (window, newest) => read((aggregates) => aggregates.overview(window, newest))
  })
})

/**
 * Aggregates from a streaming replica, and from the primary while the replica is unreachable or more than
 * `lagMsMax` behind. A replica shows what it has replayed, so an outcome that was just reported may be
 * missing for a moment.
 */
export const layer = <E>(
  replica: Layer.Layer<SqlClient.SqlClient, E>
): Layer.Layer<Aggregates, E, Aggregates> =>
  Layer.effect(
    Aggregates,
    Effect.gen(function*() {
      const built = yield* Layer.build(Layer.provideMerge(Layer.fresh(aggregatesLayer), replica))
      const context = yield* Effect.provide(
        Effect.all([SqlClient.SqlClient, Aggregates]),
        built
      )
      return yield* make(...context)
    })
  )
