/* The wall clock of a process, corrected by the database's clock if the two differ. */
import { Clock, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { gauged, meters } from "../telemetry/Metrics.ts"
import { databaseNow } from "./DatabaseNow.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { withStatementDeadline } from "./StatementDeadline.ts"

const { clockEveryMs, clockPauseMs, clockToleranceMs, connectMs } = databaseSettings

export interface ClockReading {
  readonly databaseMs: number
  readonly monotonicMs: number
  /** Maximum error of the reading, ms: half of the round trip. */
  readonly errorMs: number
}

const monotonicMsOf = (machine: Clock.Clock): number =>
  Number(machine.monotonicTimeNanosUnsafe() / 1_000n) / 1_000

const databaseTimeMs = (machine: Clock.Clock, { databaseMs, monotonicMs }: ClockReading): number =>
  databaseMs + monotonicMsOf(machine) - monotonicMs

/**
 * Makes a clock that shows the machine's time while it agrees with the database's time; otherwise the
 * database's time. Nanoseconds, monotonic time and sleeping always use the machine's clock.
 * @param latest returns null before the first reading of the database's clock
 */
export const makeDatabaseClock = (
  machine: Clock.Clock,
  latest: () => ClockReading | null,
  onDifference: () => void = () => {}
): Clock.Clock => {
  const currentTimeMillisUnsafe = (): number => {
    const own = machine.currentTimeMillisUnsafe()
    const reading = latest()
    if (reading === null) return own
    const databaseTime = databaseTimeMs(machine, reading)
    if (Math.abs(own - databaseTime) <= clockToleranceMs + reading.errorMs) return own
    onDifference()
    return Math.round(databaseTime)
  }
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: () => machine.currentTimeNanosUnsafe(),
    currentTimeNanos: machine.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: machine.monotonicTimeNanos,
    sleep: (duration) => machine.sleep(duration)
  }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const machine = yield* Clock.Clock
  let reading: ClockReading | null = null
  let isWrong = false
  /** This machine's time minus the database's time, ms. */
  let skewMs = 0
  yield* gauged(meters.clockSkew({}), () => skewMs / 1_000)

  const logChange = Effect.suspend(() => {
    const wasWrong = isWrong
    isWrong = reading !== null && Math.abs(skewMs) > clockToleranceMs + reading.errorMs
    if (isWrong === wasWrong) return Effect.void
    const seconds = Math.round(Math.abs(skewMs) / 1_000)
    return isWrong
      ? Effect.logWarning("This machine's clock is wrong: the database's is used in its place").pipe(
        Effect.annotateLogs({ [skewMs > 0 ? "secondsAhead" : "secondsBehind"]: seconds })
      )
      : Effect.logInfo("This machine's clock agrees with the database's again")
  })

  const read = Effect.gen(function*() {
    const before = monotonicMsOf(machine)
    const databaseMs = (yield* databaseNow).getTime()
    const after = monotonicMsOf(machine)
    const errorMs = (after - before) / 2
    reading = { databaseMs, monotonicMs: before + errorMs, errorMs }
    skewMs = machine.currentTimeMillisUnsafe() - databaseTimeMs(machine, reading)
    yield* logChange
  }).pipe(
    withStatementDeadline(connectMs),
    Effect.provideService(SqlClient.SqlClient, sql),
    // While the database is unreachable, its last reading stays in use.
    Effect.ignore
  )
  yield* read
  const jumped = yield* Latch.make()
  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    yield* Effect.sleep(clockPauseMs)
    yield* Effect.timeoutOption(jumped.await, clockEveryMs - clockPauseMs)
    yield* read
    yield* jumped.close
  })))
  return makeDatabaseClock(machine, () => reading, () => {
    // Reads the database's clock again, because this machine's clock may have jumped or paused in sleep.
    if (!isWrong) jumped.openUnsafe()
  })
})

/** The clock that dates stored rows, so that copies on one database roughly agree on the time. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(Clock.Clock, make)
