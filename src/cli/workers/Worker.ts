/* One of several processes on a port. Only the first worker that starts prints the banner. */
import { Console, Effect, Layer } from "effect"
import cluster from "node:cluster"
import { ProcessesOnPort } from "../../sql/PoolShare.ts"
import { beforeLine } from "../StartSpinner.ts"
import { slotVariable } from "./WorkerSettings.ts"

/** This worker's number, which a replacement gets too; null in a single process and in the supervisor. */
export const processNumber: number | null = cluster.isWorker ? Number(process.env[slotVariable]) : null

/** True if other workers may already serve when this worker starts. */
export const joinsOthers: boolean = (cluster.worker?.id ?? 1) > 1

export const announce = (lines: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (joinsOthers) yield* Effect.logInfo("This process of the service serves, too")
    else {
      beforeLine()
      yield* Console.log(lines)
    }
    cluster.worker?.send("serves")
  })

/** Stops this worker in order if its supervisor dies, because Node would end it with requests in flight. */
const drainAsOrphan = Effect.sync(() => {
  if (cluster.worker === undefined) return
  cluster.worker.exitedAfterDisconnect = true
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
})

export const layer = (processes: number): Layer.Layer<never> =>
  Layer.merge(Layer.succeed(ProcessesOnPort, processes), Layer.effectDiscard(drainAsOrphan))
