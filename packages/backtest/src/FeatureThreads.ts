/* Threads that read texts while the file is read further. */
import { Effect, Schema, type Scope } from "effect"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { backtestSettings } from "./BacktestSettings.ts"
import type { Features, TextToRead } from "./Features.ts"
import type { TextBatch } from "./FeatureWorker.ts"

/** A thread that reads texts has ended before it was done. */
export class ThreadEnded extends Schema.TaggedError<ThreadEnded>()("ThreadEnded", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : `exit code ${String(this.cause)}`
    return `A thread that reads the texts of the log has ended: ${why}`
  }
}

/** Reads batches of texts in threads. */
export interface FeatureThreads {
  /** Batches that may wait for an answer at once, count. */
  readonly width: number
  readonly read: (texts: ReadonlyArray<TextToRead>) => Promise<Features>
}

const workerFile = new URL(
  `./FeatureWorker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

interface Waiting {
  readonly resolve: (features: Features) => void
  readonly reject: (reason: ThreadEnded) => void
}

/** One thread, which answers batch after batch. */
const makeThread = (number: number) => {
  const waiting = new Map<number, Waiting>()
  const worker = new Worker(workerFile, { execArgv: [], name: `backtest-texts-${number}` })
  const gone = (cause: unknown): void => {
    for (const { reject } of waiting.values()) reject(new ThreadEnded({ cause }))
    waiting.clear()
  }
  worker.on("error", gone).on("exit", gone)
  worker.on("message", ({ batch, features }: { readonly batch: number; readonly features: Features }) => {
    waiting.get(batch)?.resolve(features)
    waiting.delete(batch)
  })
  return {
    worker,
    read: (message: TextBatch) =>
      new Promise<Features>((resolve, reject) => {
        waiting.set(message.batch, { resolve, reject })
        worker.postMessage(message)
      })
  }
}

/** As many threads as the machine has cores beside this one, at least one; they end with the scope. */
export const makeFeatureThreads: Effect.Effect<FeatureThreads, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const count = Math.max(1, Math.min(availableParallelism() - 1, backtestSettings.threadsMax))
      return Array.from({ length: count }, (_, number) => makeThread(number))
    }),
    (threads) => Effect.promise(() => Promise.all(threads.map(({ worker }) => worker.terminate())))
  ),
  (threads) => {
    let batches = 0
    return {
      width: threads.length * backtestSettings.batchesWaiting,
      read: (texts) => {
        const batch = batches++
        return threads[batch % threads.length]!.read({ batch, texts })
      }
    }
  }
)
