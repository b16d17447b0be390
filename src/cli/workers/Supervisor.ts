/*
 * The first of several processes on one port. It serves nothing itself: it starts the others, which
 * `node:cluster` gives connections in turns, starts another when one ends, and stops them together.
 */
import { Deferred, Effect, Schema } from "effect"
import cluster from "node:cluster"
import { getHeapStatistics } from "node:v8"
import { slotVariable, workerSettings } from "./WorkerSettings.ts"

const { heapMbMin, restartMs, restartMsMax, steadyMs, stopMs } = workerSettings

/** How a process ended: its exit code, or the signal that killed it. */
type Ended = number | string

/** The first process to serve ended before it did; it has printed why. */
class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { code: Schema.Int }) {}

/** The heap of each process, MB, so that together they stay within that of a lone process. */
const heapMb = (processes: number): number =>
  Math.floor(Math.max(heapMbMin, getHeapStatistics().heap_size_limit / 2 ** 20 / processes))

/**
 * OTEL_RESOURCE_ATTRIBUTES of a process: an instance id that the operator named gets the process's number,
 * because two processes must not write the same series.
 */
const resourceAttributes = (given: string, number: number): string =>
  given.replace(/(^|,)(\s*service\.instance\.id\s*=[^,]*)/, `$1$2-${number}`)

/**
 * Runs one process to its end; `serves` is called once it serves. An interruption lets it drain first, for
 * `drainMs` and {@link stopMs}, and then kills it.
 */
const run = (slot: number, drainMs: number, serves: () => void): Effect.Effect<Ended> =>
  Effect.callback<Ended>((resume) => {
    const attributes = process.env["OTEL_RESOURCE_ATTRIBUTES"]
    const worker = cluster.fork({
      [slotVariable]: String(slot),
      ...(attributes === undefined ? {} : { OTEL_RESOURCE_ATTRIBUTES: resourceAttributes(attributes, slot) })
    })
    worker.once("message", serves)
    worker.once("exit", (code: number | null, signal: string | null) =>
      resume(Effect.succeed(code ?? signal ?? 1)))
    return Effect.callback<void>((stopped) => {
      if (worker.isDead()) return stopped(Effect.void)
      let isKilled = false
      const kill = setTimeout(() => {
        isKilled = true
        worker.process.kill("SIGKILL")
      }, drainMs + stopMs)
      worker.once("exit", (code: number | null) => {
        clearTimeout(kill)
        // A signal ends a process that has only just begun to start, before it can handle it.
        if (isKilled || code !== null && code !== 0) process.exitCode = 1
        stopped(isKilled ? Effect.logError("A process of the service did not end, and was killed").pipe(
          Effect.annotateLogs({ slot })
        ) : Effect.void)
      })
      worker.process.kill("SIGTERM")
    })
  })

/**
 * Keeps the process of one slot running. The very first process must serve, because a wrong configuration or
 * a taken port ends every process.
 */
const keep = Effect.fnUntraced(function*(
  slot: number,
  drainMs: number,
  firstServes: Deferred.Deferred<void>
) {
  for (let pauseMs: number = restartMs;; pauseMs = Math.min(2 * pauseMs, restartMsMax)) {
    const beganMs = performance.now()
    const ended = yield* run(slot, drainMs, () => Deferred.doneUnsafe(firstServes, Effect.void))
    if (!(yield* Deferred.isDone(firstServes))) {
      return yield* new NotStarted({ code: typeof ended === "number" && ended > 0 ? ended : 1 })
    }
    if (performance.now() - beganMs > steadyMs) pauseMs = restartMs
    yield* Effect.logError("A process of the service has ended; starting another").pipe(
      Effect.annotateLogs({ slot, ended, pauseMs })
    )
    yield* Effect.sleep(pauseMs)
  }
})

/**
 * Serves with so many processes until it is interrupted; then lets them drain, and waits for their ends.
 *
 * @param drainMs how long a process says that it drains before it refuses connections
 */
export const supervise = (processes: number, drainMs: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    cluster.setupPrimary({ execArgv: [...process.execArgv, `--max-old-space-size=${heapMb(processes)}`] })
    const firstServes = yield* Deferred.make<void>()
    // The first brings the schema up to date, registers keys, and finds out whether the port is free.
    yield* Effect.forEach(Array.from({ length: processes }, (_, index) => index + 1), (slot) =>
      Effect.andThen(
        slot === 1 ? Effect.void : Deferred.await(firstServes),
        keep(slot, drainMs, firstServes)
      ),
      { concurrency: "unbounded", discard: true })
  }).pipe(Effect.catchTag("NotStarted", ({ code }) =>
    Effect.sync(() => {
      process.exitCode = code
    })))
