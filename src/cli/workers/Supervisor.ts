/* The first of several processes on one port. It serves no requests, but starts, replaces and stops the
   workers, to which `node:cluster` gives connections in turns. */
import { Deferred, Effect, Schema } from "effect"
import cluster from "node:cluster"
import { getHeapStatistics } from "node:v8"
import { slotVariable, workerSettings } from "./WorkerSettings.ts"

const { heapMbMin, restartMs, restartMsMax, steadyMs, stopMs } = workerSettings

/** How a process ended: its exit code, or the signal that killed it. */
type Ended = number | string

/** The error if the first worker, which itself prints the reason, ended before it served. */
class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { code: Schema.Int }) {}

/** Heap of each worker, MB: an equal share of the heap of a single process, and at least `heapMbMin`. */
const heapMb = (processes: number): number =>
  Math.floor(Math.max(heapMbMin, getHeapStatistics().heap_size_limit / 2 ** 20 / processes))

/** Adds the worker's number to the instance id, because two processes must not write the same series. */
const resourceAttributes = (given: string, number: number): string =>
  given.replace(/(^|,)(\s*service\.instance\.id\s*=[^,]*)/, `$1$2-${number}`)

/**
 * Runs one worker until it ends. After an interruption, the worker has `drainMs` plus {@link stopMs} to
 * finish, and is then killed.
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
        // A worker that has just started cannot handle SIGTERM, and ends without a code.
        if (isKilled || code !== null && code !== 0) process.exitCode = 1
        stopped(isKilled ? Effect.logError("A process of the service did not end, and was killed").pipe(
          Effect.annotateLogs({ slot })
        ) : Effect.void)
      })
      worker.process.kill("SIGTERM")
    })
  })

/**
 * Keeps a worker with the number `slot` running, and replaces it when it ends. Fails if a worker ends before
 * any worker has served, because a wrong configuration would end every worker.
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
 * Keeps workers running until it is interrupted, and then waits until all workers have ended.
 * @param drainMs time for which a worker that reports `draining` still accepts connections, ms
 */
export const supervise = (processes: number, drainMs: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    cluster.setupPrimary({ execArgv: [...process.execArgv, `--max-old-space-size=${heapMb(processes)}`] })
    const firstServes = yield* Deferred.make<void>()
    // The first worker migrates the schema, registers keys, and finds out whether the port is free.
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
