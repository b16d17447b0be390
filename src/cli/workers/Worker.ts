/* One of several processes of a port: reports to the first that it serves, and its counts. */
import { Console, Context, Effect, Layer } from "effect"
import cluster from "node:cluster"
import { type Counted, Siblings, type SiblingProcesses } from "../../http/limits/Siblings.ts"
import { ProcessesOnPort } from "../../sql/PoolShare.ts"
import { beforeLine } from "../StartSpinner.ts"
import { beat } from "./Heartbeat.ts"
import { isMessage, type WorkerMessage } from "./Messages.ts"
import { workerSettings } from "./WorkerSettings.ts"

/**
 * The number of this process among those that the first process has started; null for a lone or the first
 * one.
 */
export const processNumber: number | null = cluster.worker?.id ?? null

/** Whether other processes may serve already when this one starts. */
export const joinsOthers: boolean = (processNumber ?? 1) > 1

/** The first process has gone when the channel is closed; the disconnect is then noticed, too. */
const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

/** Prints what a start has to say; one of several processes hands it to the first, which prints it once. */
export const announce = (lines: string): Effect.Effect<void> =>
  processNumber !== null
    ? Effect.sync(() => send({ kind: "ready", lines }))
    : Effect.andThen(Effect.sync(beforeLine), Console.log(lines))

/** Counts by kind and key that wait to be sent, together after some milliseconds. */
const makeTelling = () => {
  const waiting = new Map<Counted, Map<string, number>>()
  let size = 0
  let timer: NodeJS.Timeout | null = null
  const flush = (): void => {
    timer = null
    size = 0
    send({
      kind: "counts",
      counts: [...waiting].flatMap(([counted, keys]) =>
        [...keys].map(([key, units]) => [counted, key, units] as const))
    })
    waiting.clear()
  }
  return (counted: Counted, key: string, units: number): void => {
    const keys = waiting.get(counted) ?? new Map<string, number>()
    waiting.set(counted, keys)
    if (!keys.has(key)) size++
    keys.set(key, (keys.get(key) ?? 0) + units)
    if (size >= workerSettings.countsMax) {
      if (timer !== null) clearTimeout(timer)
      flush()
    } else timer ??= setTimeout(flush, workerSettings.countsMs).unref()
  }
}

const makeSiblings = (): SiblingProcesses => {
  const hearing = new Map<Counted, (key: string, units: number) => void>()
  process.on("message", (message: unknown) => {
    if (!isMessage(message) || message.kind !== "counts") return
    for (const [counted, key, units] of message.counts) hearing.get(counted)?.(key, units)
  })
  return {
    tell: makeTelling(),
    hear: (counted, count) =>
      Effect.map(Effect.context<never>(), (context) => {
        const run = Effect.runSyncWith(context)
        hearing.set(counted, (key, units) => run(count(key, units)))
      })
  }
}

/**
 * Drains this process when its first process was killed. Node would otherwise end it at once, with requests
 * under way, and would leave an embedded PostgreSQL behind.
 */
const drainAsOrphan = Effect.sync(() => {
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), workerSettings.orphanMs).unref()
    process.kill(process.pid, "SIGTERM")
  })
})

/** What a process of `processes` on one port needs beside a lone one's layers. */
export const layer = (processes: number): Layer.Layer<never> =>
  processNumber !== null
    ? Layer.effectContext(Effect.as(Effect.andThen(drainAsOrphan, beat(send)), Context.mergeAll(
      Context.make(Siblings, makeSiblings()),
      Context.make(ProcessesOnPort, processes)
    )))
    : Layer.empty
