/* Waits for a database that is unreachable at the start, and then prepares it in the background. */
import { Deferred, Effect, Option, References, type Scope } from "effect"
import { monotonicMs } from "../domain/Time.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { SchemaTooOld } from "./Migrations.ts"
import { RolesRefused } from "./ServiceRole.ts"
import { SettingsRefused } from "./SessionSettings.ts"
import { isMisconfigured } from "./Transient.ts"

const { reminderMs, retryMs, retryMsMax, startMs } = databaseSettings

const logFailure = (error: unknown) => {
  if (error instanceof SchemaTooOld) return Effect.logError(error.message)
  if (error instanceof SettingsRefused || error instanceof RolesRefused) {
    return Effect.logError(`${error.message}. Trying again all the time`)
  }
  return isMisconfigured(error)
    ? Effect.logError(
      "The database refuses us: check user, password and name in DATABASE_URL. Trying again all the time",
      error
    )
    : Effect.logWarning("The database cannot be reached or prepared. Trying again all the time", error)
}

/** Repeats `attempt` with growing pauses until success. Logs the first failure, then one per `reminderMs`. */
const untilPrepared = Effect.fnUntraced(function*<E>(attempt: Effect.Effect<unknown, E>) {
  let saidMs: number | null = null
  for (let pauseMs: number = retryMs;; pauseMs = Math.min(retryMsMax, 2 * pauseMs)) {
    // Only the first attempt may write information to the log, because later attempts would repeat it.
    const quieter = Effect.provideService(attempt, References.MinimumLogLevel, "Warn")
    const once = saidMs === null ? attempt : quieter
    const failure = yield* Effect.match(once, { onSuccess: () => null, onFailure: (error) => ({ error }) })
    if (failure === null) break
    const nowMs = yield* monotonicMs
    if (saidMs === null || nowMs - saidMs >= reminderMs) {
      yield* logFailure(failure.error)
      saidMs = nowMs
    }
    yield* Effect.sleep(pauseMs)
  }
  if (saidMs !== null) yield* Effect.logInfo("The database is ready")
})

/**
 * Returns when the database is ready or after `startMs`, and then keeps trying in the background. `prepare`
 * never fails, so a service that starts before its database needs no restart.
 */
export const prepare = Effect.fnUntraced(function*<E>(
  attempt: Effect.Effect<unknown, E>
): Effect.fn.Return<void, never, Scope.Scope> {
  const prepared = yield* Deferred.make<void>()
  yield* untilPrepared(attempt).pipe(Deferred.into(prepared), Effect.forkScoped)
  const inTime = yield* Deferred.await(prepared).pipe(Effect.timeoutOption(startMs))
  if (Option.isSome(inTime)) return
  yield* Effect.logWarning("Starting without the database, degraded until it is ready")
})
