/*
 * The first of several processes on one port. It serves nothing itself: it starts the others, hands them
 * connections in turns (`node:cluster`), replaces one that ends or hangs, passes on their counts, and stops
 * them together.
 */
import { Console, Deferred, Effect, Schema } from "effect"
import cluster, { type Worker } from "node:cluster"
import { constants } from "node:os"
import { getHeapStatistics } from "node:v8"
import { giveBackUnaccepted } from "./UnacceptedConnections.ts"
import { silence } from "./Heartbeat.ts"
import { isMessage } from "./Messages.ts"
import { heapMb, resourceAttributes } from "./Shares.ts"
import { workerSettings } from "./WorkerSettings.ts"

const { restartMs, restartMsMax, steadyMs, stopMs } = workerSettings

/** How a process ended: its exit code, or the signal that killed it. */
interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** Signals by which a user or a system stops a service, Ctrl-C among them. */
const isStopping = (signal: string | null): boolean => signal === "SIGINT" || signal === "SIGTERM"

/** The exit code of a start that its first process ended: that of a shell for a signal, else not 0. */
const exitCodeOf = ({ code, signal }: Ended): number => {
  if (code !== null) return code === 0 ? 1 : code
  return signal === "SIGINT" || signal === "SIGTERM" ? 128 + constants.signals[signal] : 1
}

/** The first process to serve ended before it did; it has printed why. */
class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { code: Schema.Int }) {}

/** Passes what a process has counted on to the others. */
const passOn = (from: Worker, message: unknown): void => {
  if (!isMessage(message) || message.kind !== "counts") return
  for (const other of Object.values(cluster.workers ?? {})) {
    if (other !== undefined && other !== from && other.isConnected()) other.send(message, () => {})
  }
}

/** The port that processes came to listen on, once one did: another, when the configured port is 0. */
const watchPort = (): () => number | null => {
  let port: number | null = null
  cluster.on("listening", (_worker, address) => {
    port = address.port
  })
  return () => port
}

const alive = (): number => Object.keys(cluster.workers ?? {}).length

const makeFork = (processes: number) => {
  const heap = heapMb(getHeapStatistics().heap_size_limit, processes)
  cluster.setupPrimary({ execArgv: [...process.execArgv, `--max-old-space-size=${heap}`] })
  const knownPort = watchPort()
  const attributes = process.env["OTEL_RESOURCE_ATTRIBUTES"]
  return (slot: number): Worker => {
    const port = knownPort()
    return cluster.fork({
      SEXTANT_PROCESSES: String(processes),
      ...(attributes === undefined ? {} : { OTEL_RESOURCE_ATTRIBUTES: resourceAttributes(attributes, slot) }),
      // Processes that all listen on port 0 share one port; the first one after all have ended takes it
      // again.
      ...(port === null || alive() > 0 ? {} : { PORT: String(port) })
    })
  }
}

const endOf = (worker: Worker): Effect.Effect<Ended> =>
  Effect.callback<Ended>((resume) => {
    if (worker.isDead()) {
      const { exitCode: code, signalCode: signal } = worker.process
      return resume(Effect.succeed({ code, signal }))
    }
    const ended = (code: number | null, signal: string | null) => resume(Effect.succeed({ code, signal }))
    worker.once("exit", ended)
    return Effect.sync(() => worker.off("exit", ended))
  })

/** {@link endOf} a process, which is killed once it hangs. */
const lifeOf = (worker: Worker): Effect.Effect<Ended & { readonly isHung: boolean }> =>
  Effect.suspend(() => {
    let isHung = false
    const kill = Effect.sync(() => {
      isHung = true
      // A stopped process acts on no other signal.
      worker.process.kill("SIGKILL")
    })
    return endOf(worker).pipe(
      Effect.raceFirst(Effect.andThen(Effect.andThen(silence(worker), kill), Effect.never)),
      Effect.map((ended) => ({ ...ended, isHung }))
    )
  })

