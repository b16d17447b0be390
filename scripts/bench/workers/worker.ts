/* The worker thread of the benchmarks: runs one task and posts its report. */
import { Cause, Effect, Exit, References } from "effect"
import { parentPort } from "node:worker_threads"
import { type BacktestReport, runBacktest } from "../backtest/judge.ts"
import type { TraceTask } from "../backtest/trace.ts"
import { type AttemptsReport, type AttemptsTask, runAttempts } from "../arena/attempts.ts"
import { replay, type ReplayReport, type ReplayTask } from "../arena/replay.ts"
import { retire, type RetireReport } from "../arena/retire.ts"
import { runWorkload, type WorkloadReport, type WorkloadTask } from "../arena/workload-run.ts"

/** Units of work: a set in one order, or with its best model retired, a workload's draw, a foreign log, or attempts. */
export interface Tasks {
  readonly replay: ReplayTask
  readonly retire: ReplayTask
  readonly workload: WorkloadTask
  readonly backtest: TraceTask
  readonly attempts: AttemptsTask
}
export type Kind = keyof Tasks

export interface Reports {
  readonly replay: ReplayReport
  readonly retire: ReadonlyArray<RetireReport>
  readonly workload: WorkloadReport
  readonly backtest: BacktestReport
  readonly attempts: AttemptsReport
}

/** A worker's task. Its answer has the same position. */
interface Asked<K extends Kind> {
  readonly kind: K
  readonly position: number
  readonly task: Tasks[K]
}
export type Answer<K extends Kind> =
  | { readonly position: number; readonly report: Reports[K] }
  | { readonly position: number; readonly failure: string }

const works: { readonly [K in Kind]: (task: Tasks[K]) => Effect.Effect<Reports[K], unknown> } = {
  replay, retire, workload: runWorkload, backtest: runBacktest, attempts: runAttempts
}

const port = parentPort
port?.on("message", <K extends Kind>({ kind, position, task }: Asked<K>) => {
  // Nobody reads spans here, and making them takes time.
  const work = works[kind](task).pipe(Effect.provideService(References.TracerEnabled, false))
  void Effect.runPromiseExit(work).then((exit) => {
    const answer: Answer<K> = Exit.isSuccess(exit)
      ? { position, report: exit.value }
      : { position, failure: Cause.pretty(exit.cause) }
    port.postMessage(answer)
  })
})
