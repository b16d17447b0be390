/* A worker thread that estimates policies on large logs. */
import { Effect, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import * as Reason from "../resilience/FailureReason.ts"
import type { OutcomeColumns } from "./OutcomeColumns.ts"
import { policyWorths, type PolicyWorths } from "./PolicyWorth.ts"
import { reportSettings } from "./ReportSettings.ts"

const workerFile = new URL(
  `./PolicyWorker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

const buffersOf = ({ log }: OutcomeColumns): Array<ArrayBuffer> => [
  ...new Set(Object.values(log).flatMap((column) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? [column.buffer] : []))
]

/** The effect fails if the thread ends before its answer. */
const ask = (worker: Worker, columns: OutcomeColumns) =>
  Effect.callback<PolicyWorths, LedgerUnavailable>((resume) => {
    const finish = (answer: Effect.Effect<PolicyWorths, LedgerUnavailable>) => {
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd)
      resume(answer)
    }
    const onMessage = (worths: PolicyWorths) => finish(Effect.succeed(worths))
    const onEnd = (cause: unknown) => finish(Effect.fail(new LedgerUnavailable({
      reason: new Reason.Unclassified({ cause })
    })))
    worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
    worker.postMessage(columns, buffersOf(columns))
    // An interruption ends the thread, because its late answer would be taken for the answer on the next log.
    return Effect.promise(() => worker.terminate())
  }).pipe(Effect.timeoutOrElse({
    duration: reportSettings.reportMs,
    orElse: () => Effect.fail(LedgerUnavailable.timedOut(reportSettings.reportMs))
  }))

/**
 * Large logs of outcomes are sent to a thread, one at a time, so that the event loop stays free. A small log
 * is estimated in the calling thread.
 */
export const makePolicyThread = Effect.gen(function*() {
  const turn = yield* Semaphore.make(1)
  let worker: Worker | null = null
  yield* Effect.addFinalizer(() => {
    const started = worker
    return started === null ? Effect.void : Effect.promise(() => started.terminate())
  })

  const running = (): Worker => {
    if (worker !== null) return worker
    const started = new Worker(workerFile, { execArgv: [], name: "policy-value" })
    const gone = () => {
      if (worker === started) worker = null
    }
    started.on("error", gone).on("exit", gone).unref()
    worker = started
    return started
  }

  return (columns: OutcomeColumns): Effect.Effect<PolicyWorths, LedgerUnavailable> =>
    columns.log.rows < reportSettings.threadRowsMin
      ? Effect.sync(() => policyWorths(columns))
      : turn.withPermit(Effect.suspend(() => ask(running(), columns)))
})
