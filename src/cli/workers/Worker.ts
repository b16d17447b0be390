/* One of several processes of a port: prints what a start says once, and tells the first that it serves. */
import { Console, Effect, Layer } from "effect"
import cluster from "node:cluster"
import { ProcessesOnPort } from "../../sql/PoolShare.ts"
import { beforeLine } from "../StartSpinner.ts"
import { slotVariable } from "./WorkerSettings.ts"

/**
 * The number of this process on its port, which one that takes its place has too; null for a lone process and
 * for the first one, which serves nothing.
 */
export const processNumber: number | null = cluster.isWorker ? Number(process.env[slotVariable]) : null

/** Whether other processes may serve already when this one starts. */
export const joinsOthers: boolean = (cluster.worker?.id ?? 1) > 1

/** Prints what a start has to say, once for all processes, and tells the first one that this one serves. */
export const announce = (lines: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (joinsOthers) yield* Effect.logInfo("This process of the service serves, too")
    else {
      beforeLine()
      yield* Console.log(lines)
    }
    cluster.worker?.send("serves")
  })

/**
 * Drains this process when its first process was killed. Node would otherwise end it at once, with requests
 * under way.
 */
const drainAsOrphan = Effect.sync(() => {
  if (cluster.worker === undefined) return
  cluster.worker.exitedAfterDisconnect = true
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
})

/** What a process of `processes` on one port needs beside a lone one's layers. */
export const layer = (processes: number): Layer.Layer<never> =>
  Layer.merge(Layer.succeed(ProcessesOnPort, processes), Layer.effectDiscard(drainAsOrphan))
