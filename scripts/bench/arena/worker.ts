/* The worker thread of the arena: runs one task and posts its result. */
import { Cause, Effect, Exit, References } from "effect"
import { parentPort } from "node:worker_threads"
import { type BacktestReport, type BacktestTask, runBacktest } from "../backtest/judge.ts"
import { type AttemptsReport, type AttemptsTask, runAttempts } from "./attempts.ts"
import type { Answer } from "./pool.ts"
import { replay, type ReplayReport, type ReplayTask } from "./replay.ts"
import { runWorkload, type WorkloadReport, type WorkloadTask } from "./workload-run.ts"

/** One unit of work: a set in one order, a workload's draw, a foreign log, or attempts. */
export type ArenaTask =
  | { readonly kind: "replay"; readonly task: ReplayTask }
  | { readonly kind: "workload"; readonly task: WorkloadTask }
  | { readonly kind: "backtest"; readonly task: BacktestTask }
  | { readonly kind: "attempts"; readonly task: AttemptsTask }

export type ArenaResult =
  | { readonly kind: "replay"; readonly report: ReplayReport }
  | { readonly kind: "workload"; readonly report: WorkloadReport }
  | { readonly kind: "backtest"; readonly report: BacktestReport }
  | { readonly kind: "attempts"; readonly report: AttemptsReport }

const run = (work: ArenaTask) => {
  switch (work.kind) {
    case "replay": return Effect.map(replay(work.task), (report): ArenaResult => ({ kind: "replay", report }))
    case "workload":
      return Effect.map(runWorkload(work.task), (report): ArenaResult => ({ kind: "workload", report }))
    case "attempts":
      return Effect.map(runAttempts(work.task), (report): ArenaResult => ({ kind: "attempts", report }))
    case "backtest":
      return Effect.map(runBacktest(work.task), (report): ArenaResult => ({ kind: "backtest", report }))
  }
}

const port = parentPort
port?.on("message", (message: { readonly position: number; readonly task: ArenaTask }) => {
  const { position, task } = message
  // Nobody reads spans here, and making them takes time.
  const work = run(task).pipe(Effect.provideService(References.TracerEnabled, false))
  void Effect.runPromiseExit(work).then((exit) => {
    const answer: Answer<ArenaResult> = Exit.isSuccess(exit)
      ? { position, result: exit.value }
      : { position, failure: Cause.pretty(exit.cause) }
    port.postMessage(answer)
  })
})