/** Stops a process in order and waits until it has ended; it is killed when that takes too long. */
const stop = (worker: Worker, drainDelayMs: number) =>
  Effect.gen(function*() {
    if (worker.isDead()) return
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      worker.process.kill("SIGKILL")
    }, drainDelayMs + stopMs)
    worker.process.kill("SIGTERM")
    const { code, signal } = yield* endOf(worker)
    clearTimeout(late)
    if (isLate) yield* Effect.logError("A process of the service did not stop in time and was killed")
    // A signal ends a process that has only just begun to start, before it can handle it.
    if (code !== 0 && !isStopping(signal)) process.exitCode = 1
  })

/** Runs one process to its end; `heard` receives what it says once it serves. An interruption drains it. */
const runOnce = (fork: () => Worker, drainDelayMs: number, heard: (lines: string) => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const worker = fork()
      giveBackUnaccepted(worker.process)
      worker.on("message", (message: unknown) => {
        if (isMessage(message) && message.kind === "ready") heard(message.lines)
        else passOn(worker, message)
      })
      // A failed send to a process that has just ended; its end is noticed.
      worker.on("error", () => {})
      return worker
    }),
    lifeOf,
    (worker) => stop(worker, drainDelayMs)
  )

const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(restartMsMax, restartMs * 2 ** (failures - 1))

/**
 * Keeps the process of one slot running. `settled` receives what the first one says once it serves, or null
 * when it ended before. The very first process must serve, because a wrong configuration or a taken port ends
 * every process.
 */
const keep = Effect.fnUntraced(function*(
  slot: number,
  fork: (slot: number) => Worker,
  drainDelayMs: number,
  settled: Deferred.Deferred<string | null>
) {
  for (let failures = 0;;) {
    const beganMs = performance.now()
    let isReady = false
    const { isHung, ...ended } = yield* runOnce(() => fork(slot), drainDelayMs, (lines) => {
      isReady = true
      Deferred.doneUnsafe(settled, Effect.succeed(lines))
    })
    if (slot === 1 && !(yield* Deferred.isDone(settled))) {
      return yield* new NotStarted({ code: exitCodeOf(ended) })
    }
    yield* Deferred.succeed(settled, null)
    failures = isReady && performance.now() - beganMs > steadyMs ? 0 : failures + 1
    const pauseMs = pauseAfter(failures)
    yield* Effect.logError(isHung
      ? "A process of the service hung and was killed; starting another"
      : "A process of the service has ended; starting another").pipe(
      Effect.annotateLogs({ slot, ended: ended.code ?? ended.signal ?? "unknown", pauseMs })
    )
    yield* Effect.sleep(pauseMs)
  }
})

/**
 * Serves with so many processes until it is interrupted; it then drains them all at once, and waits for their
 * ends.
 *
 * @param drainDelayMs how long a stopping process goes on serving before it drains
 */
export const supervise = (processes: number, drainDelayMs: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    const fork = makeFork(processes)
    const slots = yield* Effect.forEach(
      Array.from({ length: processes }, (_, index) => index + 1),
      (slot) => Effect.map(Deferred.make<string | null>(), (settled) => ({ slot, settled }))
    )
    const [first] = slots
    const firstServes = first === undefined ? Effect.void : Deferred.await(first.settled)
    const announce = Effect.gen(function*() {
      const lines = yield* firstServes
      for (const { settled } of slots) yield* Deferred.await(settled)
      if (lines !== null && lines !== undefined) yield* Console.log(lines)
      return yield* Effect.never
    })
    // The first brings the schema up to date, registers keys, and finds out whether the port is free.
    const keeping = slots.map(({ settled, slot }) =>
      Effect.andThen(slot === 1 ? Effect.void : firstServes, keep(slot, fork, drainDelayMs, settled)))
    yield* Effect.all([...keeping, announce], { concurrency: "unbounded", discard: true })
  }).pipe(Effect.catchTag("NotStarted", ({ code }) =>
    Effect.sync(() => {
      process.exitCode = code
    })))
